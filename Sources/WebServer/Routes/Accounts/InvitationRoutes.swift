import Accounts
import Devices
import Foundation
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON

extension APIServices {
  /// Letting further people in: by invitation for good, by a pass for a while.
  var invitationRoutes: [Route] {
    [
      .post(
        "/api/v1/invitations", by: .permitted(.administer),
        "A code with which one more person registers."
      ) { call in
        try await invite(call)
      },
      .get(
        "/api/v1/invitations", by: .permitted(.administer), "The invitations that are still open."
      ) { call in
        let open = try await accountService.invitations.list(for: call.principal())
        return Response(["invitations": .array(open.map(\.json))])
      },
      .delete("/api/v1/invitations/{id}", by: .permitted(.administer), "Takes an invitation back.")
      {
        call in
        try await accountService.invitations.revoke(
          InvitationID(call.captured("id")), by: call.principal())
        return Response(status: .noContent)
      },
      .post("/api/v1/guests", by: .permitted(.administer), "A guest pass, with its code.") { call in
        try await makePass(call)
      },
      .get("/api/v1/guests", by: .permitted(.administer), "The guest passes that are good.") {
        call in
        let passes = try await accountService.guestPasses.list(for: call.principal())
        return Response(["guests": .array(passes.map(\.json))])
      },
      .delete(
        "/api/v1/guests/{id}", by: .permitted(.administer),
        "Takes a guest pass back; its sessions end at once."
      ) { call in
        try await accountService.guestPasses.revoke(
          AccountID(call.captured("id")), by: call.principal())
        return Response(status: .noContent)
      },
      .post(
        "/api/v1/guests/sessions", by: .everyone, "Opens a session for the holder of a guest pass."
      ) { call in
        let fields = try call.fields("pass", "cookie")
        let cookies = try call.wantedCookies(fields)
        let pass = try fields.requiredText("pass")
        return Response(try await accountService.guestPasses.logIn(with: pass), cookies: cookies)
      },
    ]
  }

  private func invite(_ call: RequestContext) async throws -> Response {
    let fields = try call.fields("role", "validFor")
    let issued = try await accountService.invitations.make(
      by: call.principal(), role: Self.role(try fields.text("role") ?? "member"),
      validity: fields.number("validFor"))
    guard var answer = issued.invitation.json.object else {
      return Response(status: .internalServerError)
    }
    answer["code"] = .string(issued.code.text)
    answer["command"] = .string("theater register --invitation \(issued.code.text)")
    return Response(.object(answer), status: .created)
  }

  private func makePass(_ call: RequestContext) async throws -> Response {
    let fields = try call.fields("name", "activities", "volumeLimit", "ageLimit", "validFor")
    let issued = try await accountService.guestPasses.make(
      GuestPassRequest(
        name: try fields.text("name") ?? "Guest",
        activities: try activities(fields),
        volumeLimit: try fields.integer("volumeLimit") ?? 50,
        ageLimit: try fields.integer("ageLimit"),
        validity: try fields.number("validFor") ?? 86_400),
      by: call.principal())
    guard var answer = issued.pass.json.object else {
      return Response(status: .internalServerError)
    }
    answer["code"] = .string(issued.code.text)
    // The code is read from standard input: no list of processes shows it.
    answer["command"] = "theater guest enter"
    return Response(.object(answer), status: .created)
  }

  /// The names of activities that there are.
  private func activities(_ fields: BodyFields) throws(APIError) -> [String] {
    let known = theater.plan.activities.keys.sorted()
    let names = try fields.texts("activities", hint: "There is: \(listed(known)).")
    for name in names where theater.plan.activities[name] == nil {
      throw APIError(TheaterError.unknown("activity", name, known))
    }
    return names
  }
}

extension Invitation {
  fileprivate var json: JSON {
    [
      "id": .string(id.text), "role": .string(role.rawValue),
      "made": .string(madeAt.ISO8601Format()), "expires": .string(expires.ISO8601Format()),
    ]
  }
}

extension GuestPass {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "id": .string(id.text), "name": .string(name.text),
      "activities": .array(activities.map { .string($0) }),
      "volumeLimit": .integer(volumeLimit),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    object["made"] = .string(madeAt.ISO8601Format())
    object["expires"] = .string(expires.ISO8601Format())
    return .object(object)
  }
}

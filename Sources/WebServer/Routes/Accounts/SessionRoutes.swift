import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON

extension APIServices {
  /// One's own sessions, and proving again who one is.
  var sessionRoutes: [Route] {
    [
      .get("/api/v1/sessions", by: .permitted(.account), "One's own sessions, the newest first.") {
        call in
        let sessions = try await accountService.sessions.list(of: call.principal())
        return Response(["sessions": .array(sessions.map(\.json))])
      },
      .delete("/api/v1/sessions", by: .permitted(.account), "Ends all of one's own sessions.") {
        call in
        Self.ended(
          try await accountService.sessions.endAll(of: call.principal(), exceptCurrent: false))
      },
      .delete(
        "/api/v1/sessions/others", by: .permitted(.account), "Ends one's own sessions but this one."
      ) { call in
        Self.ended(
          try await accountService.sessions.endAll(of: call.principal(), exceptCurrent: true))
      },
      .delete("/api/v1/sessions/{id}", by: .permitted(.account), "Ends one of one's own sessions.")
      {
        call in
        try await accountService.sessions.end(SessionID(call.captured("id")), of: call.principal())
        return Response(status: .noContent)
      },
      .post(
        "/api/v1/sessions/current/proof", by: .permitted(.account),
        "Proves again who one is: a new token for the session."
      ) { call in
        guard let caller = call.caller else { throw APIError(AccountError.notLoggedIn) }
        let fields = try call.fields("password", "code", "cookie")
        let cookies = try call.wantedCookies(fields)
        return Response(
          try await accountService.prove(
            caller.token, password: try fields.requiredText("password"),
            secondFactor: try fields.text("code")), status: .ok,
          cookies: cookies)
      },
    ]
  }

  private static func ended(_ count: Int) -> Response { Response(["ended": .integer(count)]) }
}

extension SessionPrincipal {
  /// Who somebody is, without the token.
  var json: JSON {
    var user: JSONObject = ["name": .string(name)]
    if let email { user["email"] = .string(email) }
    user["role"] = .string(role.rawValue)
    var object: JSONObject = [
      "user": .object(user), "expires": .string(expires.ISO8601Format()),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    if let pass {
      object["activities"] = .array(pass.activities.map { .string($0) })
      object["volumeLimit"] = .integer(pass.volumeLimit)
    }
    return .object(object)
  }
}

extension OpenSession {
  fileprivate var json: JSON {
    [
      "id": .string(session.id.text), "device": .string(session.origin.device),
      "address": .string(session.origin.address),
      "opened": .string(session.openedAt.ISO8601Format()),
      "lastSeen": .string(session.lastSeenAt.ISO8601Format()),
      "expires": .string(expires.ISO8601Format()), "current": .bool(isCurrent),
    ]
  }
}

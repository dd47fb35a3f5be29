import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON

extension APIServices {
  /// Other people's accounts, and one's own name.
  var peopleRoutes: [Route] {
    [
      .get("/api/v1/accounts", by: .permitted(.administer), "Everybody with an account.") { call in
        let people = try await accountService.people.list(for: call.principal())
        return Response(["accounts": .array(people.map(\.json))])
      },
      .post(
        "/api/v1/account/name", by: .permitted(.account), "Changes how one is called."
      ) { call in
        let name = try call.fields("name").requiredText("name")
        try await accountService.people.setName(name, by: call.principal())
        return Response(status: .noContent)
      },
      .delete("/api/v1/account", by: .permitted(.account), "Removes one's own account.") {
        call in
        let principal = try call.principal()
        try accountService.sessions.requireFreshProof(principal)
        try await accountService.people.remove(principal.account, by: principal)
        return Response(status: .noContent)
      },
      .post(
        "/api/v1/accounts/{id}/role", by: .permitted(.administer), "Changes what somebody may do."
      ) { call in
        let role = try Self.role(try call.fields("role").requiredText("role"))
        try await accountService.people.setRole(role, of: Self.account(call), by: call.principal())
        return Response(status: .noContent)
      },
      .post(
        "/api/v1/accounts/{id}/age-limit", by: .permitted(.administer),
        "Sets the oldest age rating that somebody may watch; none lifts it."
      ) { call in
        let years = try call.fields("ageLimit").integer("ageLimit")
        try await accountService.people.setAgeLimit(
          years, of: Self.account(call), by: call.principal())
        return Response(status: .noContent)
      },
      .delete("/api/v1/accounts/{id}", by: .permitted(.administer), "Removes an account.") { call in
        try await accountService.people.remove(Self.account(call), by: call.principal())
        return Response(status: .noContent)
      },
    ]
  }

  private static func account(_ call: RequestContext) throws(APIError) -> AccountID {
    AccountID(try call.captured("id"))
  }

  /// Reads a role that somebody with an account can have.
  static func role(_ word: String) throws(APIError) -> AccountRole {
    guard let role = AccountRole(rawValue: word), role != .guest else {
      throw .invalid("\"role\" is \"\(word.quotation)\", expected \"member\" or \"owner\"")
    }
    return role
  }
}

extension Account {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "id": .string(id.text), "name": .string(name.text), "email": .string(email.text),
      "role": .string(role.rawValue), "created": .string(createdAt.ISO8601Format()),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    return .object(object)
  }
}

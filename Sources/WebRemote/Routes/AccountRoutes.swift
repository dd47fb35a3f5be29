import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON

extension Remote {
  /// Registering, logging in and out, inviting.
  var accountRoutes: [Route] {
    [
      .post("/api/accounts", by: .everyone, "Makes an account for the holder of a code.") { call in
        try await register(call)
      },
      .post("/api/sessions", by: .everyone, "Logs in: a token for further requests.") { call in
        try await logIn(call)
      },
      .get("/api/sessions/current", "Who is logged in.") { call in
        Response(Self.json(try call.principal()))
      },
      .delete("/api/sessions/current", by: .permitted(.view), "Logs out.") { call in
        guard let caller = call.caller else { throw APIError(AccountError.notLoggedIn) }
        try await gate.logOut(caller.token)
        var answer = Response(status: .noContent)
        if let cookie = call.cookie {
          answer.headers[.setCookie] = cookie.removing
          answer.headers[.clearSiteData] = "\"cache\", \"storage\""
        }
        return answer
      },
      .post(
        "/api/invitations", by: .permitted(.administer),
        "A code with which one more person registers."
      ) { call in
        let issued = try await gate.invite(by: call.principal())
        return Response(
          [
            "code": .string(issued.code.text),
            "expires": .string(issued.invitation.expires.ISO8601Format()),
          ], status: .created)
      },
    ]
  }

  private func register(_ call: Call) async throws -> Response {
    let fields = try call.fields("name", "email", "password", "setupCode", "invitation")
    let admission: Accounts.Admission =
      switch (try fields.text("setupCode"), try fields.text("invitation")) {
      case (let code?, nil): .setupCode(code)
      case (nil, let code?): .invitation(code)
      default:
        throw APIError.invalid(
          "give either \"setupCode\" or \"invitation\"",
          hint: "The first account takes the setup code from the controller's console.")
      }
    let account = try await gate.register(
      RegistrationRequest(
        admission: admission, name: try fields.requiredText("name"),
        email: try fields.requiredText("email"), password: try fields.requiredText("password")))
    return Response(
      [
        "user": [
          "name": .string(account.name.text), "email": .string(account.email.text),
          "role": .string(account.role.rawValue),
        ]
      ], status: .created)
  }

  private func logIn(_ call: Call) async throws -> Response {
    let fields = try call.fields("email", "password", "cookie")
    let asCookie = try fields.flag("cookie")
    if asCookie, call.cookie == nil {
      throw APIError.invalid("only browsers get cookies, and none comes here")
    }
    let loggedIn = try await gate.logIn(
      PasswordCredentials(
        email: try fields.requiredText("email"), password: try fields.requiredText("password")))
    return Self.answer(loggedIn, cookie: asCookie ? call.cookie : nil)
  }

  /// A new session, with its token where programs find it, or where only the browser does.
  private static func answer(_ loggedIn: LoggedIn, cookie: SessionCookie?) -> Response {
    guard var json = json(loggedIn.principal).object else {
      return Response(status: .internalServerError)
    }
    guard let cookie else {
      json["token"] = .string(loggedIn.token.text)
      return Response(.object(json), status: .created)
    }
    var answer = Response(.object(json), status: .created)
    answer.headers[.setCookie] = cookie.setting(loggedIn.token.text)
    return answer
  }

  /// Who somebody is, without the token.
  private static func json(_ principal: Principal) -> JSON {
    [
      "user": [
        "name": .string(principal.name), "email": principal.email.map { .string($0) } ?? .null,
        "role": .string(principal.role.rawValue),
      ],
      "expires": .string(principal.expires.ISO8601Format()),
    ]
  }
}

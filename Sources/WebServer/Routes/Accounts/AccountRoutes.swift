import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON

extension APIServices {
  /// Registering, logging in and out.
  var accountRoutes: [Route] {
    [
      .post("/api/v1/accounts", by: .everyone, "Makes an account for the holder of a code.") {
        call in
        try await register(call)
      },
      .post("/api/v1/sessions", by: .everyone, "Logs in: a token for further requests.") { call in
        try await logIn(call)
      },
      .get("/api/v1/sessions/current", "Who is logged in.") { call in
        Response(try call.principal().json)
      },
      .delete("/api/v1/sessions/current", by: .permitted(.view), "Logs out.") { call in
        guard let caller = call.caller else { throw APIError(AccountError.notLoggedIn) }
        try await accountService.sessions.logOut(caller.token)
        var answer = Response(status: .noContent)
        if let cookies = call.cookies {
          answer.headers[.setCookie] = cookies.session.removing
          answer.headers[.clearSiteData] = "\"cache\", \"storage\""
        }
        return answer
      },
    ]
  }

  private func register(_ call: RequestContext) async throws -> Response {
    let fields = try call.fields("name", "email", "password", "setupCode", "invitation")
    let account = try await accountService.registration.register(
      RegistrationRequest(
        admission: try fields.admission(), name: try fields.requiredText("name"),
        email: try fields.requiredText("email"), password: try fields.requiredText("password")))
    return Response(
      [
        "user": [
          "name": .string(account.name.text), "email": .string(account.email.text),
          "role": .string(account.role.rawValue),
        ]
      ], status: .created)
  }

  private func logIn(_ call: RequestContext) async throws -> Response {
    let fields = try call.fields("email", "password", "request", "oneTimeCode", "code", "cookie")
    let cookies = try call.wantedCookies(fields)
    let loggedIn: LoggedIn
    if let code = try fields.text("oneTimeCode") {
      loggedIn = try await accountService.logIn(
        CodeCredentials(
          request: try fields.requiredText("request"), code: code,
          secondFactor: try fields.text("code")))
    } else {
      loggedIn = try await accountService.logIn(
        PasswordCredentials(
          email: try fields.requiredText("email"), password: try fields.requiredText("password"),
          secondFactor: try fields.text("code")))
    }
    // Whoever logs in anew leaves the session that they came with.
    if let old = call.token {
      do throws(AccountError) {
        try await accountService.sessions.logOut(old)
      } catch {
        // It had ended, or its end is not stored: it opens nothing in either case.
      }
    }
    return Response(loggedIn, cookies: cookies)
  }
}

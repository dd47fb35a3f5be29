import Accounts
import Devices
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import TheaterAPI

extension APIServices {
  /// Logging in and out, and one's own sessions.
  func respond(to endpoint: SessionEndpoint, _ request: RequestContext) async throws -> Response {
    switch endpoint {
    case .logIn: return try await logIn(request)
    case .enterAsGuest:
      let fields = try request.fields()
      let cookies = try request.requestedCookies(fields)
      let pass = try fields.requiredText("pass")
      let loggedIn = try await accountService.guestPasses.logIn(with: pass)
      await endSession(of: request)
      return Response(loggedIn, cookies: cookies)
    case .sendLoginCode:
      return Response(
        try await accountService.sendLoginCode(to: request.contact()).json, status: .accepted)
    case .currentSession: return try currentSession(request)
    case .logOut: return try await logOut(request)
    case .proveIdentity: return try await prove(request)
    case .sessions:
      let sessions = try await accountService.sessions.list(of: request.principal())
      return Response(["sessions": .array(sessions.map(\.json))])
    case .endSessions: return try await endSessions(request, exceptCurrent: false)
    case .endOtherSessions: return try await endSessions(request, exceptCurrent: true)
    case .endSession:
      try await accountService.sessions.end(
        SessionID(request.captured("id")), of: request.principal())
      return Response(status: .noContent)
    }
  }

  private func currentSession(_ request: RequestContext) throws -> Response {
    switch try request.caller() {
    case .token(let principal, _): return Response(principal.json)
    case .session(let principal, let token):
      var answer = Response(principal.json)
      if principal.isWallTablet, let cookies = request.cookies,
        cookies.session.value(in: request.request.headers) == token
      {
        answer.headers[.setCookie] = cookies.setCookieValue(token, of: principal)
      }
      return answer
    }
  }

  private func logIn(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let cookies = try request.requestedCookies(fields)
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
    await endSession(of: request)
    return Response(loggedIn, cookies: cookies)
  }

  /// Ends the session that a request came with: the one that it has opened takes its place.
  func endSession(of request: RequestContext) async {
    guard let old = request.sessionToken else { return }
    do throws(AccountError) {
      try await accountService.sessions.logOut(old)
    } catch {
      // It had ended already, or its end could not be stored: the token is of no use either way.
    }
  }

  private func logOut(_ request: RequestContext) async throws -> Response {
    try await accountService.sessions.logOut(request.session().token)
    var answer = Response(status: .noContent)
    if let cookies = request.cookies {
      answer.headers[.setCookie] = cookies.session.deletionValue
      answer.headers[.clearSiteData] = "\"cache\", \"storage\""
    }
    return answer
  }

  private func prove(_ request: RequestContext) async throws -> Response {
    let token = try request.session().token
    let fields = try request.fields()
    let cookies = try request.requestedCookies(fields)
    return Response(
      try await accountService.prove(
        token, password: try fields.requiredText("password"),
        secondFactor: try fields.text("code")),
      status: .ok, cookies: cookies)
  }

  private func endSessions(_ request: RequestContext, exceptCurrent: Bool) async throws -> Response
  {
    let principal = try request.principal()
    let revokes = try request.query("tokens", "keep or revoke") {
      ["keep": false, "revoke": true][$0]
    }
    var answer = JSONObject()
    if revokes == true {
      let revoked = try await accountService.tokens.revokeAll(of: principal)
      if revoked > 0 { answer["revokedTokens"] = .integer(revoked) }
    }
    answer["ended"] = .integer(
      try await accountService.sessions.endAll(of: principal, exceptCurrent: exceptCurrent))
    // A person who logs out everywhere is told of what still has access.
    let left = try await accountService.tokens.list(of: principal).count
    if left > 0 { answer["tokens"] = .integer(left) }
    return Response(.object(answer))
  }
}

extension RequestContext {
  /// The cookies for the session to be opened, if the body asks for them with `"cookie": true`.
  func requestedCookies(_ fields: BodyFields) throws(APIError) -> BrowserCookies? {
    guard try fields.flag("cookie") else { return nil }
    guard let cookies else {
      throw .invalid("cookies are for browsers, which cannot use this socket")
    }
    return cookies
  }

  /// The e-mail address or phone number that the body names, for a code.
  func contact() throws -> CodeDestination {
    let fields = try fields()
    let (email, phone) = (try fields.text("email"), try fields.text("phone"))
    guard (email == nil) != (phone == nil) else {
      throw APIError.invalid("give either \"email\" or \"phone\"")
    }
    return try CodeDestination(email: email, phone: phone)
  }
}

extension Response {
  /// The answer with a new session. Its tokens stand in the body, or in cookies for a browser.
  init(
    _ loggedIn: LoggedIn, status: HTTPResponse.Status = .created, cookies: BrowserCookies?
  ) {
    var json = loggedIn.principal.json.object ?? [:]
    guard let cookies else {
      json["token"] = .string(loggedIn.token.text)
      if let device = loggedIn.device { json["device"] = .string(device.text) }
      self.init(.object(json), status: status)
      return
    }
    self.init(.object(json), status: status)
    headers[values: .setCookie] = [
      cookies.setCookieValue(loggedIn.token.text, of: loggedIn.principal)
    ]
    if let device = loggedIn.device ?? DeviceToken.presented {
      headers[values: .setCookie].append(cookies.device.setCookieValue(device.text))
    }
  }
}

extension SessionPrincipal {
  /// The session as the component `Session`.
  fileprivate var json: JSON {
    var user: JSONObject = ["name": .string(name)]
    if let email { user["email"] = .string(email) }
    user["role"] = .string(role.rawValue)
    if let language { user["language"] = .string(language.rawValue) }
    var object: JSONObject = [
      "user": .object(user), "expires": .string(expires.ISO8601Format()),
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    if let pass {
      object["activities"] = .array(pass.activities.map { .string($0) })
      object["volumeLimit"] = .integer(pass.volumeLimit)
      if pass.isWallTablet { object["wallTablet"] = true }
    }
    return .object(object)
  }
}

extension OpenSession {
  var json: JSON {
    [
      "id": .string(session.id.text), "device": .string(session.origin.device),
      "address": .string(session.origin.address),
      "opened": .string(session.openedAt.ISO8601Format()),
      "lastSeen": .string(session.lastSeenAt.ISO8601Format()),
      "expires": .string(expires.ISO8601Format()), "current": .bool(isCurrent),
    ]
  }
}

extension CodeRequest {
  /// The request as the component `CodeRequest`.
  var json: JSON {
    [
      "request": .string(id.text), "digits": .integer(digits),
      "validFor": .integer(validity.wholeSeconds), "resendAfter": .integer(resendWait.wholeSeconds),
    ]
  }
}

import Devices

/// Logging in and out, and one's own sessions.
public enum SessionEndpoint: String, Endpoint {
  case logIn, enterAsGuest, sendLoginCode, currentSession, logOut, proveIdentity
  case sessions, endSessions, endOtherSessions, endSession

  public static let title = "Sessions"

  public var route: Route {
    switch self {
    case .logIn:
      Route(
        .post, "/sessions", .everyone,
        "Opens a session with e-mail address and password, or with a one-time code.",
        body: .json(
          .oneOf([
            .request(
              ["email": .email, "password": .password],
              optional: [
                "code": .secondFactorCode, "cookie": .cookie, "request": .null,
                "oneTimeCode": .null,
              ]),
            .request(
              ["request": .codeRequestID, "oneTimeCode": .sentCode],
              optional: [
                "code": .secondFactorCode, "cookie": .cookie, "email": .null, "password": .null,
              ]),
          ])),
        answers: [201: .json(.reference(.openedSession))], errors: [401, 429, 503, 507])
    case .enterAsGuest:
      Route(
        .post, "/guests/sessions", .everyone, "Opens a session for the holder of a guest pass.",
        body: .json(.request(["pass": .entryCode], optional: ["cookie": .cookie])),
        answers: [201: .json(.reference(.openedSession))], errors: [429, 503, 507])
    case .sendLoginCode:
      Route(
        .post, "/login-codes", .everyone, "Sends a one-time code to log in with.",
        body: .json(.contact), answers: [202: .json(.reference(.codeRequest))],
        errors: [409, 429, 503, 507])
    case .currentSession:
      Route(
        .get, "/sessions/current", .permitted(.view, tokens: .view), "Shows who is logged in.",
        answers: [200: .json(.reference(.session))])
    case .logOut:
      Route(
        .delete, "/sessions/current", .permitted(.view, tokens: .never),
        "Ends the session of the request.",
        answers: [204: .empty], errors: [503, 507])
    case .proveIdentity:
      Route(
        .post, "/sessions/current/proof", .permitted(.account, tokens: .never),
        "Replaces the session by a new one after its user has entered the password again.",
        body: .json(
          .request(
            ["password": .password], optional: ["code": .secondFactorCode, "cookie": .cookie])),
        answers: [200: .json(.reference(.openedSession))], errors: [429, 503, 507])
    case .sessions:
      Route(
        .get, "/sessions", .permitted(.account, tokens: .never),
        "Lists one's own sessions, the newest first.",
        answers: [200: .json(.reference(.openSessions))], errors: [503])
    case .endSessions:
      Route(
        .delete, "/sessions", .permitted(.account, tokens: .never),
        "Ends all of one's own sessions, this one too. Access tokens stay valid unless `tokens` says otherwise.",
        parameters: [.tokens],
        answers: [200: .json(.reference(.endedSessions))], errors: [422, 503, 507])
    case .endOtherSessions:
      Route(
        .delete, "/sessions/others", .permitted(.account, tokens: .never),
        "Ends all of one's own sessions but this one. Access tokens stay valid unless `tokens` says otherwise.",
        parameters: [.tokens],
        answers: [200: .json(.reference(.endedSessions))], errors: [422, 503, 507])
    case .endSession:
      Route(
        .delete, "/sessions/{id}", .permitted(.account, tokens: .never),
        "Ends one of one's own sessions.",
        answers: [204: .empty], errors: [503, 507])
    }
  }
}

extension Route.Parameter {
  /// What becomes of the access tokens when sessions end.
  fileprivate static let tokens = Route.Parameter(
    name: "tokens", place: .query, schema: .words(["keep", "revoke"]),
    help: "Whether one's own access tokens are revoked, too; they are kept without it.")
}

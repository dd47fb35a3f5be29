import AccountFlows
import JSON
import TheaterAPI

/// The login service of this user's controller.
struct RemoteLogin: LoginService {
  let theater: RemoteTheater
  /// Where codes for a login by code are sent.
  var contact = CodeContact.email

  func requestCode(for address: String) async throws(ScreenFailure) -> CodeTicket {
    try await theater.requestCode(
      at: SessionEndpoint.sendLoginCode.path(), .object(contact.member(address)), for: address,
      isSilent: true)
  }

  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer {
    var body: JSONObject
    switch credentials.proof {
    case .password(let password, let email):
      body = ["email": .string(email), "password": .string(password)]
    case .oneTimeCode(let code, let request):
      body = ["request": .string(request), "oneTimeCode": .string(code)]
    }
    if let code = credentials.code { body["code"] = .string(code) }
    let answer: JSON
    do {
      answer = try await theater.post(SessionEndpoint.logIn.path(), for: .object(body))
    } catch {
      if case .refused(let refusal) = error, refusal.code == "secondFactorNeeded" {
        return .secondFactorNeeded
      }
      throw error
    }
    let (person, secret) = try theater.openedSession(answer)
    return .loggedIn(person, secret)
  }
}

extension RemoteTheater {
  /// Reads the response with a new session, and saves the secret of this terminal as a known device.
  /// - Throws: `network`; `notKept`.
  func openedSession(_ answer: JSON) throws(ScreenFailure) -> (LoggedInPerson, SessionSecret) {
    guard let token = answer["token"]?.string else {
      throw .network("The controller gave no token.")
    }
    do {
      try saveDeviceToken(from: answer)
    } catch {
      throw .notKept(error.text)
    }
    let user = answer["user"]
    let person = LoggedInPerson(
      name: user?["name"]?.string ?? "?", email: user?["email"]?.string ?? "?")
    return (person, SessionSecret(token))
  }
}

extension TokenFile: TokenStore {
  func save(_ token: SessionSecret) throws(ScreenFailure) {
    do {
      try write(token.text)
    } catch {
      throw .notKept(error.text)
    }
  }
}

/// Sets a forgotten password with an accepted code, which stays valid until a password is accepted.
struct RemotePasswordReset: NewPasswordService {
  let codes: RemoteCodes
  let code: CodeScreen

  func set(_ password: TypedPassword) async throws(ScreenFailure) {
    _ = try await codes.confirm(
      code.code, of: code.ticket.request, ["newPassword": .string(password.text)])
  }
}

/// Changes a password; requires the present one.
struct RemotePasswordChange: NewPasswordService {
  let theater: RemoteTheater
  let present: String

  func set(_ password: TypedPassword) async throws(ScreenFailure) {
    _ = try await theater.post(
      AccountEndpoint.changePassword.path(),
      for: ["password": .string(present), "newPassword": .string(password.text)])
  }
}

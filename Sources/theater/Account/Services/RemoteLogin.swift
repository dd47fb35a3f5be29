import AccountScreens
import JSON

/// Logs in at the controller of this user.
struct RemoteLogin: LoginService {
  let theater: RemoteTheater

  func logIn(_ credentials: Credentials) async throws(ScreenFailure) -> LoginAnswer {
    var body: JSONObject = [
      "email": .string(credentials.email), "password": .string(credentials.password),
    ]
    if let code = credentials.code { body["code"] = .string(code) }
    let answer: JSON
    do {
      answer = try await theater.post("/api/sessions", for: .object(body))
    } catch {
      if case .refused(let refusal) = error, refusal.code == "secondFactorNeeded" {
        return .secondFactorNeeded
      }
      throw error
    }
    guard let token = answer["token"]?.string else {
      throw .network("The controller gave no token.")
    }
    do {
      try theater.keepDevice(of: answer)
    } catch {
      throw .notKept(error.text)
    }
    let user = answer["user"]
    return .loggedIn(
      LoggedIn(
        name: user?["name"]?.string ?? credentials.email,
        email: user?["email"]?.string ?? credentials.email), SessionSecret(token))
  }
}

extension TokenFile: TokenKeeper {
  func keep(_ token: SessionSecret) throws(ScreenFailure) {
    do {
      try write(token.text)
    } catch {
      throw .notKept(error.text)
    }
  }
}

import AccountScreens
import JSON

/// Registers with the controller of this user.
struct RemoteRegistration: RegistrationService {
  /// What lets a person in.
  enum Admission: Sendable {
    case setupCode(String)
    case invitation(String)
  }

  let theater: RemoteTheater
  let admission: Admission

  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered {
    var body: JSONObject = [
      "name": .string(person.name), "email": .string(person.email),
      "password": .string(person.password),
    ]
    switch admission {
    case .setupCode(let code): body["setupCode"] = .string(code)
    case .invitation(let code): body["invitation"] = .string(code)
    }
    let user = try await theater.post("/api/accounts", for: .object(body))["user"]
    return Registered(
      name: user?["name"]?.string ?? person.name, email: user?["email"]?.string ?? person.email,
      role: user?["role"]?.string ?? "member")
  }
}

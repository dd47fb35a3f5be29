import AccountFlows
import JSON
import TheaterAPI
import Validation

/// The registration service of this user's controller.
struct RemoteRegistration: RegistrationService {
  let theater: RemoteTheater
  let code: RegistrationCode

  /// Fetches the controller's rules for names, addresses and passwords, in the terminal's language.
  static func rules(of theater: RemoteTheater) async throws -> RuleSet {
    let answer = try await theater.get(AccountEndpoint.validationRules.path())
    guard answer["format"]?.integer == RuleSet.format,
      var rules = try? RuleSet(answer["rules"] ?? .null)
    else {
      throw ExitError(
        .failed, "this program does not understand the controller's rules",
        hint: "Use the program that came with the controller.")
    }
    rules[.accept] = .accept
    return Texts.current.worded(rules)
  }

  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered {
    var body: JSONObject = [
      "name": .string(person.name), "email": .string(person.email),
      "password": .string(person.password),
    ]
    body.insert(code)
    let user = try await theater.post(AccountEndpoint.register.path(), for: .object(body))["user"]
    return Registered(
      name: user?["name"]?.string ?? person.name, email: user?["email"]?.string ?? person.email,
      role: user?["role"]?.string ?? "member")
  }

  func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool {
    var body: JSONObject = ["question": .string(question), "text": .string(text)]
    body.insert(code)
    let answer = try await theater.post(AccountEndpoint.answerQuestion.path(), for: .object(body))[
      "answer"]
    guard let answer = answer?.bool else { throw .network("The controller gave no answer.") }
    return answer
  }
}

/// The registration by code of this user's controller (D10).
struct RemoteCodeRegistration: CodeRegistrationService {
  let codes: RemoteCodes

  func requestCode(for address: String) async throws(ScreenFailure) -> CodeTicket {
    try await codes.requestCode(for: address)
  }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    try await codes.verify(code, request: request)
  }

  func register(
    _ person: NewPerson, code: String, request: String
  ) async throws(ScreenFailure) -> LoggedInPerson {
    let answer = try await codes.confirm(
      code, of: request,
      [
        "name": .string(person.name), "email": .string(person.email),
        "password": .string(person.password),
      ])
    let (loggedIn, secret) = try codes.theater.openedSession(answer)
    try codes.theater.session.save(secret)
    return loggedIn
  }
}

extension JSONObject {
  /// Adds the code that admits the person.
  fileprivate mutating func insert(_ code: RegistrationCode) {
    switch code {
    case .setupCode(let code): self["setupCode"] = .string(code)
    case .invitation(let code): self["invitation"] = .string(code)
    }
  }
}

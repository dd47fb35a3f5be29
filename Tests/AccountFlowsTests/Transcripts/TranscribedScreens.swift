import JSON
import TestSupport
import Validation

@testable import AccountFlows

private let failures: [ScreenFailure] = [
  .network("no route"), .refusal("throttled", retryAfter: 3), .refusal("internal"),
]

extension Form {
  /// Text, display and validity of each field.
  var state: JSON {
    var object: JSONObject = [:]
    for name in fieldNames {
      guard let field = self[name] else { continue }
      object[name.text] = [
        "text": .string(field.text), "display": .string(field.display.rawValue),
        "isValid": .bool(field.isValid),
      ]
    }
    return .object(object)
  }
}

func outputJSON(_ name: String, _ value: JSON = true) -> JSON {
  ["tell": .string(name), "value": value]
}

// MARK: The code

extension CodeRequestScreen.Output {
  fileprivate var json: JSON {
    switch self {
    case .canSubmit(let can): outputJSON("contact.canSubmit", .bool(can))
    case .loading(let isLoading): outputJSON("contact.loading", .bool(isLoading))
    case .failure(let failure): outputJSON("contact.failure", .string(failure.summary))
    case .codeSent: outputJSON("contact.codeSent")
    }
  }
}

extension CodeScreen.Output {
  var json: JSON {
    switch self {
    case .authorized: outputJSON("code.authorized")
    case .loading(let isLoading): outputJSON("code.loading", .bool(isLoading))
    case .failure(let failure): outputJSON("code.failure", .string(failure.summary))
    case .countdown(let seconds): outputJSON("code.countdown", .integer(seconds))
    case .countdownIsRunning(let isRunning): outputJSON("code.countdownIsRunning", .bool(isRunning))
    case .newCodeRequested: outputJSON("code.newCodeRequested")
    }
  }
}

extension CodeFlow.Output {
  fileprivate var json: JSON {
    switch self {
    case .step(let step): outputJSON("step", .string("\(step)"))
    case .contact(let output): output.json
    case .code(let output): output.json
    }
  }
}

extension CodeFlow {
  /// An input of the person at the step that is shown, seldom of the other one.
  fileprivate func nextInput(
    _ numbers: inout SeededNumbers
  ) -> (input: Input, type: String, members: JSONObject) {
    let isOnContactScreen =
      Int.random(in: 0..<12, using: &numbers) == 0 ? step == .code : step == .contact
    if isOnContactScreen {
      let text = ["", "ann", "ann@example.org", "ann@example.org", "bo@example.org"].pick(&numbers)
      return Int.random(in: 0..<3, using: &numbers) > 0
        ? (.contact(.typed(text)), "typedContact", ["text": .string(text)])
        : (.contact(.submit), "submitContact", [:])
    }
    let text = ["1", "12345", "123456", "12 34 56", "654321", "12345x", ""].pick(&numbers)
    return switch Int.random(in: 0..<8, using: &numbers) {
    case 0...3: (.code(.typed(text)), "typedCode", ["text": .string(text)])
    case 4: (.code(.submit), "submitCode", [:])
    case 5, 6: (.code(.sendAgain), "sendAgain", [:])
    default: (.back, "back", [:])
    }
  }

  /// The answer to a request for a code.
  fileprivate static func sent(
    _ numbers: inout SeededNumbers
  ) -> (result: Result<CodeTicket, ScreenFailure>, members: JSONObject) {
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      let failure = failures.pick(&numbers)
      return (.failure(failure), ["failure": failure.json])
    }
    let request = "r\(Int.random(in: 1...99, using: &numbers))"
    let wait = [2, 2, 2, 5].pick(&numbers)
    return (
      .success(CodeTicket(request: request, wait: wait)),
      ["ticket": ["request": .string(request), "length": 6, "wait": .integer(wait)]]
    )
  }

  fileprivate static func refusedCode(_ numbers: inout SeededNumbers) -> ScreenFailure {
    let left = Int.random(in: 1...4, using: &numbers)
    return (failures + [.refusal("codeWrong", triesLeft: left), .refusal("codeInvalid")])
      .pick(&numbers)
  }

  fileprivate var flowState: JSON {
    var object: JSONObject = [
      "step": .string("\(step)"), "canSubmit": .bool(canSubmit), "isLoading": .bool(isLoading),
      "isOver": .bool(isOver), "failure": failure.json, "contact": .string(contactScreen.contact),
    ]
    object["code"] =
      code.map {
        [
          "text": .string($0.code), "countdown": .integer($0.countdown),
          "canSendAgain": .bool($0.canSendAgain), "isLocked": .bool($0.isLocked),
          "triesLeft": $0.triesLeft.map { .integer($0) } ?? .null,
        ]
      } ?? .null
    return .object(object)
  }
}

extension CodeFlow: TranscribedScreen {
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    guard let index = pending.indices.randomElement(using: &numbers),
      isLoading || Int.random(in: 0..<3, using: &numbers) == 0
    else {
      let (input, type, members) = nextInput(&numbers)
      return TranscribedEvent(input, type, members)
    }
    switch pending[index] {
    case .request:
      let (result, members) = Self.sent(&numbers)
      return TranscribedEvent(.requested(result), to: index, "requested", members)
    case .verify:
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        return TranscribedEvent(.verified(.success(.done)), to: index, "verified")
      }
      let failure = Self.refusedCode(&numbers)
      return TranscribedEvent(
        .verified(.failure(failure)), to: index, "verified", ["failure": failure.json])
    case .tick(let deadline):
      return TranscribedEvent(.ticked, to: index, "ticked", earliest: deadline)
    }
  }

  static func json(of output: Output) -> JSON { output.json }
  static func json(of work: Work) -> JSON {
    switch work {
    case .request(let contact): ["start": "request", "contact": .string(contact)]
    case .verify(let code, let request):
      ["start": "verify", "code": .string(code), "request": .string(request)]
    case .tick(let deadline): ["start": "tick", "at": .integer(deadline.milliseconds)]
    }
  }
  static func isAnswered(_ work: Work) -> Bool { true }
  var state: JSON { flowState }
}

// MARK: The login

extension LoginScreen: TranscribedScreen {
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    guard let index = pending.indices.randomElement(using: &numbers),
      isLoading || Int.random(in: 0..<3, using: &numbers) == 0
    else { return nextInput(&numbers) }
    switch pending[index] {
    case .logIn:
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0:
        return TranscribedEvent(
          .loggedIn(.success(LoggedInPerson(name: "Ann", email: "ann@example.org"))), to: index,
          "loggedIn", ["person": "Ann"])
      case 1, 2:
        return TranscribedEvent(
          .loggedIn(.success(nil)), to: index, "loggedIn", ["secondFactorNeeded": true])
      default:
        let more: [ScreenFailure] = [
          .refusal("wrongCredentials"), .refusal("invalid", field: "email"), .notKept("disk full"),
          .refusal("codeWrong", triesLeft: 2),
        ]
        let failure = (failures + more).pick(&numbers)
        return TranscribedEvent(
          .loggedIn(.failure(failure)), to: index, "loggedIn", ["failure": failure.json])
      }
    case .requestCode:
      let (result, members) = CodeFlow.sent(&numbers)
      return TranscribedEvent(.codeRequested(result), to: index, "requested", members)
    case .tick(let deadline):
      return TranscribedEvent(.ticked, to: index, "ticked", earliest: deadline)
    }
  }

  private func nextInput(_ numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    let pick = Int.random(in: 0..<20, using: &numbers)
    if canSubmit, pick > 10 {
      return step == .oneTimeCode
        ? TranscribedEvent(
          .oneTime(oneTime?.step == .contact ? .contact(.submit) : .code(.submit)),
          oneTime?.step == .contact ? "submitContact" : "submitCode")
        : TranscribedEvent(.submit, "submit")
    }
    let leaves = Int.random(in: 0..<30, using: &numbers) == 0
    if leaves, let exit = Exit.allCases.randomElement(using: &numbers) {
      return TranscribedEvent(.leave(for: exit), "leave", ["for": .string("\(exit)")])
    }
    // Seldom an input of a step that is not shown.
    switch pick == 1 ? [Step.password, .oneTimeCode, .secondFactor].pick(&numbers) : step {
    case .password:
      let field = [FieldName.email, .password].pick(&numbers)
      let text =
        (field == .email
        ? ["", "ann@", "ann@example.org", "ann@example.org"] : ["", "x", "a long evening"])
        .pick(&numbers)
      return switch pick % 5 {
      case 0...2:
        TranscribedEvent(
          .typed(field, text), "typed", ["field": .string(field.text), "text": .string(text)])
      case 3: TranscribedEvent(.left(field), "left", ["field": .string(field.text)])
      default: TranscribedEvent(.submit, "submit")
      }
    case .oneTimeCode:
      let (input, type, members) =
        oneTime?.nextInput(&numbers) ?? (.code(.sendAgain), "sendAgain", [:])
      return TranscribedEvent(.oneTime(input), type, members)
    case .secondFactor:
      let text = ["1", "123456", "123 456", "abcd-efgh", ""].pick(&numbers)
      return switch pick % 6 {
      case 0...2: TranscribedEvent(.code(text), "typedFactor", ["text": .string(text)])
      case 3, 4: TranscribedEvent(.submit, "submit")
      default: TranscribedEvent(.back, "backFromFactor")
      }
    }
  }

  static func json(of output: Output) -> JSON {
    switch output {
    case .canSubmit(let can): outputJSON("canSubmit", .bool(can))
    case .loading(let isLoading): outputJSON("loading", .bool(isLoading))
    case .failure(let failure): outputJSON("failure", .string(failure.summary))
    case .oneTime(let output): output.json
    case .codeNeeded: outputJSON("codeNeeded")
    case .loggedIn(let person): outputJSON("loggedIn", .string(person.name))
    case .left(let exit): outputJSON("left", .string("\(exit)"))
    }
  }

  static func json(of work: Work) -> JSON {
    switch work {
    case .logIn(let credentials):
      var object: JSONObject = ["start": "logIn"]
      switch credentials.proof {
      case .password(let password, let email):
        object["email"] = .string(email)
        object["password"] = .string(password)
      case .oneTimeCode(let code, let request):
        object["oneTimeCode"] = .string(code)
        object["request"] = .string(request)
      }
      if let code = credentials.code { object["code"] = .string(code) }
      return .object(object)
    case .requestCode(let contact): return ["start": "request", "contact": .string(contact)]
    case .tick(let deadline): return ["start": "tick", "at": .integer(deadline.milliseconds)]
    }
  }
  static func isAnswered(_ work: Work) -> Bool { true }

  var state: JSON {
    [
      "step": .string("\(step)"), "canSubmit": .bool(canSubmit), "isLoading": .bool(isLoading),
      "isOver": .bool(isOver), "failure": failure.json, "factor": .string(code),
      "fields": form.state, "oneTime": oneTime.map(\.flowState) ?? .null,
    ]
  }
}

// MARK: Registration

extension RegistrationWizard: TranscribedScreen {
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    guard let index = pending.indices.randomElement(using: &numbers),
      isLoading || Int.random(in: 0..<2, using: &numbers) == 0
    else { return nextInput(&numbers) }
    switch pending[index] {
    case .ask(let question):
      let ticket: JSON = [
        "field": .string(question.ticket.field.text), "number": .integer(question.ticket.number),
      ]
      if Int.random(in: 0..<5, using: &numbers) == 0 {
        let failure = failures.pick(&numbers)
        return TranscribedEvent(
          .answered(question.ticket, .failure(failure)), to: index, "answered",
          ["ticket": ticket, "failure": failure.json])
      }
      let isFree = Int.random(in: 0..<4, using: &numbers) > 0
      return TranscribedEvent(
        .answered(question.ticket, .success(isFree)), to: index, "answered",
        ["ticket": ticket, "answer": .bool(isFree)])
    case .register:
      let more: [ScreenFailure] = [
        .refusal("taken", field: "email"), .refusal("invalid", field: "name"),
        .refusal("invalid", field: "password"), .refusal("storageFull"),
      ]
      if Int.random(in: 0..<4, using: &numbers) == 0 {
        return TranscribedEvent(
          .registered(
            .success(Registered(name: "Ann", email: "ann@example.org", role: "member"))),
          to: index, "registered", ["person": "Ann"])
      }
      let failure = (failures + more).pick(&numbers)
      return TranscribedEvent(
        .registered(.failure(failure)), to: index, "registered", ["failure": failure.json])
    case .withdraw:
      return TranscribedEvent(.back, "back")
    }
  }

  private func nextInput(_ numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    let pick = Int.random(in: 0..<20, using: &numbers)
    if canGoOn, pick > 8 { return TranscribedEvent(.next, "next") }
    let isElsewhere = pick == 0
    let fields = isElsewhere ? [FieldName.name, .email, .password] : step.fields
    let field = fields.pick(&numbers)
    switch pick {
    case 1: return TranscribedEvent(.back, "back")
    case 2...4: return TranscribedEvent(.left(field), "left", ["field": .string(field.text)])
    case 5...9: return TranscribedEvent(.next, "next")
    default:
      let texts =
        switch field {
        case .name: ["", " ", "Ann", "Bo", "Ann", "Bo"]
        case .email: ["", "ann@", "ann@example.org", "ann@example.org", "bo@example.org"]
        default: ["", "short", Self.password, Self.password, Self.password]
        }
      let text = texts.pick(&numbers)
      return TranscribedEvent(
        .typed(field, text), "typed", ["field": .string(field.text), "text": .string(text)])
    }
  }

  private static let password = "four Lions in 1 cinema!"

  static func json(of output: Output) -> JSON {
    switch output {
    case .step(let step): outputJSON("step", .string(step.rawValue))
    case .canGoOn(let can): outputJSON("canGoOn", .bool(can))
    case .loading(let isLoading): outputJSON("loading", .bool(isLoading))
    case .outcome(let outcome): outputJSON("outcome", .string(outcome.summary))
    }
  }

  static func json(of work: Work) -> JSON {
    switch work {
    case .register(let person):
      [
        "start": "register", "name": .string(person.name), "email": .string(person.email),
        "password": .string(person.password),
      ]
    case .ask(let question):
      [
        "start": "ask", "field": .string(question.ticket.field.text),
        "question": .string(question.ticket.question),
        "number": .integer(question.ticket.number), "text": .string(question.text),
      ]
    case .withdraw(let ticket): ["start": "withdraw", "number": .integer(ticket.number)]
    }
  }
  static func isAnswered(_ work: Work) -> Bool {
    if case .withdraw = work { false } else { true }
  }

  var state: JSON {
    [
      "step": .string(step.rawValue), "canGoOn": .bool(canGoOn), "canGoBack": .bool(canGoBack),
      "isLoading": .bool(isLoading), "isOver": .bool(isOver),
      "outcome": outcome.map { .string($0.summary) } ?? .null, "fields": form.state,
    ]
  }
}

extension RegistrationOutcome {
  fileprivate var summary: String {
    switch self {
    case .success: "success"
    case .mismatch: "mismatch"
    case .empty: "empty"
    case .taken: "taken"
    case .internalError: "internalError"
    case .failed(let failure): "failed \(failure.summary)"
    }
  }
}

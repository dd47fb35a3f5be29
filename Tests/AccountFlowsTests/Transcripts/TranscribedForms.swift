import JSON
import TestSupport
import Validation

@testable import AccountFlows

private let failures: [ScreenFailure] = [
  .network("no route"), .refusal("throttled", retryAfter: 3), .refusal("wrongPassword"),
]

// MARK: Contacts

extension ContactSettings: TranscribedScreen {
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    guard let index = pending.indices.randomElement(using: &numbers),
      isLoading || Int.random(in: 0..<3, using: &numbers) == 0
    else { return nextInput(&numbers) }
    switch pending[index] {
    case .prove:
      guard Int.random(in: 0..<3, using: &numbers) == 0 else {
        return TranscribedEvent(.proved(nil), to: index, "proved")
      }
      let failure = (failures + [.refusal("secondFactorNeeded")]).pick(&numbers)
      return TranscribedEvent(
        .proved(failure), to: index, "proved", ["failure": failure.json])
    case .code(let contact, let work): return answer(to: work, of: contact, at: index, &numbers)
    }
  }

  private func answer(
    to work: CodeFlow.Work, of contact: CodeContact, at index: Int,
    _ numbers: inout SeededNumbers
  ) -> TranscribedEvent<Self> {
    var members: JSONObject = ["contact": .string(contact.rawValue)]
    switch work {
    case .request:
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        let failure = (failures + [.refusal("proofNeeded")]).pick(&numbers)
        members["failure"] = failure.json
        return TranscribedEvent(
          .code(contact, .requested(.failure(failure))), to: index, "requested", members)
      }
      let request = "r\(Int.random(in: 1...99, using: &numbers))"
      members["ticket"] = ["request": .string(request), "length": 6, "wait": 2]
      return TranscribedEvent(
        .code(contact, .requested(.success(CodeTicket(request: request, wait: 2)))), to: index,
        "requested", members)
    case .verify:
      if Int.random(in: 0..<2, using: &numbers) == 0 {
        return TranscribedEvent(
          .code(contact, .verified(.success(.done))), to: index, "verified", members)
      }
      let failure = (failures + [.refusal("codeWrong", triesLeft: 2)]).pick(&numbers)
      members["failure"] = failure.json
      return TranscribedEvent(
        .code(contact, .verified(.failure(failure))), to: index, "verified", members)
    case .tick(let deadline):
      return TranscribedEvent(
        .code(contact, .ticked), to: index, "ticked", members, earliest: deadline)
    }
  }

  private func nextInput(_ numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    let pick = Int.random(in: 0..<20, using: &numbers)
    // Seldom an input of the step that is not shown.
    if (step == .code) == (pick > 0) { return codeInput(pick, &numbers) }
    switch pick {
    case 0...9:
      let texts: [FieldName: [String]] = [
        .email: ["ann@", "ann@example.org", "bo@example.org", ""],
        .password: ["", "a long evening", "a long evening"],
        .phone: ["+49 170", "+49 170 1234567", "+380 67 123 4567"], .factor: ["123456", ""],
      ]
      let field = form.fieldNames.pick(&numbers)
      let text = (texts[field] ?? [""]).pick(&numbers)
      return TranscribedEvent(
        .typed(field, text), "typed", ["field": .string(field.text), "text": .string(text)])
    case 10, 11:
      let field = form.fieldNames.pick(&numbers)
      return TranscribedEvent(.left(field), "left", ["field": .string(field.text)])
    case 12...15: return TranscribedEvent(.register, "register")
    default: return TranscribedEvent(.sendCode, "sendCode")
    }
  }

  private func codeInput(_ pick: Int, _ numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    switch pick {
    case 0...11:
      let text = ["1", "123456", "12 34 56", "654321", ""].pick(&numbers)
      return TranscribedEvent(.code(.typed(text)), "typedCode", ["text": .string(text)])
    case 12, 13: return TranscribedEvent(.code(.submit), "submitCode")
    case 14...16: return TranscribedEvent(.code(.sendAgain), "sendAgain")
    default: return TranscribedEvent(.back, "back")
    }
  }

  static func json(of output: Output) -> JSON {
    switch output {
    case .control(let control, let isEnabled):
      outputJSON("control \(control)", .bool(isEnabled))
    case .loading(let isLoading): outputJSON("loading", .bool(isLoading))
    case .step(let step): outputJSON("step", .string(step.rawValue))
    case .failure(let failure): outputJSON("failure", .string(failure.summary))
    case .code(let output): output.json
    case .verified(let contact): outputJSON("verified", .string(contact.rawValue))
    }
  }

  static func json(of work: Work) -> JSON {
    switch work {
    case .prove(let proof):
      var object: JSONObject = ["start": "prove", "password": .string(proof.password)]
      if let factor = proof.factor { object["factor"] = .string(factor) }
      return .object(object)
    case .code(let contact, let work):
      var object = CodeFlow.json(of: work).object ?? [:]
      object["of"] = .string(contact.rawValue)
      return .object(object)
    }
  }
  static func isAnswered(_ work: Work) -> Bool { true }

  var state: JSON {
    [
      "step": .string(step.rawValue), "canRegister": .bool(isEnabled(.register)),
      "canSendCode": .bool(isEnabled(.sendCode)), "isLoading": .bool(isLoading),
      "isOver": .bool(isOver), "failure": failure.json, "fields": form.state,
      "email": .string(contacts.email), "isEmailVerified": .bool(contacts.isEmailVerified),
      "phone": .string(contacts.phone ?? ""),
      "contact": contact.map { .string($0.rawValue) } ?? .null,
      "code": code.map { .string($0.code) } ?? .null,
    ]
  }
}

// MARK: The access token

extension AccessTokenScreen: TranscribedScreen {
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self> {
    let texts: [FieldName: [String]] = [
      .name: ["", "doorbell", "doorbell", String(repeating: "x", count: 101)],
      .permissions: ["", ",", "pause,resume", "pause, scene:film"],
      .days: ["", "0", "1", "90", "730", "731", "12.5", "-3", "many"],
    ]
    let field = form.fieldNames.pick(&numbers)
    switch Int.random(in: 0..<8, using: &numbers) {
    case 0: return TranscribedEvent(.submit, "submit")
    case 1: return TranscribedEvent(.left(field), "left", ["field": .string(field.text)])
    default:
      let text = (texts[field] ?? [""]).pick(&numbers)
      return TranscribedEvent(
        .typed(field, text), "typed", ["field": .string(field.text), "text": .string(text)])
    }
  }

  static func json(of output: Output) -> JSON {
    switch output {
    case .canSubmit(let can): outputJSON("canSubmit", .bool(can))
    case .chosen(let token):
      outputJSON(
        "chosen",
        [
          "name": .string(token.name), "may": .array(token.permissions.map { .string($0) }),
          "days": .integer(token.days),
        ])
    }
  }

  static func json(of work: Work) -> JSON {}
  static func isAnswered(_ work: Work) -> Bool {}
  var state: JSON {
    ["canSubmit": .bool(canSubmit), "isOver": .bool(isOver), "fields": form.state]
  }
}

import Accounts
import Hummingbird
import JSON
import Validation

extension APIServices {
  /// The rules that the server keeps, for front ends that show them while a person types.
  ///
  /// Open to everyone: they lead to registering, and tell nothing of who lives here.
  var validationRoutes: [Route] {
    [
      .get(
        "/api/v1/validation", by: .everyone, "The rules for names, addresses and passwords."
      ) { _ in
        Response(["format": .integer(RuleSet.format), "rules": accountService.rules.json])
      },
      .get(
        "/api/v1/validation/blocklist", by: .everyone,
        "The common passwords that the rule notInBlocklist refuses."
      ) { _ in
        Response([
          "format": .integer(RuleSet.format),
          "entries": .array(Blocklist.entries.map { .string(String($0)) }),
        ])
      },
      .post(
        "/api/v1/validation/answers", by: .everyone,
        "Answers what a rule asks about a text, to the holder of a code."
      ) { call in
        let fields = try call.fields("question", "text", "setupCode", "invitation")
        let name = try fields.requiredText("question")
        guard let question = AnsweredQuestion(rawValue: name) else {
          throw APIError.invalid(
            "there is no question \"\(name.quotation)\"",
            hint: "There is \(AnsweredQuestion.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return Response([
          "answer": .bool(
            try await accountService.registration.answer(
              question, about: fields.requiredText("text"), for: fields.admission()))
        ])
      },
    ]
  }
}

extension BodyFields {
  /// What admits a person to registering: one of two codes.
  func admission() throws(APIError) -> Accounts.Admission {
    switch (try text("setupCode"), try text("invitation")) {
    case (let code?, nil): return .setupCode(code)
    case (nil, let code?): return .invitation(code)
    default:
      throw .invalid(
        "give either \"setupCode\" or \"invitation\"",
        hint: "The first account takes the setup code from the controller's console.")
    }
  }
}

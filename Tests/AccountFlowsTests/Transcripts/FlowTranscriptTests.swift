import JSON
import TestSupport
import Testing
import Validation

@testable import AccountFlows

/// The page implements these screens in JavaScript. Both implementations must produce the same
/// transcripts.
@Suite struct FlowTranscriptTests {
  private static let contact = FieldDeclaration(
    .email, label: "e-mail address", rules: [Rule(.email)])
  /// The standard rules, and the rule that asks the server whether an address is free (E6).
  private static let rules: [FieldDeclaration] = RegistrationWizard.Step.allCases
    .flatMap(\.fields).map { name in
      var declaration = RuleSet.standard[name]
      if name == .email { declaration.rules.append(Rule(.asked("emailFree"))) }
      return declaration
    }

  private static let ruleSet = RuleSet("standard", fields: rules)
  private static let contacts = [
    AccountContacts(email: "ann@example.org", isEmailVerified: true),
    AccountContacts(email: "ann@example.org", isEmailVerified: false, phone: "+49 170 1234567"),
  ]

  private static let transcripts: [Transcript] =
    (1...60).map { Transcript("login", of: LoginScreen(), seed: $0, events: 24) }
    + (1...30).map {
      Transcript("loginByCode", of: LoginScreen(byCode: CodeFlow(contact)), seed: $0, events: 40)
    }
    + (1...40).map { Transcript("code", of: CodeFlow(contact), seed: $0, events: 40) }
    + (1...50).map {
      Transcript(
        "registration", of: RegistrationWizard(ruleSet), seed: $0, events: 40)
    }
    + (1...60).map {
      Transcript(
        "contacts\($0 % 2)", of: ContactSettings(contacts[$0 % 2], ruleSet), seed: $0, events: 50)
    }
    + (1...20).map { Transcript("accessToken", of: AccessTokenScreen(), seed: $0, events: 20) }

  private static var text: String {
    // One line for each event, so that a changed screen shows as a readable diff.
    let forms = JSON.array(AccountForm.allCases.map { $0.declaration(ruleSet).json }).text()
    let transcripts = transcripts.map { transcript in
      let lines = transcript.lines.map { "    \($0.text())" }.joined(separator: ",\n")
      return "  {\"flow\":\"\(transcript.flow)\",\"lines\":[\n\(lines)]}"
    }
    return "{\"forms\":\(forms),\n\"transcripts\":[\n\(transcripts.joined(separator: ",\n"))]}\n"
  }

  @Test(
    "A1 A5 B7 B8 D1 D6 E6 E7 · the transcripts that the page is tested with are those of the screens"
  )
  func transcripts() throws {
    try ProjectFile.expect(
      "Tests/AccountFlowsTests/Transcripts/flow-transcripts.json", toBe: Self.text)
  }

  @Test(
    "A1 A5 B7 B8 D1 D6 E6 E7 · the transcripts hold every event, every outcome and every failure")
  func coverage() {
    #expect(Self.transcripts.count >= 150)
    func found(_ flow: String, _ key: String, _ member: String) -> Set<String> {
      Set(
        Self.transcripts.filter { $0.flow == flow }.flatMap(\.lines).flatMap { line -> [String] in
          guard let part = line.object?[key] else { return [] }
          return (part.array ?? [part]).compactMap { $0.object?[member]?.string }
        })
    }
    #expect(
      found("login", "event", "type") == [
        "appeared", "typed", "left", "submit", "typedFactor", "backFromFactor", "leave", "loggedIn",
        "sendAgain",
      ])
    #expect(
      found("loginByCode", "event", "type").isSuperset(of: [
        "typedContact", "submitContact", "typedCode", "sendAgain", "back", "requested", "ticked",
        "loggedIn", "typedFactor", "backFromFactor", "leave",
      ]))
    #expect(
      found("code", "event", "type") == [
        "appeared", "typedContact", "submitContact", "typedCode", "submitCode", "sendAgain", "back",
        "requested", "verified", "ticked",
      ])
    #expect(
      found("registration", "event", "type") == [
        "appeared", "typed", "left", "next", "back", "answered", "registered",
      ])
    #expect(
      found("contacts0", "event", "type") == [
        "appeared", "typed", "left", "register", "sendCode", "proved", "requested", "verified",
        "ticked", "typedCode", "submitCode", "sendAgain", "back",
      ])
    #expect(
      found("contacts1", "effects", "value").isSuperset(of: [
        "form", "code", "email", "phone", "network", "refused secondFactorNeeded",
        "refused proofNeeded", "refused codeWrong",
      ]))
    #expect(
      found("accessToken", "event", "type") == ["appeared", "typed", "left", "submit"])
    #expect(
      found("login", "effects", "value").isSuperset(of: [
        "network", "notKept", "refused wrongCredentials", "refused throttled", "refused internal",
        "refused codeWrong", "registration", "forgottenPassword", "oneTimeCode", "Ann",
      ]))
    #expect(
      found("code", "effects", "value").isSuperset(of: [
        "network", "refused codeWrong", "refused codeInvalid", "refused throttled", "contact",
        "code",
      ]))
    #expect(
      found("registration", "effects", "value").isSuperset(of: [
        "name", "email", "password", "success", "mismatch", "empty", "taken", "internalError",
        "failed network", "failed refused throttled", "failed refused invalid",
      ]))
  }
}

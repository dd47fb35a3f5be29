import JSON
import Testing
import Validation

@testable import TheaterConfiguration

@Suite("The rules of a configuration")
struct RuleSettingsTests {
  /// A small theater with this `"accounts"`, on its second line.
  private func text(_ accounts: String) -> String {
    """
    {"devices": {"lights": {"role": "lights", "plugin": "Pretend"}},
    "accounts": \(accounts)}
    """
  }

  private func settings(_ accounts: String) throws -> AccountSettings {
    try Fixtures.read(text(accounts)).accounts
  }

  private func problem(_ accounts: String) throws -> ConfigurationIssue {
    let problems = Fixtures.problems(text(accounts))
    try #require(problems.count == 1, "\(problems)")
    return problems[0]
  }

  @Test("C9 · the standard rules apply by default")
  func standard() throws {
    #expect(try settings("{}") == AccountSettings(isDemo: false, rules: .standard))
    #expect(try settings(#"{"rules": {"preset": "standard"}}"#).rules == .standard)
  }

  @Test("C2 · rules change without code, in one field or in many, and carry their version")
  func own() throws {
    let rules = try settings(
      #"""
      {"rules": {"name": "household", "version": 3, "fields": {
        "password": {"rules": [
          {"rule": "minLength", "length": 20, "message": "Give the {field} {length} characters."},
          {"rule": "pattern", "pattern": "[^ ].*[^ ]"}, {"rule": "digit", "advice": true}]},
        "phone": {"label": "mobile number", "message": false}}}}
      """#
    ).rules
    #expect(rules.name == "household")
    #expect(rules.version == 3)
    let password = rules.report(on: "short", in: .password)
    #expect(password.firstMessage == "Give the password 20 characters.")
    #expect(password.results.map(\.isAdvice) == [false, false, true])
    #expect(rules[.password].isSecret)
    #expect(rules[.phone].label == "mobile number")
    #expect(rules[.phone].message == .none)
    #expect(rules[.phone].rules == RuleSet.standard[.phone].rules)
    #expect(rules[.email] == RuleSet.standard[.email])
  }

  @Test("C8 · a rule may ask the controller a question, in the field that the question is about")
  func asked() throws {
    let rules = try settings(
      #"""
      {"rules": {"fields": {"email": {"rules": [
        {"rule": "email"}, {"rule": "asked", "question": "emailFree"}]}}}}
      """#
    ).rules
    #expect(rules[.email].rules == [Rule(.email), Rule(.asked("emailFree"))])
  }

  @Test(
    "C8 · refuses a rule whose question is unknown, missing or about another field, at its place",
    arguments: [
      (
        #"{"rules": {"fields": {"name": {"rules": [{"rule": "asked", "question": "emailFree"}]}}}}"#,
        "$.accounts.rules.fields.name.rules[0].question",
        "the rule \"asked\" of name asks \"emailFree\", which is about email"
      ),
      (
        #"{"rules": {"fields": {"email": {"rules": [{"rule": "asked", "question": "weather"}]}}}}"#,
        "$.accounts.rules.fields.email.rules[0].question", "weather"
      ),
      (
        #"{"rules": {"fields": {"email": {"rules": [{"rule": "asked"}]}}}}"#,
        "$.accounts.rules.fields.email.rules[0]", "question"
      ),
    ])
  func unanswered(_ accounts: String, _ path: String, _ message: String) throws {
    let problem = try problem(accounts)
    #expect(problem.path.description == path)
    #expect(problem.message.contains(message), "\(problem)")
  }

  @Test(
    "C9 · a theater for demonstration may choose each preset", arguments: RuleSet.presets)
  func presets(_ preset: RuleSet) throws {
    let settings = try settings(#"{"demo": true, "rules": {"preset": "\#(preset.name)"}}"#)
    #expect(settings == AccountSettings(isDemo: true, rules: preset))
  }

  @Test(
    "C9 · rules that let in passwords below 8 characters are refused outside of demonstrations",
    arguments: [
      (#"{"rules": {"preset": "seed-c"}}"#, "$.accounts.rules.preset", 4),
      (#"{"rules": {"preset": "seed-e"}}"#, "$.accounts.rules.preset", 0),
      (
        #"{"rules": {"fields": {"password": {"rules": [{"rule": "digit"}, {"rule": "minLength", "length": 7}]}}}}"#,
        "$.accounts.rules.fields.password.rules[1].length", 7
      ),
      (
        #"{"rules": {"fields": {"password": {"rules": [{"rule": "minLength", "length": 15, "withSecondFactor": 6}]}}}}"#,
        "$.accounts.rules.fields.password.rules[0].length", 6
      ),
      (
        #"{"rules": {"fields": {"password": {"rules": [{"rule": "minLength", "length": 15, "advice": true}]}}}}"#,
        "$.accounts.rules.fields.password.rules", 0
      ),
    ])
  func tooWeak(_ accounts: String, _ path: String, _ minimum: Int) throws {
    let problem = try problem(accounts)
    #expect(problem.path.description == path)
    #expect(problem.position?.line == 2)
    #expect(problem.message.contains("passwords of \(minimum) characters"))
    #expect(problem.hint?.contains("\"demo\": true") == true)
    let demo = accounts.replacing(
      "{\"rules\"", with: "{\"demo\": true, \"rules\"", maxReplacements: 1)
    #expect(try settings(demo).isDemo)
  }

  @Test(
    "C2 · a mistake in a rule is told at its place, with what to do",
    arguments: [
      (
        #"{"rules": {"fields": {"password": {"rules": [{"rule": "minLenght", "length": 15}]}}}}"#,
        "$.accounts.rules.fields.password.rules[0].rule", "Did you mean \"minLength\"?"
      ),
      (
        #"{"rules": {"fields": {"email": {"rules": [{"rule": "pattern", "pattern": "^a$"}]}}}}"#,
        "$.accounts.rules.fields.email.rules[0].pattern", "Leave ^ and $ out"
      ),
      (
        #"{"rules": {"fields": {"email": {"rules": [{"rule": "digit", "length": 3}]}}}}"#,
        "$.accounts.rules.fields.email.rules[0].length", "It can have"
      ),
      (
        #"{"rules": {"fields": {"email": {"rules": [{"rule": "maxLength"}]}}}}"#,
        "$.accounts.rules.fields.email.rules[0]", "Add \"length\""
      ),
      (
        #"{"rules": {"fields": {"mail": {"rules": []}}}}"#, "$.accounts.rules.fields.mail",
        "Did you mean \"email\"?"
      ),
      (
        #"{"rules": {"fields": {"password": {"required": false}}}}"#,
        "$.accounts.rules.fields.password.required", "Known here"
      ),
      (#"{"rules": {"preset": "seed-b"}}"#, "$.accounts.rules.preset", "Did you mean \"seed-"),
      (#"{"dmeo": true}"#, "$.accounts.dmeo", "Did you mean \"demo\"?"),
      (
        #"{"rules": {"fields": {"password": {"rules": [{"rule": "minLength", "length": 15}, {"rule": "maxLength", "length": 12}]}}}}"#,
        "$.accounts.rules.fields.password.rules[0].length", "Change one of the two"
      ),
    ])
  func mistakes(_ accounts: String, _ path: String, _ hint: String) throws {
    let problem = try problem(accounts)
    #expect(problem.path.description == path)
    #expect(problem.hint?.contains(hint) == true, "\(problem)")
  }

  @Test(
    "C2 · reports a preset of the wrong type once, without errors that follow from it"
  )
  func once() throws {
    #expect(try problem(#"{"rules": {"preset": 7}}"#).kind == .shape)
  }
}

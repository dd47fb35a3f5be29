import JSON
import Testing

@testable import Validation

@Suite struct RuleSetTests {
  @Test("C1 C9 · every preset survives being written and read", arguments: RuleSet.presets)
  func roundTrip(_ rules: RuleSet) throws {
    let read = try RuleSet(JSON(parsing: rules.json.text().utf8))
    #expect(read == rules)
  }

  @Test("C6 · every kind of rule survives being written and read")
  func kinds() throws {
    let checks: [Check] = [
      .notEmpty, .minLength(15, withSecondFactor: 8), .minLength(1), .maxLength(4096), .symbol,
      .upperCase, .digit, .pattern(try Pattern(#"\d+"#)), .email, .phone, .notInBlocklist,
      .noPersonalWords([.name, .email]), .equals(.password), .asked("free"),
    ]
    #expect(Set(checks.map(\.name)) == Set(Check.names))
    for check in checks {
      let rule = Rule(check, isAdvice: true, message: "Do this with {field}.")
      #expect(try Rule(rule.json) == rule)
      #expect(try Rule(Rule(check).json) == Rule(check))
    }
  }

  @Test("C1 · a document has every message written out, so that a page needs none of its own")
  func messages() throws {
    for field in try #require(RuleSet.standard.json["fields"]?.array) {
      for rule in try #require(field["rules"]?.array) {
        #expect(rule["message"]?.string?.contains("{field}") == true)
      }
    }
  }

  @Test(
    "C2 · an invalid rule is refused, with its place",
    arguments: [
      (#"{}"#, "$"), (#"[]"#, "$"), (#"{"rule": 1}"#, "$.rule"), (#"{"rule": "long"}"#, "$.rule"),
      (#"{"rule": "minLength"}"#, "$"), (#"{"rule": "minLength", "length": 0}"#, "$.length"),
      (#"{"rule": "minLength", "length": 1.5}"#, "$.length"),
      (#"{"rule": "digit", "length": 2}"#, "$.length"),
      (#"{"rule": "pattern", "pattern": "("}"#, "$.pattern"),
      (#"{"rule": "digit", "advice": 1}"#, "$.advice"),
      (#"{"rule": "digit", "message": ""}"#, "$.message"),
      (#"{"rule": "noPersonalWords", "fields": []}"#, "$.fields"),
    ])
  func refused(_ text: String, _ path: String) throws {
    let json = try JSON(parsing: text.utf8)
    let error = #expect(throws: RuleDocumentError.self) { try Rule(json) }
    #expect(error?.path.description == path)
    #expect(error?.hint.isEmpty == false)
  }

  @Test("C2 · a mistake deep in a document is found at its place")
  func place() throws {
    let text = #"""
      {"name": "own", "version": 2, "fields": [{"name": "password", "rules": [
        {"rule": "digit"}, {"rule": "maxLength", "length": "x"}]}]}
      """#
    let json = try JSON(parsing: text.utf8)
    let error = #expect(throws: RuleDocumentError.self) { try RuleSet(json) }
    #expect(error?.path.description == "$.fields[0].rules[1].length")
  }

  @Test("C9 A8 · each preset accepts and rejects passwords by its own rules")
  func presets() {
    func state(_ rules: RuleSet, _ text: String) -> RuleReport.State {
      rules.report(on: text, in: .password).state
    }
    #expect(state(.seedA, "abcdef1!") == .valid)
    #expect(state(.seedA, "abcdefg!") == .invalid)
    #expect(state(.seedC, "Abc!") == .valid)
    #expect(state(.seedC, "Ab!") == .invalid)
    #expect(state(.seedE, "x") == .valid)
    let twice = RuleContext(values: [.password: "x"])
    #expect(RuleSet.seedE.report(on: "y", in: .passwordAgain, context: twice).state == .invalid)
    #expect(state(.standard, "a quiet evening with films") == .valid)
  }

  @Test("C9 · standard gives advice on composition, and advice blocks no password")
  func advice() {
    let report = RuleSet.standard.report(on: "a quiet evening with films", in: .password)
    #expect(report.results.filter(\.isAdvice).map(\.rule) == ["upperCase", "digit", "symbol"])
    #expect(report.fraction == 1)
    #expect(report.firstMessage == nil)
  }

  @Test("C9 · finds the minimum length of passwords, without advice, and contradicting lengths")
  func policy() {
    #expect(PasswordPolicy.minimum(of: RuleSet.standard[.password].rules) == 8)
    #expect(PasswordPolicy.minimum(of: RuleSet.seedC[.password].rules) == 4)
    #expect(PasswordPolicy.minimum(of: [Rule(.minLength(20), isAdvice: true)]) == 0)
    #expect(PasswordPolicy.minimum(of: [Rule(.minLength(9)), Rule(.minLength(12))]) == 12)
    #expect(PasswordPolicy.contradiction(in: [Rule(.minLength(9)), Rule(.maxLength(8))]) != nil)
    #expect(PasswordPolicy.contradiction(in: RuleSet.standard[.password].rules) == nil)
  }
}

@Suite struct BlocklistTests {
  private func isBlocked(_ text: String) -> Bool { Blocklist.contains(TypedText(text).codePoints) }

  @Test("C6 · at least 3,000 common passwords of 15 code points and more are refused")
  func size() {
    let long = Blocklist.entries.filter { $0.unicodeScalars.count >= 15 }
    #expect(long.count >= 3_000)
    #expect(Blocklist.entries.allSatisfy { isBlocked(String($0)) })
    let bytes = Blocklist.entries.map { Array($0.utf8) }
    #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }

  @Test(
    "C6 · the usual first guesses are refused, also with other cases, digits and symbols",
    arguments: [
      "passwordpassword", "Password Password", "p@ssw0rdp@ssw0rd", "password12345678",
      "P@$$w0rd-2024!", "correct horse battery staple", "Correct-Horse-Battery-Staple",
      "qwertyuiopasdfghjkl", "1qaz2wsx3edc4rfv", "1q2w3e4r5t6y7u8i", "123456789012345",
      "aaaaaaaaaaaaaaaa", "abcdefghijklmnop", "zyxwvutsrqponmlk", "filmfilmfilmfilm",
      "iloveyouforever", "ＰＡＳＳＷＯＲＤｐａｓｓｗｏｒｄ", "My password is password", "2020202120222023",
      "!!!passwordpassword!!!", "maytheforcebewithyou1977", "               ",
      "---------------", "...............", "._-, ._-, ._-, ",
      "\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}\u{a0}",
    ])
  func refused(_ text: String) {
    #expect(isBlocked(text))
  }

  @Test(
    "C6 · an ordinary sentence is no common password",
    arguments: [
      "a quiet evening with films", "four friends at the movies", "correct horse rides at dawn",
      "k84h2m9qw7r5t1x", "Der Fluss fließt nach Norden", "窓の外に雨が降っている静かな夜",
      "password of the lighthouse keeper",
    ])
  func kept(_ text: String) {
    #expect(!isBlocked(text))
  }
}

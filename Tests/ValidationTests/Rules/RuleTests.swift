import Testing

@testable import Validation

@Suite struct RuleTests {
  private static let rules = [
    Rule(.minLength(15, withSecondFactor: 8)), Rule(.digit), Rule(.symbol, isAdvice: true),
  ]

  private func report(_ text: String, _ context: RuleContext = RuleContext()) -> RuleReport {
    RuleReport(text, rules: Self.rules, field: "password", in: context)
  }

  @Test("C4 · a report has a state, the satisfied rules, the fraction, and a result for each rule")
  func output() {
    let empty = report("")
    #expect(empty.state == .empty)
    #expect(empty.fraction == 0)
    #expect(empty.results.map(\.outcome) == [.unsatisfied, .unsatisfied, .unsatisfied])
    let half = report("short 1")
    #expect(half.state == .invalid)
    #expect((half.satisfied, half.total, half.fraction) == (1, 2, 0.5))
    let valid = report("long enough with a 1")
    #expect(valid.state == .valid)
    #expect(valid.results.map(\.outcome) == [.satisfied, .satisfied, .unsatisfied])
  }

  @Test("C4 · each message says what to do next and names the field")
  func messages() {
    #expect(
      report("").results.map(\.message) == [
        "Make the password at least 15 characters long.", "Put a digit into the password.",
        "Put a symbol into the password, such as ! or ?.",
      ])
    let context = RuleContext(hasSecondFactor: true)
    #expect(report("1234567", context).firstMessage?.contains("at least 8 characters") == true)
  }

  @Test("C6 · with a second factor the shorter minimum applies")
  func secondFactor() {
    #expect(report("12345678").state == .invalid)
    #expect(report("12345678", RuleContext(hasSecondFactor: true)).state == .valid)
  }

  @Test("C6 · a rule may have its own message, and a label like a placeholder is not replaced")
  func ownMessage() {
    let rule = Rule(.minLength(4), message: "{field}: {length} please")
    #expect(rule.message(field: "{length}") == "{length}: 4 please")
  }

  @Test("C6 · a text beyond every limit is too long, and is not examined further")
  func overlong() {
    let rules = [Rule(.notEmpty), Rule(.minLength(15)), Rule(.maxLength(256)), Rule(.digit)]
    let report = RuleReport(
      String(repeating: "1", count: 5_000_000), rules: rules, field: "password")
    #expect(
      report.results.map(\.outcome) == [.satisfied, .satisfied, .unsatisfied, .unsatisfied])
  }
}

@Suite struct PatternTests {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    try Pattern(pattern).matches(Array(text.unicodeScalars))
  }

  @Test("C6 · a pattern must match the whole text")
  func anchored() throws {
    #expect(try matches("[a-z]+", "film"))
    #expect(try !matches("[a-z]+", "film1"))
    #expect(try !matches("[a-z]+", "1film"))
    #expect(try !matches("a|ab|abc", "abcd"))
    #expect(try matches("a|ab|abc", "abc"))
    #expect(try !matches("[a-z]+", "film\n"))
    #expect(try matches("", ""))
  }

  @Test(
    "C6 · repetitions, groups, classes and categories",
    arguments: [
      (#"\d{3}-\d{2,}"#, ["123-45", "123-4567"], ["123-4", "12-45", "123-"]),
      (#"(?:ab)*c?"#, ["", "c", "abab", "ababc"], ["a", "abb", "cc"]),
      (#"[^\d\-]+"#, ["film"], ["fi1m", "fi-m", ""]), (#"a{2,3}"#, ["aa", "aaa"], ["a", "aaaa"]),
      (#"\p{Lu}\p{Ll}*"#, ["Ärger", "Ж"], ["ärger", "Ä1"]), (#".\.."#, ["a.b", "🎬.🎬"], ["a\n."]),
      (#"[-a]+[a-]"#, ["-a-"], ["b"]), (#"\P{L}+"#, ["12 "], ["1a"]), (#"(a*)*b"#, ["aab"], ["aa"]),
      (#"\w+|\(\)"#, ["a_1", "()"], ["ä", "(", ""]), (#"(|a)(b|)"#, ["", "a", "b", "ab"], ["ba"]),
    ])
  func language(_ pattern: String, _ good: [String], _ bad: [String]) throws {
    for text in good { #expect(try matches(pattern, text), "\(pattern) \(text)") }
    for text in bad { #expect(try !matches(pattern, text), "\(pattern) \(text)") }
  }

  @Test(
    "C6 · an invalid or unbounded pattern is refused",
    arguments: [
      "(", ")", "[", "[]", "a**", "a+?", "*", "^a$", #"\b"#, #"\1"#, "(?=a)", "(?<n>a)", "{2}",
      "a{3,2}", "a{x}", "[z-a]", #"[\d-x]"#, #"\p{Greek}"#, #"\p{L"#, #"[\p{Nd"#, #"\"#, "a{9999}",
      "((){9999}){9999}",
      "(((a{100}){100}){100}){100}", String(repeating: "(", count: 30), "a]", "]",
      String(repeating: "a", count: 501),
    ])
  func refused(_ pattern: String) {
    #expect(throws: PatternError.self) { try Pattern(pattern) }
  }

  @Test("C6 · no text makes a pattern backtrack")
  func boundedCost() throws {
    let text = String(repeating: "a", count: TypedText.mostCodePoints - 1) + "!"
    let pattern = try Pattern("(a+)+b|(a|aa)+|(a*)*(a*)*")
    let duration = ContinuousClock().measure {
      #expect(!pattern.matches(Array(text.unicodeScalars)))
    }
    // Backtracking would take years; this takes milliseconds.
    #expect(duration < .seconds(20))
  }
}

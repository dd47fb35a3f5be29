import JSON
import Testing

@testable import TheaterConfiguration

/// Configurations of at most 64 KiB, the API's limit, whose reports must stay bounded.
@Suite("Hostile texts in a configuration")
struct HostileTextTests {
  @Test("combining marks, long keys and a byte-order mark are refused at their place")
  func texts() {
    let marks =
      String(repeating: "\u{308}", count: 9_000) + String(repeating: "\u{323}", count: 9_000)
    let long = String(repeating: "a", count: 2_000)
    for (text, line, column) in [
      ("{\n \"devices\": {\"a\(marks)\": {}}}", 2, 14), ("{\n\"library\": \"\(marks)\"}", 2, 12),
      ("{\"\(long)\": 1}", 1, 2), ("\u{FEFF}{}", 1, 1),
    ] {
      let problems = Fixtures.problems(text)
      #expect(problems.map(\.kind) == [.syntax])
      #expect(problems.first?.position == TextPosition(line: line, column: column))
    }
  }

  /// Texts with hundreds or thousands of mistakes each.
  private static let mistakes: [(String, String)] = {
    func list(_ count: Int, _ part: (Int) -> String) -> String {
      (0..<count).map(part).joined(separator: ",")
    }
    let deep = String(repeating: "{\"k\":", count: 60)
    let name = String(repeating: "n", count: 58)
    return [
      ("unknown keys", "{\(list(6_000) { "\"k\($0)\":0" })}"),
      ("unknown keys in devices", #"{"devices":{\#(list(6_000) { "\"d\($0)\":0" })}}"#),
      (
        "activities without scenes",
        #"{"devices":{},"activities":{\#(list(1_400) { #""a\#($0)":{"start":"s\#($0)","end":"e"}"# })}}"#
      ),
      (
        "names that are nearly right",
        #"{"devices":{},"scenes":{\#(list(400) { "\"\(name)\($0)\":{\"steps\":[]}" })},"activities":{\#(list(300) { #""a\#($0)":{"start":"\#(name)x\#($0)","end":"e"}"# })}}"#
      ),
      (
        "steps for unknown devices",
        #"{"devices":{},"scenes":{"s":{"steps":[\#(list(5_000) { "{\"x\($0)\":1}" })]}}}"#
      ),
      (
        "cables of unknown devices",
        #"{"devices":{},"cables":[\#(list(2_000) { #"{"from":"a\#($0)","to":"b"}"# })]}"#
      ),
      (
        "songs of one id",
        #"{"library":{"songs":[\#(list(2_500) { _ in #"{"id":"","title":1}"# })]}}"#
      ),
      (
        "keys given twice, deep within",
        "\(deep){\(list(8_000) { _ in "\"k\":0" })}\(String(repeating: "}", count: 60))"
      ),
      (
        "unknown rules",
        #"{"accounts":{"rules":{"fields":{"name":{"rules":[\#(list(4_000) { _ in #"{"rule":"x"}"# })]}}}}}"#
      ),
    ]
  }()

  @Test("reports the first hundred of thousands of mistakes, each briefly", arguments: mistakes)
  func floods(kind: String, text: String) {
    #expect(text.utf8.count <= 64 * 1024)
    let problems = Fixtures.problems(text)
    #expect(problems.count == 101, "\(kind)")
    #expect(problems.last?.message.contains("there may be others") == true, "\(kind)")
    for problem in problems {
      #expect(problem.description.utf8.count < 4_000, "\(kind): \(problem)")
    }
  }

  @Test("a flood of warnings hides no error")
  func warnings() {
    let unused = (0..<500).map { "\"p\($0)\":\"text\"" }.joined(separator: ",")
    let problems = Fixtures.problems(
      Fixtures.whole(
        #""end": {"steps": []}"#,
        #""end": {"parameters": {\#(unused)}, "steps": [{"lights": {"dim": 110}}]}"#))
    #expect(problems.filter { $0.severity == .error }.count == 1)
    #expect(problems.filter { $0.severity == .warning }.count == 101)
  }

  @Test("a manifest's pattern allows texts of at most 4,096 bytes")
  func patterns() {
    let rule = TextRule.pattern("^a+$")
    #expect(rule.allows(String(repeating: "a", count: 4_096)))
    #expect(!rule.allows(String(repeating: "a", count: 4_097)))
  }
}

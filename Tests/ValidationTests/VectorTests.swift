import Foundation
import JSON
import Testing

@testable import Validation

/// The golden vectors of docs/validation.md, which an evaluator in another language wrote.
@Suite struct VectorTests {
  private let file: JSON
  private let vectors: [JSON]

  init() throws {
    let place = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "validation-vectors.json")
    file = try JSON(parsing: Data(contentsOf: place))
    vectors = try #require(file["vectors"]?.array)
  }

  @Test("C1 C4 C6 C9 · the evaluator satisfies every golden vector")
  func all() throws {
    #expect(file["format"]?.integer == RuleSet.format)
    #expect(vectors.count >= 400)
    for (index, vector) in vectors.enumerated() {
      let report = try report(for: vector)
      let found = Self.json(report)
      if let wanted = vector["expect"], found != wanted {
        Issue.record(
          """
          vector \(index), \(vector["about"] ?? ""): \(vector["value"] ?? "")
          wanted \(wanted)
          found  \(found)
          """)
      }
    }
  }

  @Test("C1 · the vectors have every preset, and every kind of rule satisfied and unsatisfied")
  func complete() throws {
    var outcomes: [String: Set<String>] = [:]
    for vector in vectors {
      for result in vector["expect"]?["results"]?.array ?? [] {
        guard let rule = result["rule"]?.string, let outcome = result["outcome"]?.string else {
          continue
        }
        outcomes[rule, default: []].insert(outcome)
      }
    }
    for name in Check.names {
      #expect(outcomes[name]?.isSuperset(of: ["satisfied", "unsatisfied"]) == true, "\(name)")
    }
    let presets = Set(vectors.compactMap { $0["preset"]?.string })
    #expect(presets == Set(RuleSet.presets.map(\.name)))
  }

  @Test("C9 · the presets are those that the vectors state")
  func presets() throws {
    #expect(file["presets"]?.array == RuleSet.presets.map(\.json))
  }

  private func report(for vector: JSON) throws -> RuleReport {
    var context = RuleContext(hasSecondFactor: vector["secondFactor"]?.bool ?? false)
    for (name, value) in vector["values"]?.object ?? [:] {
      context.values[FieldName(name)] = value.string
    }
    let value = try #require(Self.text(vector["value"]))
    if let preset = vector["preset"]?.string {
      let rules = try #require(RuleSet.presets.first { $0.name == preset })
      let field = try #require(vector["field"]?.string)
      return rules.report(on: value, in: FieldName(field), context: context)
    }
    var answers: [String: Bool] = [:]
    for (question, answer) in vector["answers"]?.object ?? [:] { answers[question] = answer.bool }
    return RuleReport(
      value, rules: try Rule.list(try #require(vector["rules"])),
      field: try #require(vector["label"]?.string), in: context, answers: answers)
  }

  /// A text, a repetition of one, or a list of both: the JSON parser refuses a long row of
  /// combining marks.
  private static func text(_ json: JSON?) -> String? {
    if let text = json?.string { return text }
    if let parts = json?.array { return parts.compactMap { text($0) }.joined() }
    guard let part = json?["repeat"]?.string, let times = json?["times"]?.integer else {
      return nil
    }
    return String(repeating: part, count: times)
  }

  private static func json(_ report: RuleReport) -> JSON {
    [
      "state": .string(report.state.rawValue), "satisfied": .integer(report.satisfied),
      "total": .integer(report.total),
      "results": .array(
        report.results.map {
          [
            "rule": .string($0.rule), "advice": .bool($0.isAdvice),
            "outcome": .string($0.outcome.rawValue), "statement": .string($0.statement),
            "message": .string($0.message),
          ]
        }),
    ]
  }
}

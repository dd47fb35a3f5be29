import Foundation
import JSON
import Testing

@testable import TheaterConfiguration

@Suite("The JSON Schema")
struct SchemaTests {
  @Test("F3 · an independent validator and the decoder agree on every mutation of a configuration")
  func agreement() throws {
    let base = try JSON(parsing: Fixtures.whole)
    let corpus = Self.corpus(of: base)
    let schema = TheaterConfiguration.schema(Fixtures.plugins)
    let verdicts = try JSONSchemaValidator.verdicts(on: corpus, schema: schema)
    try #require(verdicts.count == corpus.count)
    let secrets = PocketSecrets(texts: ["x": "y"])
    var counts: [String: Int] = [:]
    for (instance, isValid) in zip(corpus, verdicts) {
      let problems = Fixtures.problems(instance.text(), secrets: secrets)
      let hasShapeProblem = problems.contains { $0.kind == .shape && $0.severity == .error }
      if hasShapeProblem == isValid {
        Issue.record(
          """
          The schema says \(isValid ? "valid" : "invalid"), the decoder says \(problems)
          of \(instance)
          """)
      }
      let kind = problems.isEmpty ? "good" : isValid ? "decoder alone" : "bad"
      counts[kind, default: 0] += 1
    }
    // The corpus must have enough of each kind to prove anything.
    #expect(counts["good", default: 0] >= 50)
    #expect(counts["bad", default: 0] >= 500)
    #expect(counts["decoder alone", default: 0] >= 25)
  }

  /// The configuration and a fifth of its mutations, or all of them when the environment says so.
  private static func corpus(of base: JSON) -> [JSON] {
    let isExhaustive = ProcessInfo.processInfo.environment["THEATER_TEST_EXHAUSTIVE"] != nil
    let mutants = Mutations.all(of: base)
    // Each place has the same 22 replacement values in a row. A step of 5, which has no factor in
    // common with 22, uses all of them.
    let chosen = stride(from: 0, to: mutants.count, by: isExhaustive ? 1 : 5).map { mutants[$0] }
    return [base] + chosen
  }

  @Test("makes a valid schema without any plugin")
  func noPlugins() throws {
    let schema = TheaterConfiguration.schema(KnownPlugins())
    let instance: JSON = ["devices": ["a": ["role": "lights", "plugin": "Any"]]]
    let verdicts = try JSONSchemaValidator.verdicts(on: [instance, [:]], schema: schema)
    #expect(verdicts == [true, false])
  }
}

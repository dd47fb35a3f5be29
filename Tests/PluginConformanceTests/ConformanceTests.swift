import Devices
import PluginConformance
import PluginProtocol
import TestSupport
import Testing

/// Every plugin of the project against the conformance suite, one test for each part of the suite.
@Suite("F1 E15 · every plugin passes the conformance suite", .timeLimit(.minutes(3)))
struct ConformanceTests {
  @Test(
    "F1 · every plugin answers initialize and the self-check",
    arguments: TestTrial.all(of: ConformanceCase.handshake))
  func handshake(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 · every plugin survives invalid lines",
    arguments: TestTrial.all(of: ConformanceCase.badInput))
  func badInput(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 E15 · every role of every plugin opens, performs commands and closes",
    arguments: TestTrial.all(of: ConformanceCase.devices))
  func devices(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 E15 · every role of every plugin reports the effect of each command it accepts",
    arguments: TestTrial.all(of: ConformanceCase.effects))
  func effects(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 E15 · a plugin keeps to the limits and to the states of its roles",
    arguments: TestTrial.all(of: ConformanceCase.limits))
  func limits(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "E10 F1 · every disc player reports its playback from item to item",
    arguments: TestTrial.all(of: ConformanceCase.playback))
  func playback(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "E9 F1 · every disc player answers with pictures, and with none for an item it does not list",
    arguments: TestTrial.all(of: ConformanceCase.pictures))
  func pictures(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F4 · every amplifier reports levels only on request", .realTime,
    arguments: TestTrial.all(of: ConformanceCase.levels))
  func levels(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 · every plugin answers each request once, also while commands are in progress",
    arguments: TestTrial.all(of: ConformanceCase.endings.filter { !$0.isTimed }))
  func order(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 · the process of a plugin ends in time", .realTime,
    arguments: TestTrial.all(of: ConformanceCase.endings.filter(\.isTimed)))
  func ends(_ trial: TestTrial) async throws { try await trial.check() }

  @Test(
    "F1 · each request without an answer breaks a sentence of docs/plugin-protocol.md",
    arguments: PluginContract.messages.filter { $0 is any PluginRequest.Type }.map { $0.method }
      + ["levitate"])
  func deadlines(_ method: String) throws {
    let rule = ProtocolRule.answer(to: method)
    let line = try #require(ProtocolDocument(try ContractDocument().text).line(of: rule))
    #expect(line > 0)
    #expect(rule.section != "Messages" || rule.sentence.contains("`\(method)`"))
  }

  @Test("F1 · the names of the cases are unique")
  func names() {
    let names = ConformanceCase.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(
    "F1 · the rules of each case are sentences of docs/plugin-protocol.md",
    arguments: ConformanceCase.all)
  func rules(_ conformanceCase: ConformanceCase) throws {
    let document = ProtocolDocument(try ContractDocument().text)
    #expect(!conformanceCase.rules.isEmpty)
    for rule in conformanceCase.rules {
      #expect(document.line(of: rule) != nil, "\(rule.section): \(rule.sentence)")
    }
  }
}

/// A case on a plugin of the project.
struct TestTrial: Sendable, CustomTestStringConvertible {
  let trial: ConformanceTrial

  var testDescription: String {
    let role = trial.role.map { " \($0.rawValue)" } ?? ""
    return "\(trial.target.manifest.id)\(role): \(trial.conformanceCase.name)"
  }

  static func all(of cases: [ConformanceCase]) -> [TestTrial] {
    PluginUnderTest.all.flatMap { plugin in
      ConformanceTrial.all(cases, of: plugin.target, roles: plugin.target.manifest.orderedRoles)
        .map(TestTrial.init(trial:))
    }
  }

  /// Runs the case and records its failure. A player without items is a failure too.
  func check() async throws {
    let result = await trial.run()
    switch result.outcome {
    case .passed, .notApplicable(.because): break
    case .notApplicable(.noItems): Issue.record("the player has no items to test with")
    case .failed(let failure): Issue.record("\(failure)")
    }
  }
}

extension ConformanceCase: CustomTestStringConvertible {
  public var testDescription: String { name }
}

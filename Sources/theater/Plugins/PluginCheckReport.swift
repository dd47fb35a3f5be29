import Devices
import JSON
import PluginConformance
import PluginHost
import PluginProtocol

/// The report of `theater plugin check`, as text and as JSON.
struct PluginCheckReport {
  let located: LocatedPlugin
  /// The protocol document, to find the line of a rule; `nil` if its file is missing.
  let document: ProtocolDocument?

  /// The plugin and its roles.
  var heading: String {
    let manifest = located.plugin.manifest
    let roles = located.roles.map(\.rawValue).joined(separator: ", ")
    return located.hasManifest
      ? "\(manifest.id) \(manifest.version): \(roles)" : "\(located.plugin.program): \(roles)"
  }

  /// Returns one line for a case, followed by the details of a failure.
  func text(of result: ConformanceResult) -> String {
    let role = result.trial.role.map { "\($0.rawValue): " } ?? ""
    let name = role + result.trial.conformanceCase.name
    switch result.outcome {
    case .passed: return "✓ \(name)"
    case .notApplicable(let reason): return "– \(name) (not applicable: \(reason))"
    case .failed(let failure):
      var lines = ["✗ \(name)"]
      func add(_ label: String, _ text: String) {
        lines.append("    " + label.padding(toLength: 10) + text)
      }
      if let sent = failure.sent { add("sent", sent) }
      add("expected", failure.expected)
      add("received", failure.received)
      if let rule = result.brokenRule {
        add("rule", "\(place(of: rule)): \(rule.sentence)")
      }
      for line in failure.stderrLines { add("stderr", line) }
      return lines.joined(separator: "\n")
    }
  }

  /// Returns the numbers of passed, failed and not applicable cases.
  func summary(of results: [ConformanceResult]) -> String {
    let counts = Counts(results)
    return "\n\(counts.passed) passed, \(counts.failed) failed, "
      + "\(counts.notApplicable) not applicable"
  }

  /// Returns all results as JSON.
  func json(of results: [ConformanceResult]) -> JSON {
    let counts = Counts(results)
    return [
      "plugin": .string(located.plugin.manifest.id),
      "version": .string(located.plugin.manifest.version),
      "cases": .array(results.map(json)),
      "passed": .integer(counts.passed), "failed": .integer(counts.failed),
      "notApplicable": .integer(counts.notApplicable),
    ]
  }

  private func json(of result: ConformanceResult) -> JSON {
    var object: JSONObject = ["case": .string(result.trial.conformanceCase.name)]
    if let role = result.trial.role { object["role"] = .string(role.rawValue) }
    switch result.outcome {
    case .passed: object["result"] = "passed"
    case .notApplicable(let reason):
      object["result"] = "notApplicable"
      object["reason"] = .string("\(reason)")
    case .failed(let failure):
      object["result"] = "failed"
      if let sent = failure.sent { object["sent"] = .string(sent) }
      object["expected"] = .string(failure.expected)
      object["received"] = .string(failure.received)
      if let rule = result.brokenRule { object["rule"] = json(of: rule) }
      object["stderr"] = .array(failure.stderrLines.map { .string($0) })
    }
    return .object(object)
  }

  private func json(of rule: ProtocolRule) -> JSON {
    var object: JSONObject = [
      "section": .string(rule.section), "sentence": .string(rule.sentence),
    ]
    if let line = document?.line(of: rule) { object["line"] = .integer(line) }
    return .object(object)
  }

  /// Returns the file and line of a rule, such as `plugin-protocol.md:212`, or its section if the document is
  /// missing.
  private func place(of rule: ProtocolRule) -> String {
    guard let line = document?.line(of: rule) else {
      return "plugin-protocol.md, \"\(rule.section)\""
    }
    return "plugin-protocol.md:\(line)"
  }

  private struct Counts {
    private(set) var passed = 0
    private(set) var failed = 0
    private(set) var notApplicable = 0

    init(_ results: [ConformanceResult]) {
      for result in results {
        switch result.outcome {
        case .passed: passed += 1
        case .failed: failed += 1
        case .notApplicable: notApplicable += 1
        }
      }
    }
  }
}

extension ConformanceResult {
  /// Whether the case failed.
  var isFailed: Bool { if case .failed = outcome { true } else { false } }
}

extension String {
  /// Returns the text with spaces appended up to a length.
  fileprivate func padding(toLength length: Int) -> String {
    self + String(repeating: " ", count: max(0, length - count))
  }
}

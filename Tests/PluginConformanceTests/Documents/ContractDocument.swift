import Devices
import Foundation
import JSON
import PluginProtocol
import TestSupport
import Testing

/// The parsed parts of docs/plugin-protocol.md.
struct ContractDocument {
  let text: String

  static let path = "docs/plugin-protocol.md"

  init() throws {
    text = try ProjectFile.text(Self.path)
  }

  /// The contents of the blocks that begin with ```` ```json KIND ````.
  func blocks(_ kind: String = "") -> [String] {
    let opening = kind.isEmpty ? "```json" : "```json \(kind)"
    var blocks: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = block {
        if line == "```" {
          blocks.append(lines.joined(separator: "\n"))
          block = nil
        } else {
          block?.append(line)
        }
      } else if line == opening {
        block = []
      }
    }
    return blocks
  }

  /// All example lines of the protocol.
  func lines() -> [String] {
    blocks().flatMap { $0.split(separator: "\n").map(String.init) }
  }

  /// Generates the part about roles from the command tables.
  static func roles() -> String {
    Role.allCases.map { role in
      let rows = role.commands.map { spec in
        "| \(Self.command(spec)) | \(settled(spec.settled)) | \(Int(spec.longest.seconds)) s | "
          + "\(spec.capability.map { "`\($0)`" } ?? "") | \(spec.help) |"
      }
      let keys = role.stateKeys.map { "`\($0.rawValue)`" }.joined(separator: ", ")
      return """
        ### \(role.rawValue)

        State: \(keys).

        | command | settled | longest | capability | |
        |---|---|---|---|---|
        \(rows.joined(separator: "\n"))
        """
    }.joined(separator: "\n\n")
  }

  /// Generates the table of the values of each state key.
  static func values() -> String {
    let rows = StateKey.allCases.map { "| `\($0.rawValue)` | \(words($0.shape)) |" }
    return "| key | values |\n|---|---|\n" + rows.joined(separator: "\n")
  }

  private static func words(_ shape: StateShape) -> String {
    func range(_ range: ClosedRange<Double>) -> String {
      "from \(JSON.number(range.lowerBound)) to \(JSON.number(range.upperBound))"
    }
    switch shape {
    case .words(let words): return words.map { "`\($0)`" }.joined(separator: ", ")
    case .truth: return "`true`, `false`"
    case .null: return "`null`"
    case .argument(let shape): return shape.expectation
    case .playback:
      let states = Playback.Status.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
      return "an object: `state` (\(states)), `item`, `position` and `duration` in seconds "
        + "(\(range(Playback.secondsRange))), `rate` (\(range(Playback.rateRange))), "
        + "`title`, `reason`"
    case .either(let shapes): return shapes.map(words).joined(separator: ", or ")
    }
  }

  private static func command(_ spec: CommandSpec) -> String {
    guard let argument = spec.argument else { return "`\(spec.name)`" }
    let takes = argument.shape.expectation
    return "`\(spec.name)`" + (argument.isRequired ? ": \(takes)" : ", or with \(takes)")
  }

  private static func settled(_ settled: Settled) -> String {
    switch settled {
    case .accepted: "accepted"
    case .value(let key, let value): "`\(key.rawValue)` is `\(value)`"
    case .anyValue(let key, let values):
      "`\(key.rawValue)` is " + values.map { "`\($0)`" }.joined(separator: " or ")
    case .argument(let key): "`\(key.rawValue)` is the argument"
    case .playback(let statuses):
      "`playback` is " + statuses.map { "`\($0.rawValue)`" }.joined(separator: " or ")
    }
  }
}

import Devices
import JSON
import PluginKit

/// The simulated faults of a device, for tests and for learning:
/// `{"faults": {"refuses": ["play"], "slow": 2, "after": 3}}`.
struct Faults: Sendable {
  /// How long each answer is delayed.
  let slow: Duration
  /// The commands that are never answered.
  let silent: Set<String>
  /// The commands that are refused.
  let refuses: Set<String>
  /// The commands at which the process ends.
  let dies: Set<String>
  /// The number of commands that work before the first fault.
  let after: Int

  /// The word that stands for every command.
  private static let any = "any"

  init(_ options: OptionReader, commands: [CommandSpec]) throws(DeviceError) {
    let faults = try options.members("faults")
    slow = .milliseconds(Int64(try faults.number("slow", in: 0...600, or: 0) * 1000))
    silent = try Self.commands(faults, "silent", of: commands)
    refuses = try Self.commands(faults, "refuses", of: commands)
    dies = try Self.commands(faults, "dies", of: commands)
    after = Int(try faults.number("after", in: 0...1_000_000, or: 0))
  }

  private static func commands(
    _ options: OptionReader, _ key: String, of commands: [CommandSpec]
  ) throws(DeviceError) -> Set<String> {
    let known = commands.map(\.name)
    let names = try options.texts(key, or: [])
    for name in names where name != any && !known.contains(name) {
      throw DeviceError(
        .invalid, "the option \"faults.\(key)\" names the unknown command \"\(name.prefix(60))\"",
        hint: "It takes \"any\" or some of: \(known.joined(separator: ", ")).")
    }
    return names.contains(any) ? Set(known) : Set(names)
  }

  /// Whether there is no fault.
  var isEmpty: Bool { slow == .zero && silent.isEmpty && refuses.isEmpty && dies.isEmpty }
}

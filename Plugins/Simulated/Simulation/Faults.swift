import Devices
import JSON
import Platform
import PluginKit
import Synchronization

/// The simulated faults of a device, for tests and for learning:
/// `{"faults": {"refuses": ["play"], "slow": 2, "after": 3}}`. Those of one device do not delay others.
final class Faults: Sendable {
  /// How long each answer is delayed.
  private let slow: Duration
  /// The commands that are never answered.
  private let silent: Set<String>
  /// The commands that are refused.
  private let refuses: Set<String>
  /// The commands at which the process ends.
  private let dies: Set<String>
  /// The number of commands that work before the first fault.
  private let after: Int
  private let clock: any TheaterClock
  private let endProcess: @Sendable () -> Void
  private let performed = Mutex(0)

  /// The word that stands for every command.
  private static let any = "any"

  init(
    _ options: OptionReader, commands: [CommandSpec], clock: any TheaterClock,
    endProcess: @escaping @Sendable () -> Void
  ) throws(DeviceError) {
    let faults = try options.members("faults")
    slow = .milliseconds(Int64(try faults.number("slow", in: 0...600, or: 0) * 1000))
    silent = try Self.commands(faults, "silent", of: commands)
    refuses = try Self.commands(faults, "refuses", of: commands)
    dies = try Self.commands(faults, "dies", of: commands)
    after = Int(try faults.number("after", in: 0...1_000_000, or: 0))
    self.clock = clock
    self.endProcess = endProcess
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

  /// Fails at a command as the options say, before the device carries it out.
  func apply(to command: some RoleCommand) async throws(DeviceError) {
    let count = performed.withLock { count in
      defer { count += 1 }
      return count
    }
    guard count >= after else { return }
    let name = command.invocation.name.rawValue
    if dies.contains(name) { endProcess() }
    if silent.contains(name) {
      // Until the command is cancelled or the device closed.
      while true { try await sleep(.seconds(3600)) }
    }
    if slow > .zero { try await sleep(slow) }
    if refuses.contains(name) {
      throw DeviceError(
        .refused, "the device refuses \"\(name)\"", hint: "Its option \"faults\" asks for this.")
    }
  }

  private func sleep(_ time: Duration) async throws(DeviceError) {
    do {
      try await clock.sleep(for: time)
    } catch {
      throw DeviceError(.cancelled, "cancelled before it was done")
    }
  }
}

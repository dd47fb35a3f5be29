import Devices
import JSON
import PluginProtocol

/// The callers whose command the device has accepted, until its state shows the command as done.
struct CommandSettlement: Sendable {
  private struct Waiter {
    let caller: CommandCaller
    let command: Command
    let deadline: Duration
  }

  private var waiters: [Waiter] = []

  /// The commands that callers wait for.
  var commands: [Command] { waiters.map(\.command) }

  /// The earliest deadline; `nil` without callers.
  var nextDeadline: Duration? { waiters.lazy.map(\.deadline).min() }

  /// Lets a caller wait for a command that was accepted at `now`.
  mutating func add(_ caller: CommandCaller, for command: Command, at now: Duration) {
    waiters.append(
      Waiter(caller: caller, command: command, deadline: now + command.spec.longest))
  }

  /// Removes and returns the callers whose command `state` shows as done.
  mutating func removeSettled(in state: DeviceState) -> [CommandCaller] {
    // Most reports come while no caller waits.
    waiters.isEmpty ? [] : remove { $0.command.isSettled(in: state) }.map(\.caller)
  }

  /// Records that `command` was accepted at `now`. Callers that wait for an older value of the same
  /// setting now wait for this one.
  ///
  /// - Returns: The callers whose command can no longer be observed; they are removed.
  mutating func supersede(by command: Command, at now: Duration) -> [CommandCaller] {
    guard !waiters.isEmpty else { return [] }
    waiters = waiters.map { waiter in
      guard case .setting = waiter.command.spec.manner,
        command.spec.manner == waiter.command.spec.manner
      else { return waiter }
      return Waiter(
        caller: waiter.caller, command: command, deadline: now + command.spec.longest)
    }
    return remove { command.supersedes($0.command) }.map(\.caller)
  }

  /// Removes and returns the callers whose deadline has passed, with their commands.
  mutating func removeExpired(at now: Duration) -> [(caller: CommandCaller, command: Command)] {
    remove { $0.deadline <= now }.map { ($0.caller, $0.command) }
  }

  /// Removes and returns the caller with this number, if it waits here.
  mutating func remove(_ number: Int) -> CommandCaller? {
    remove { $0.caller.number == number }.first?.caller
  }

  /// Removes and returns all callers, because the device is gone.
  mutating func removeAll() -> [CommandCaller] { remove { _ in true }.map(\.caller) }

  private mutating func remove(where isOver: (Waiter) -> Bool) -> [Waiter] {
    let removed = waiters.filter(isOver)
    if !removed.isEmpty { waiters.removeAll(where: isOver) }
    return removed
  }
}

extension Command {
  /// Whether `state` shows this command as done.
  func isSettled(in state: DeviceState) -> Bool {
    spec.settled.isMet(by: state, argument: argument)
  }

  /// Whether this command, just accepted, makes the effect of the earlier `other` unobservable.
  func supersedes(_ other: Command) -> Bool {
    if spec == other.spec { return argument != other.argument }
    if spec.manner == .urgent, spec.contradicts(other.spec) { return true }
    return spec.settled.key != nil && spec.settled.key == other.spec.settled.key
  }

  /// The error for a command whose effect did not come in time, with the reported value.
  func unsettledError(in state: DeviceState) -> DeviceError {
    let found =
      spec.settled.key.flatMap { state[$0] }.map { "it reports \($0)" } ?? "it reports none"
    return DeviceError(
      .timeout,
      "\"\(self)\" was accepted, but the device did not report \(awaited) within "
        + "\(Int(spec.longest.seconds)) s; \(found)",
      hint: "Check whether the device carried out the command.")
  }

  private var awaited: String {
    switch spec.settled {
    case .accepted: "nothing"
    case .value(let key, let value): "\(key.rawValue) \(value)"
    case .anyValue(let key, let values):
      "\(key.rawValue) \(values.map(\.description).joined(separator: " or "))"
    case .argument(let key): "\(key.rawValue) \(argument ?? .null)"
    case .playback(let statuses):
      "playback \(statuses.map(\.rawValue).joined(separator: " or "))"
        + (argument?["item"]?.string.map { " of \($0)" } ?? "")
    }
  }
}

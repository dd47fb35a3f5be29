import Devices
import JSON
import PluginProtocol

/// The callers whose command the device has accepted, until its state shows the command as done.
struct CommandSettlement: Sendable {
  private struct Waiter {
    let caller: CommandCaller
    var progress: EffectProgress
    var command: Command { progress.command }
  }

  private var waiters: [Waiter] = []

  /// The commands that callers wait for.
  var commands: [Command] { waiters.map(\.command) }

  /// The next time at which a command is decided without a further report; `nil` without callers.
  func nextDecision(in state: DeviceState) -> Duration? {
    waiters.lazy.map { $0.progress.nextDecision(in: state) }.min()
  }

  /// Lets a caller wait for the effect of an accepted command.
  mutating func add(_ caller: CommandCaller, for progress: EffectProgress) {
    waiters.append(Waiter(caller: caller, progress: progress))
  }

  /// Records a report of the device.
  ///
  /// - Parameter state: The state with the values of the report.
  mutating func record(_ report: StateNotification, in state: DeviceState, at now: Duration) {
    for index in waiters.indices { waiters[index].progress.record(report, in: state, at: now) }
  }

  /// Removes and returns the callers whose command is decided, with the verdict.
  mutating func removeDecided(
    in state: DeviceState, at now: Duration
  ) -> [(caller: CommandCaller, verdict: EffectProgress.Verdict)] {
    // Most reports come while no caller waits.
    guard !waiters.isEmpty else { return [] }
    var decided: [(caller: CommandCaller, verdict: EffectProgress.Verdict)] = []
    waiters.removeAll { waiter in
      guard let verdict = waiter.progress.verdict(in: state, at: now) else { return false }
      decided.append((waiter.caller, verdict))
      return true
    }
    return decided
  }

  /// Records that a command was accepted. Callers that wait for an older value of the same setting now wait for this
  /// one.
  ///
  /// - Returns: The callers whose command can no longer be observed; they are removed.
  mutating func supersede(by progress: EffectProgress) -> [CommandCaller] {
    guard !waiters.isEmpty else { return [] }
    let command = progress.command
    waiters = waiters.map { waiter in
      guard case .setting = waiter.command.spec.manner,
        command.spec.manner == waiter.command.spec.manner
      else { return waiter }
      return Waiter(caller: waiter.caller, progress: progress)
    }
    return remove { command.supersedes($0.command) }.map(\.caller)
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
      hint: state.problem ?? "Check whether the device carried out the command.")
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

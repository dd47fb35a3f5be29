import Devices
import JSON
import PluginProtocol

/// The commands of one device that are not accepted yet, in order. A value, so that tests need no
/// tasks.
///
/// One command is in flight at a time. Each event (a call, a reply on the connection's thread, a
/// deadline) changes the queue under the lock of the device's proxy. So the queue needs no task of
/// its own, and a command costs no task switch.
struct CommandQueue: Sendable {
  /// The consequences of a change.
  struct Steps {
    /// The request to cancel.
    var cancel: Int?
    /// The commands that ended, each with the reason.
    var dropped: [(QueuedCommand, DeviceError)] = []
  }

  private var waiting: [QueuedCommand] = []
  private(set) var underWay: QueuedCommand?
  /// A command that the device refused with `notNow`, and the time of the next attempt. It keeps
  /// its place; only urgent commands overtake it.
  private var held: (command: QueuedCommand, retryAt: Duration?)?

  var isEmpty: Bool { waiting.isEmpty && underWay == nil && held == nil }

  /// The commands that are not sent, or are to be sent again, in order.
  var allWaiting: [Command] { ([held?.command].compactMap(\.self) + waiting).map(\.command) }

  /// The next time at which a command must be sent again or has failed.
  var nextDeadline: Duration? {
    guard let held else { return nil }
    return [held.retryAt, held.command.deadline].compactMap(\.self).min()
  }

  // MARK: Coming in

  /// Adds a command.
  ///
  /// It replaces a waiting value of the same setting, whose callers then wait for the new one. An
  /// urgent command goes first and removes the commands that it contradicts.
  mutating func add(_ new: QueuedCommand) -> Steps {
    var new = new
    var steps = Steps()
    switch new.spec.manner {
    case _ where new.origin == .limit:
      // Before everything that could be heard.
      waiting.insert(new, at: waiting.firstIndex { !$0.isUrgent } ?? waiting.endIndex)
    case _ where new.isRestoring:
      // The commands of a restoration never contradict each other. Those that people have given meanwhile come later,
      // and are in effect at the end.
      let place = waiting.firstIndex { $0.origin == .person && !$0.isUrgent } ?? waiting.endIndex
      waiting.insert(new, at: place)
    case .setting:
      // The callers keep the order of their calls.
      new.callers = removeCommands(of: new.spec) + new.callers
      waiting.append(new)
    case .urgent:
      steps = cancelContradicted(by: new.spec)
      let place = waiting.firstIndex { !$0.isUrgent } ?? waiting.endIndex
      waiting.insert(new, at: place)
    case .ordinary, .cancellable, .momentary:
      waiting.append(new)
    }
    return steps
  }

  /// Removes the waiting commands of a row, and returns their callers.
  private mutating func removeCommands(of spec: CommandSpec) -> [CommandCaller] {
    var callers: [CommandCaller] = []
    waiting.removeAll { command in
      guard command.spec == spec, command.origin != .limit else { return false }
      callers += command.callers
      return true
    }
    return callers
  }

  private mutating func cancelContradicted(by urgent: CommandSpec) -> Steps {
    var steps = Steps()
    let error = DeviceError(.cancelled, "\"\(urgent.name)\" took its place")
    let contradicted = waiting.filter { urgent.contradicts($0.spec) }
    waiting.removeAll { urgent.contradicts($0.spec) }
    steps.dropped = contradicted.map { ($0, error) }
    if let command = held?.command, urgent.contradicts(command.spec) {
      held = nil
      steps.dropped.append((command, error))
    }
    if let command = underWay, command.spec.manner == .cancellable, !command.isCancelled {
      underWay?.isCancelled = true
      steps.cancel = command.request
    }
    if let command = underWay, urgent.contradicts(command.spec) { underWay?.isObsolete = true }
    return steps
  }

  // MARK: Going out

  /// Returns the next command to send, now in flight with `request` as its id; `nil` if it must
  /// wait.
  ///
  /// - Parameters:
  ///   - state: The known state of the device.
  ///   - reportsSeen: The number of reports of the device so far.
  ///   - limit: Returns a command with a volume within the present limit.
  mutating func beginNext(
    in state: DeviceState, at now: Duration, reportsSeen: Int, request: () -> Int,
    limit: (Command) -> Command = { $0 }
  ) -> QueuedCommand? {
    guard underWay == nil, var next = popNext(at: now) else { return nil }
    next.command = limit(next.command)
    next.request = request()
    next.reportsSeen = reportsSeen
    next.wasSettled = false
    next.progress = EffectProgress(next.command, in: state, at: now)
    if next.deadline == nil { next.deadline = now + next.spec.longest }
    underWay = next
    return next
  }

  private mutating func popNext(at now: Duration) -> QueuedCommand? {
    guard let held else { return waiting.isEmpty ? nil : waiting.removeFirst() }
    if let first = waiting.first, first.isUrgent { return waiting.removeFirst() }
    guard let retryAt = held.retryAt, retryAt <= now else { return nil }
    self.held = nil
    return held.command
  }

  /// Removes and returns the command in flight, whose reply has come; `nil` if `request` is not in
  /// flight.
  mutating func removeUnderWay(_ request: Int) -> QueuedCommand? {
    guard underWay?.request == request else { return nil }
    return underWay.take()
  }

  /// Keeps a command that the device refused with `notNow`, until `retryAt` or the next change of
  /// its state.
  mutating func hold(_ command: QueuedCommand, until retryAt: Duration?) {
    // An urgent command is sent while another one is held, which follows it then.
    if let held {
      waiting.insert(held.command, at: waiting.firstIndex { !$0.isUrgent } ?? waiting.endIndex)
    }
    held = (command, retryAt)
    held?.command.wasHeld = true
  }

  /// Lets the held command be sent again, because the state has changed.
  mutating func retryHeld(at now: Duration) {
    if held != nil { held?.retryAt = now }
  }

  /// Records that a report has settled the command in flight. The requested song of a disc may end,
  /// and the next one be reported, before the answer to the command arrives.
  mutating func recordPlayback(in state: DeviceState) {
    guard let command = underWay, !command.wasSettled, case .playback = command.spec.settled,
      command.command.isSettled(in: state)
    else { return }
    underWay?.wasSettled = true
  }

  /// Records a report of the device while a command is in flight: its effect may come before the answer.
  ///
  /// - Parameter state: The state with the values of the report.
  mutating func record(_ report: StateNotification, in state: DeviceState, at now: Duration) {
    underWay?.progress?.record(report, in: state, at: now)
  }

  /// Removes and returns the held command if its deadline has passed.
  mutating func removeExpired(at now: Duration) -> QueuedCommand? {
    guard let command = held?.command, let deadline = command.deadline, deadline <= now else {
      return nil
    }
    held = nil
    return command
  }

  // MARK: Giving up

  /// Removes a caller that no longer waits. A waiting command without callers is dropped.
  ///
  /// - Returns: The caller, if it waited here, and the request to cancel.
  mutating func abandon(_ number: Int) -> (caller: CommandCaller, cancel: Int?)? {
    for index in waiting.indices {
      guard let caller = waiting[index].removeCaller(number) else { continue }
      if waiting[index].callers.isEmpty { waiting.remove(at: index) }
      return (caller, nil)
    }
    if var command = held?.command, let caller = command.removeCaller(number) {
      if command.callers.isEmpty { held = nil } else { held?.command = command }
      return (caller, nil)
    }
    guard var command = underWay, let caller = command.removeCaller(number) else { return nil }
    let mustCancel =
      command.callers.isEmpty && command.spec.manner == .cancellable && !command.isCancelled
    if mustCancel { command.isCancelled = true }
    underWay = command
    return (caller, mustCancel ? command.request : nil)
  }

  /// Removes all commands: the device is gone.
  mutating func removeAll() -> [QueuedCommand] {
    defer { self = CommandQueue() }
    return [underWay, held?.command].compactMap(\.self) + waiting
  }

  /// Removes commands that would restore an obsolete setting, because of a newer command by a user.
  mutating func dropRestoration(where isObsolete: (CommandSpec) -> Bool) {
    waiting.removeAll { $0.isRestoring && isObsolete($0.spec) }
    if let command = held?.command, command.isRestoring, isObsolete(command.spec) {
      held = nil
    }
    if let command = underWay, command.isRestoring, isObsolete(command.spec) {
      underWay?.isObsolete = true
    }
  }

  /// Whether a person has given a command that is not accepted yet and makes a restoration with `spec` obsolete.
  func makesObsolete(_ spec: CommandSpec) -> Bool {
    ([underWay, held?.command].compactMap(\.self) + waiting).contains {
      $0.origin == .person && $0.spec.makesObsolete(spec)
    }
  }

  /// Whether a command that keeps a limit is not accepted yet.
  var keepsLimit: Bool {
    ([underWay, held?.command].compactMap(\.self) + waiting).contains { $0.origin == .limit }
  }

  /// Whether a command of the restoration is not accepted yet.
  var isRestoring: Bool {
    underWay?.origin == .restoration || held?.command.origin == .restoration
      || waiting.contains { $0.origin == .restoration }
  }
}

extension QueuedCommand {
  fileprivate var isUrgent: Bool { spec.manner == .urgent && origin == .person }

  fileprivate mutating func removeCaller(_ number: Int) -> CommandCaller? {
    callers.firstIndex { $0.number == number }.map { callers.remove(at: $0) }
  }
}

extension CommandSpec {
  /// Whether this command, given by a person, decides about what the command `restored` would restore.
  func makesObsolete(_ restored: CommandSpec) -> Bool {
    let isOff = settled == .value(.power, "off")
    let endsPlayback = isOff || settled.key == .playback || effect == .releases
    return isOff || restored.settled.key == settled.key && settled.key != nil
      || endsPlayback && restored.settled.key == .playback
  }

  /// Whether this urgent command makes the earlier command `other` pointless: `off` cancels all
  /// others, `stop` and `pause` cancel playback, `mute` cancels `unmute`.
  func contradicts(_ other: CommandSpec) -> Bool {
    if case .value(.power, "off") = settled { return true }
    if other.manner == .cancellable { return true }
    guard let key = settled.key else { return false }
    return other.settled.key == key && other !== self
  }
}

import Devices
import JSON
import PluginProtocol

/// What the controller knows of one device, and what it does when something happens: a value that
/// its proxy guards with a lock. Times come in, effects go out.
struct DeviceCore: Sendable {
  /// What the proxy has to do once the lock is open.
  struct Effects {
    var send: Outgoing?
    var cancel: Int?
    var finished: [(CommandCaller, CommandCaller.Outcome)] = []
    /// Words for the log.
    var warnings: [String] = []
    /// Whether who watches must be told.
    var hasChanged = false
  }

  /// A command that is to be sent now.
  struct Outgoing {
    let request: Int
    let command: Command
  }

  /// Someone who waits until the state shows a command as done.
  private struct Waiter {
    let caller: CommandCaller
    let command: Command
    let deadline: Duration
  }

  /// Where the device's process stands.
  private enum Contact {
    case none
    /// The process is there; the device reports how it found itself.
    case opening
    case open
  }

  let id: DeviceID
  let role: Role
  private(set) var snapshot = DeviceSnapshot()
  private var queue = CommandQueue()
  private var waiters: [Waiter] = []
  private var wanted = WantedState()
  private var contact = Contact.none
  private var limit = NotificationLimit()
  /// How many reports with values have come.
  private var reports = 0
  /// Values that came too fast, until there is room for them: the newest of each key.
  private var heldBack: StateNotification?
  private var lostAt = Duration.zero
  private var memory = DeviceMemory()
  private var playAfterPlug: (commands: [Command], deadline: Duration)?
  private var wasPlugged = false
  private var nextRequest: @Sendable () -> Int = { 0 }

  /// How long restoring what played waits for its cable.
  static let longestWaitForPlug = Duration.seconds(3)
  /// How long values that came too fast are gathered.
  static let gathering = Duration.milliseconds(100)

  init(id: DeviceID, role: Role) {
    self.id = id
    self.role = role
  }

  // MARK: Commands

  /// A person, a scene or a schedule gives a command.
  mutating func submit(_ command: Command, _ caller: CommandCaller, at now: Duration) -> Effects {
    var effects = Effects()
    if let refusal = refusal(of: command) {
      effects.finished.append((caller, .failure(refusal)))
      return effects
    }
    yieldRestoration(to: command.spec)
    let steps = queue.add(QueuedCommand(command: command, origin: .person, callers: [caller]))
    effects.cancel = steps.cancel
    for (dropped, error) in steps.dropped {
      effects.finish(dropped.callers, .failure(named(error)))
    }
    pump(at: now, &effects)
    return effects
  }

  private func refusal(of command: Command) -> DeviceError? {
    guard command.spec.role == role else {
      return named(
        DeviceError(
          .unsupported, "\"\(command.spec.name)\" is a command of the \(command.spec.role.title)",
          hint: "This is a \(role.title)."))
    }
    if case .unavailable(let reason) = snapshot.availability {
      return named(DeviceError(.unavailable, reason))
    }
    return contact == .open ? incapability(command.spec) : nil
  }

  private func incapability(_ spec: CommandSpec) -> DeviceError? {
    guard let capability = spec.capability, !snapshot.capabilities.names.contains(capability) else {
      return nil
    }
    return named(
      DeviceError(
        .unsupported, "this \(role.title) cannot \"\(spec.name)\"",
        hint: "Its plugin does not declare \"\(capability)\" for it."))
  }

  /// What a person decides now counts, not what was lost with the process.
  private mutating func yieldRestoration(to spec: CommandSpec) {
    guard playAfterPlug != nil || queue.isRestoring else { return }
    let isOff = spec.settled == .value(.power, "off")
    let key = spec.settled.key
    queue.dropRestoration { isOff || $0.settled.key == key }
    if isOff || key == .playback { playAfterPlug = nil }
  }

  /// A caller does not wait any more.
  mutating func abandon(_ number: Int, at now: Duration) -> Effects {
    var effects = Effects()
    let error = CommandCaller.Outcome.failure(
      named(DeviceError(.cancelled, "nobody waits for it any more")))
    if let (caller, cancel) = queue.abandon(number) {
      effects.cancel = cancel
      effects.finished.append((caller, error))
    } else if let index = waiters.firstIndex(where: { $0.caller.number == number }) {
      effects.finished.append((waiters.remove(at: index).caller, error))
    }
    pump(at: now, &effects)
    return effects
  }

  private mutating func pump(at now: Duration, _ effects: inout Effects) {
    guard contact == .open else { return }
    while let next = queue.takeNext(at: now, reportsSeen: reports, request: nextRequest) {
      guard let request = next.request else { return }
      guard let error = incapability(next.spec) else {
        limit.expectReports()
        effects.send = Outgoing(request: request, command: next.command)
        return
      }
      // Given before the device was open and could be asked what it can do.
      _ = queue.takeUnderWay(request)
      effects.finish(next.callers, .failure(error))
    }
  }

  // MARK: Replies

  /// The plugin has answered the request, or the session has given it up.
  mutating func replied(_ request: Int, _ result: Result<Void, DeviceError>, at now: Duration)
    -> Effects
  {
    var effects = Effects()
    guard let command = queue.takeUnderWay(request) else { return effects }
    switch result {
    case .success: accepted(command, at: now, &effects)
    case .failure(let error): refused(command, error, at: now, &effects)
    }
    pump(at: now, &effects)
    return effects
  }

  private mutating func accepted(
    _ queued: QueuedCommand, at now: Duration, _ effects: inout Effects
  ) {
    let command = queued.command
    wanted.accept(command, at: now)
    if !snapshot.capabilities.reportsState { assume(command, at: now, &effects) }
    supersede(command, by: queued.callers, at: now, &effects)
    let isObservable = snapshot.capabilities.reportsState && command.spec.settled != .accepted
    for caller in queued.callers {
      if caller.until == .accepted || !isObservable {
        effects.finished.append((caller, .success(.accepted)))
      } else if command.isSettled(in: snapshot.state) {
        effects.finished.append((caller, .success(.observed)))
      } else {
        let deadline = now + command.spec.longest
        waiters.append(Waiter(caller: caller, command: command, deadline: deadline))
      }
    }
  }

  /// Those who wait for what a newer command has changed: a newer value of the same setting serves
  /// them as well, anything else has taken the place of theirs.
  private mutating func supersede(
    _ command: Command, by callers: [CommandCaller], at now: Duration, _ effects: inout Effects
  ) {
    guard !waiters.isEmpty else { return }
    var kept: [Waiter] = []
    for waiter in waiters {
      let other = waiter.command.spec
      if case .setting = other.manner, command.spec.manner == other.manner {
        let deadline = now + command.spec.longest
        kept.append(Waiter(caller: waiter.caller, command: command, deadline: deadline))
      } else if command.takesThePlace(of: waiter.command) {
        let error = DeviceError(.cancelled, "\"\(command.spec.name)\" took its place")
        effects.finished.append((waiter.caller, .failure(named(error))))
      } else {
        kept.append(waiter)
      }
    }
    waiters = kept
    settle(&effects)
  }

  private mutating func refused(
    _ queued: QueuedCommand, _ error: DeviceError, at now: Duration, _ effects: inout Effects
  ) {
    let error = named(error)
    if queued.isCancelled {
      let cancelled = DeviceError(.cancelled, "a newer command took its place", device: id)
      return effects.finish(queued.callers, .failure(cancelled))
    }
    if error.code == .notNow, let deadline = queued.deadline {
      // A report that crossed the refusal may be the very change that is waited for.
      let hasChanged = queued.reportsSeen != reports
      let retryAt = hasChanged ? now : error.retryAfter.map { now + max($0, .milliseconds(10)) }
      if retryAt != nil || snapshot.state.isInTransition, (retryAt ?? now) < deadline {
        return queue.hold(queued, until: retryAt)
      }
    }
    if queued.origin == .restoration {
      effects.warnings.append(
        "\(id): \"\(queued.command)\" could not be restored: \(error.message)")
    }
    effects.finish(queued.callers, .failure(error))
  }

  /// The device cannot tell: what was accepted is taken for true.
  private mutating func assume(_ command: Command, at now: Duration, _ effects: inout Effects) {
    let value: JSON? =
      switch command.spec.settled {
      case .value(_, let value): value
      case .anyValue(_, let values): values.first
      case .argument: command.argument
      case .playback, .accepted: nil
      }
    guard let value, let key = command.spec.settled.key else { return }
    snapshot.state.take(Reading(value, provenance: .assumed, time: now), for: key)
    effects.hasChanged = true
  }

  // MARK: Reports

  /// The plugin tells what is true of the device.
  mutating func report(_ report: StateNotification, at now: Duration) -> Effects {
    var effects = Effects()
    guard limit.allows(at: now) else {
      if limit.shouldWarn() {
        effects.warnings.append(
          "\(id): its plugin reports more than \(Int(NotificationLimit.perSecond)) times a second; "
            + "from now on only the newest values count")
      }
      heldBack = heldBack?.merged(with: report) ?? report
      return effects
    }
    take(heldBack?.merged(with: report) ?? report, at: now, &effects)
    return effects
  }

  private mutating func take(
    _ report: StateNotification, at now: Duration, _ effects: inout Effects
  ) {
    heldBack = nil
    for (key, value) in report.values {
      snapshot.state.take(Reading(value, provenance: report.provenance, time: now), for: key)
      // What a new process reports first is how it begins, not how it is meant to be.
      if contact == .open, !isRestoring, report.provenance == .reported {
        wanted.report(value, for: key, at: now)
      }
    }
    for (name, attribute) in report.attributes {
      snapshot.state.attributes[name] = attribute
    }
    effects.hasChanged = true
    settle(&effects)
    if !report.values.isEmpty {
      reports += 1
      queue.stateChanged(at: now)
    }
    pump(at: now, &effects)
  }

  private var isRestoring: Bool { playAfterPlug != nil || queue.isRestoring }

  private mutating func settle(_ effects: inout Effects) {
    guard !waiters.isEmpty else { return }
    let state = snapshot.state
    waiters.removeAll { waiter in
      guard waiter.command.isSettled(in: state) else { return false }
      effects.finished.append((waiter.caller, .success(.observed)))
      return true
    }
  }

  // MARK: Time

  /// The next moment at which something is due.
  var nextDeadline: Duration? {
    var next = queue.nextDeadline
    for waiter in waiters { next = min(next ?? waiter.deadline, waiter.deadline) }
    if let deadline = playAfterPlug?.deadline { next = min(next ?? deadline, deadline) }
    return next
  }

  /// Whether reports wait for room.
  var isHoldingBack: Bool { heldBack != nil }

  /// Does what is due.
  mutating func tick(at now: Duration) -> Effects {
    var effects = Effects()
    if let report = heldBack, limit.allows(at: now) { take(report, at: now, &effects) }
    if let expired = queue.takeExpired(at: now) {
      let longest = Int(expired.spec.longest.seconds)
      let error = DeviceError(
        .notNow, "\"\(expired.command)\" was not possible within \(longest) s",
        hint: snapshot.state.transition.map { "The device is \($0)." })
      effects.finish(expired.callers, .failure(named(error)))
    }
    for waiter in waiters where waiter.deadline <= now {
      let error = waiter.command.unsettledError(in: snapshot.state)
      effects.finished.append((waiter.caller, .failure(named(error))))
    }
    waiters.removeAll { $0.deadline <= now }
    if let deadline = playAfterPlug?.deadline, deadline <= now { restorePlay(at: now, &effects) }
    pump(at: now, &effects)
    return effects
  }

  // MARK: Contact

  /// A new process is asked to open the device.
  mutating func willOpen() { contact = .opening }

  /// The device is open and has reported how it found itself.
  ///
  /// - Parameters:
  ///   - memory: What the device keeps without its process.
  ///   - nextRequest: Makes ids for requests.
  mutating func opened(
    _ capabilities: Capabilities, memory: DeviceMemory,
    nextRequest: @escaping @Sendable () -> Int, at now: Duration
  ) -> Effects {
    var effects = Effects()
    effects.hasChanged = true
    let isFirst = snapshot.generation == 0
    contact = .open
    self.memory = memory
    self.nextRequest = nextRequest
    snapshot.capabilities = capabilities
    snapshot.availability = .available
    snapshot.generation += 1
    if isFirst {
      for (key, reading) in snapshot.state.readings where reading.provenance == .reported {
        wanted.report(reading.value, for: key, at: now)
      }
    } else {
      restore(at: now, &effects)
    }
    wasPlugged = false
    pump(at: now, &effects)
    return effects
  }

  private mutating func restore(at now: Duration, _ effects: inout Effects) {
    let commands = wanted.differences(
      from: snapshot.state, role: role, remembered: memory.keys,
      loudestStart: memory.loudestStart, lostAt: lostAt)
    for key in memory.keys {
      if let value = snapshot.state[key] { wanted.report(value, for: key, at: now) }
    }
    let split = commands.firstIndex { $0.spec.settled.key == .playback } ?? commands.endIndex
    for command in commands[..<split] { addRestoration(command) }
    guard split < commands.endIndex else { return }
    let needsCable = wasPlugged && snapshot.capabilities.cables.contains { $0 != .wired }
    playAfterPlug = (Array(commands[split...]), now + Self.longestWaitForPlug)
    if !needsCable { restorePlay(at: now, &effects) }
  }

  private mutating func addRestoration(_ command: Command) {
    _ = queue.add(QueuedCommand(command: command, origin: .restoration, callers: []))
  }

  /// The player has its cable.
  mutating func plugged(at now: Duration) -> Effects {
    var effects = Effects()
    wasPlugged = true
    restorePlay(at: now, &effects)
    return effects
  }

  private mutating func restorePlay(at now: Duration, _ effects: inout Effects) {
    guard let (commands, _) = playAfterPlug else { return }
    playAfterPlug = nil
    for command in commands { addRestoration(command) }
    pump(at: now, &effects)
  }

  /// The device cannot be reached.
  ///
  /// - Parameter reason: Why, and what is being done about it, in a person's words.
  mutating func lost(_ reason: String, at now: Duration) -> Effects {
    var effects = Effects()
    if contact == .open { lostAt = now }
    contact = .none
    snapshot.availability = .unavailable(reason)
    snapshot.state.forget()
    heldBack = nil
    playAfterPlug = nil
    effects.hasChanged = true
    let error = named(DeviceError(.unavailable, reason))
    for command in queue.removeAll() { effects.finish(command.callers, .failure(error)) }
    for waiter in waiters { effects.finished.append((waiter.caller, .failure(error))) }
    waiters = []
    return effects
  }

  private func named(_ error: DeviceError) -> DeviceError {
    var error = error
    error.device = id
    return error
  }
}

/// What a device keeps when the process of its plugin ends.
struct DeviceMemory: Sendable {
  /// The keys whose values it keeps.
  var keys: Set<StateKey> = []
  /// The loudest volume, %, with which an amplifier turns on; restoring keeps to it.
  var loudestStart: Int?
}

extension DeviceCore.Effects {
  fileprivate mutating func finish(
    _ callers: [CommandCaller], _ outcome: CommandCaller.Outcome
  ) {
    for caller in callers { finished.append((caller, outcome)) }
  }
}

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
  struct Waiter {
    let caller: CommandCaller
    let command: Command
    let deadline: Duration
  }

  /// Where the device's process stands.
  enum Contact {
    case none
    /// The process is there; the device reports how it found itself.
    case opening
    case open
  }

  let id: DeviceID
  let role: Role
  var snapshot = DeviceSnapshot()
  var queue = CommandQueue()
  var waiters: [Waiter] = []
  var wanted = WantedState()
  var contact = Contact.none
  var limit = NotificationLimit()
  var check: ReportCheck
  /// The newest warning of this start of the plugin, for its status.
  private(set) var warning: String?
  private var hasWarnedOfCatalogue = false
  /// How many reports with values have come.
  var reports = 0
  /// Values that came too fast, until there is room for them: the newest of each key.
  var heldBack: StateNotification?
  var lostAt = Duration.zero
  var memory = DeviceMemory()
  var playAfterPlug: (commands: [Command], deadline: Duration)?
  var wasPlugged = false
  var nextRequest: @Sendable () -> Int = { 0 }

  /// How long restoring what played waits for its cable.
  static let longestWaitForPlug = Duration.seconds(3)
  /// How long values that came too fast are gathered.
  static let gathering = Duration.milliseconds(100)

  init(id: DeviceID, role: Role) {
    self.id = id
    self.role = role
    check = ReportCheck(role)
  }

  // MARK: Warnings

  /// Puts a warning into the log and the plugin's status.
  mutating func warn(_ what: String, _ effects: inout Effects) {
    let text = "\(id): \(what)"
    warning = text
    effects.warnings.append(text)
  }

  /// Warns of the first catalogue that was cut since the plugin's start.
  mutating func cutCatalogue(_ what: String) -> Effects {
    var effects = Effects()
    guard !hasWarnedOfCatalogue else { return effects }
    hasWarnedOfCatalogue = true
    warn(what, &effects)
    return effects
  }

  /// Forgets the warnings, and the attributes of an earlier process: this one may have others.
  mutating func beginReports() {
    limit = NotificationLimit()
    check = ReportCheck(role)
    warning = nil
    hasWarnedOfCatalogue = false
    snapshot.state.attributes = [:]
  }

  // MARK: Reports

  /// Takes the plugin's report of the device's state.
  mutating func report(_ report: StateNotification, at now: Duration) -> Effects {
    var effects = Effects()
    // Check the report before any of it is kept, so that held-back reports are bounded too.
    let report = accepted(report, &effects)
    guard !report.isEmpty else { return effects }
    guard limit.allows(at: now) else {
      if limit.shouldWarn() {
        warn(
          "its plugin reports more than \(Int(ProtocolLimits.reportsPerSecond)) times a second; "
            + "from now on only the newest values count", &effects)
      }
      heldBack = heldBack?.merged(with: report) ?? report
      return effects
    }
    take(heldBack?.merged(with: report) ?? report, at: now, &effects)
    return effects
  }

  private mutating func accepted(_ report: StateNotification, _ effects: inout Effects)
    -> StateNotification
  {
    var warnings: [String] = []
    let accepted = check.accepted(report) { warnings.append($0) }
    for warning in warnings { warn(warning, &effects) }
    return accepted
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
    if report.values[.playback] != nil { queue.notePlayback(in: snapshot.state) }
    if !report.values.isEmpty {
      reports += 1
      queue.stateChanged(at: now)
    }
    pump(at: now, &effects)
  }

  var isRestoring: Bool { playAfterPlug != nil || queue.isRestoring }

  /// Tells those whose command the state shows as done.
  mutating func settle(_ effects: inout Effects) {
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

  /// The error with this device's name in it.
  func named(_ error: DeviceError) -> DeviceError {
    var error = error
    error.device = id
    return error
  }
}

extension DeviceCore.Effects {
  /// Every one of `callers` is told `outcome`.
  mutating func finish(
    _ callers: [CommandCaller], _ outcome: CommandCaller.Outcome
  ) {
    for caller in callers { finished.append((caller, outcome)) }
  }
}

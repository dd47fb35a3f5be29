import Devices
import JSON
import PluginProtocol

/// The controller's knowledge of one device and its reactions to events: a value that the device's
/// proxy guards with a lock. Times come in, effects go out.
struct DeviceCore: Sendable {
  /// The actions for the proxy after it has released the lock.
  struct Effects {
    var send: Outgoing?
    /// The request to cancel.
    var cancel: Int?
    var finished: [(CommandCaller, CommandCaller.Outcome)] = []
    /// Lines for the log.
    var warnings: [String] = []
    /// Whether the device's snapshot has changed.
    var hasChanged = false

    /// Tells `caller` the outcome.
    mutating func finish(_ caller: CommandCaller, _ outcome: CommandCaller.Outcome) {
      finished.append((caller, outcome))
    }

    /// Tells all of `callers` the outcome.
    mutating func finish(_ callers: [CommandCaller], _ outcome: CommandCaller.Outcome) {
      for caller in callers { finish(caller, outcome) }
    }
  }

  /// A command to send now.
  struct Outgoing {
    let request: Int
    let command: Command
  }

  /// Whether the device can be reached.
  private enum Contact {
    case none
    /// The process runs, and the device reports its initial state.
    case opening
    case open
  }

  /// The time between two attempts of a command that waits for a device that cannot be reached.
  private static let lossRetryInterval = Duration.seconds(5)

  let id: DeviceID
  let role: Role
  private(set) var snapshot = DeviceSnapshot()
  /// The newest warning of this start of the plugin, for its status.
  private(set) var warning: String?
  private var hasWarnedOfCatalogue = false
  private var hasWarnedOfPicture = false
  private var contact = Contact.none
  private var intake: ReportIntake
  private var levelIntake = LevelIntake()
  private var plugRequestLimit = NotificationLimit.plugRequests
  private var queue = CommandQueue()
  private var settlement = CommandSettlement()
  private var restoration: Restoration
  private var loudness = LoudnessCap()
  /// The number of reports that changed a value.
  private var reports = 0
  /// When the device last accepted "off".
  private var lastOff: Duration?
  /// What ``takeChangedSettings()`` has returned last, and the values from which that followed.
  private var settings: DeviceSettings
  private var settingsMark = SettingsMark()
  private var nextRequest: @Sendable () -> Int = { 0 }

  /// The values from which the settings follow.
  private struct SettingsMark: Sendable, Equatable {
    var choices = 0
    var volume: Int?
  }

  init(id: DeviceID, role: Role) {
    self.id = id
    self.role = role
    intake = ReportIntake(role)
    restoration = Restoration(role)
    settings = DeviceSettings(role: role, values: [:])
  }

  /// The commands that are not over.
  var commandsInHand: CommandsInHand {
    CommandsInHand(
      underWay: queue.underWay?.command, waiting: queue.allWaiting,
      settling: settlement.commands, due: nextDeadline)
  }

  /// Whether the device is open and can report the levels of its sound.
  var hasLevels: Bool { contact == .open && snapshot.capabilities.names.contains("levels") }

  /// Whether reports are delayed by the rate limit.
  var hasDelayedReports: Bool { intake.hasDelayedReports }

  // MARK: Contact

  /// Takes the settings that were chosen before the controller was started. Has no effect once the device was open.
  mutating func adopt(_ stored: DeviceSettings) {
    guard snapshot.generation == 0, stored.role == role else { return }
    settings = stored
    restoration = Restoration(role, settings: stored)
  }

  /// Returns the settings to store, if they have changed since the last call; `nil` while they are being restored.
  ///
  /// The volume is never above the one that is heard, which another plugin's limit may have lowered:
  /// nothing gets louder by a start of the controller.
  mutating func takeChangedSettings() -> DeviceSettings? {
    guard contact == .open, !isRestoring else { return nil }
    let mark = SettingsMark(choices: restoration.changes, volume: snapshot.state.volume)
    guard mark != settingsMark else { return nil }
    settingsMark = mark
    var values = restoration.settings
    if let heard = mark.volume, let chosen = values[.volume]?.integer, heard < chosen,
      snapshot.state.power == .on, !restoration.awaitsPower
    {
      values[.volume] = .integer(heard)
    }
    let new = DeviceSettings(role: role, values: values)
    guard new != settings else { return nil }
    settings = new
    return new
  }

  /// Prepares for a new process: removes the warnings and attributes of the earlier one.
  mutating func prepareToOpen() {
    contact = .opening
    intake = ReportIntake(role)
    levelIntake = LevelIntake()
    plugRequestLimit = .plugRequests
    warning = nil
    hasWarnedOfCatalogue = false
    hasWarnedOfPicture = false
    snapshot.state.attributes = [:]
  }

  /// Records that the device is open and has reported its initial state.
  ///
  /// - Parameters:
  ///   - memory: What the device and its plugin know.
  ///   - nextRequest: Makes ids for requests.
  mutating func markOpen(
    _ capabilities: Capabilities, memory: DeviceMemory,
    nextRequest: @escaping @Sendable () -> Int, at now: Duration
  ) -> Effects {
    var effects = Effects()
    effects.hasChanged = true
    contact = .open
    self.nextRequest = nextRequest
    snapshot.capabilities = capabilities.bounded(for: role)
    snapshot.availability = .available
    snapshot.generation += 1
    loudness.recordStart()
    keepLoudness(at: now)
    restore(
      snapshot.generation == 1
        ? restoration.begin(with: snapshot, memory: memory, at: now)
        : restoration.restore(from: snapshot, memory: memory, at: now))
    sendNextCommand(at: now, &effects)
    return effects
  }

  /// Sets the highest volume at which the device may be heard.
  mutating func setLoudnessLimit(_ limit: Int?) -> Effects {
    loudness.setLimit(limit)
    return Effects()
  }

  private mutating func restore(
    _ commands: [Command], as origin: QueuedCommand.Origin = .restoration
  ) {
    for command in commands where !queue.makesObsolete(command.spec) {
      _ = queue.add(QueuedCommand(command: command, origin: origin, callers: []))
    }
  }

  /// Gives the device its settings, if they wait until it is on and it is on now.
  private mutating func restoreSettings() {
    guard restoration.awaitsPower else { return }
    // A restoration that turns the device on restores its settings, too.
    let isUnderWay = queue.isRestoring
    let commands = restoration.recordPower(of: snapshot.state)
    // Lights that are turned on shine as brightly as that command says.
    if !isUnderWay { restore(commands.filter { $0.brightness == nil }) }
  }

  /// Records that the player has its cable.
  mutating func markPlugged(at now: Duration) -> Effects {
    var effects = Effects()
    restore(restoration.markPlugged())
    sendNextCommand(at: now, &effects)
    return effects
  }

  /// Records that the device cannot be reached.
  ///
  /// - Parameter reason: The reason and the controller's next action, for people.
  mutating func markUnavailable(_ reason: String, at now: Duration) -> Effects {
    var effects = Effects()
    effects.hasChanged = true
    restoration.suspend(at: now, wasOpen: contact == .open)
    contact = .none
    snapshot.availability = .unavailable(reason)
    snapshot.state.markUnknown()
    intake = ReportIntake(role)
    let error = named(DeviceError(.unavailable, reason))
    for command in queue.removeAll() { effects.finish(command.callers, .failure(error)) }
    effects.finish(settlement.removeAll(), .failure(error))
    return effects
  }

  // MARK: Reports

  /// Handles the plugin's report of the device's state.
  mutating func receive(_ report: StateNotification, at now: Duration) -> Effects {
    var effects = Effects()
    var warnings: [String] = []
    let accepted = intake.accept(report, at: now) { warnings.append($0) }
    for warning in warnings { warn(warning, &effects) }
    for report in accepted { apply(report, at: now, &effects) }
    return effects
  }

  /// Handles the plugin's report of the device's sound levels, which are no state.
  ///
  /// - Returns: The levels; `nil` if they are dropped.
  mutating func receive(
    _ report: LevelsNotification, at now: Duration
  ) -> (Effects, SoundLevels?) {
    var effects = Effects()
    var warnings: [String] = []
    let levels = levelIntake.accept(report, at: now) { warnings.append($0) }
    for warning in warnings { warn(warning, &effects) }
    return (effects, levels)
  }

  /// Handles the player's request for a new connection to its amplifier.
  mutating func receivePlugRequest(at now: Duration) -> Effects {
    var effects = Effects()
    guard contact == .open, role.category != nil else { return effects }
    guard plugRequestLimit.allows(at: now) else {
      if plugRequestLimit.shouldWarn() {
        warn(
          "its plugin asks for a new cable more than \(Int(ProtocolLimits.plugRequestsPerSecond)) times "
            + "a second; further requests are dropped. Tell the plugin's author", &effects)
      }
      return effects
    }
    snapshot.plugRequests += 1
    effects.hasChanged = true
    return effects
  }

  private mutating func apply(
    _ report: StateNotification, at now: Duration, _ effects: inout Effects
  ) {
    var isChange = false
    let isRestoring = isRestoring
    for (key, reported) in report.values {
      // A value that the check has found out of range has no value; the last one stays visible.
      let isNotGiven = report.provenance == .unknown && reported.isNull
      guard let value = isNotGiven ? snapshot.state.readings[key]?.value : reported else {
        continue
      }
      // A plugin may repeat a value, such as right before it refuses a command.
      let before = snapshot.state.readings[key]
      if before?.value != value || before?.provenance != report.provenance { isChange = true }
      snapshot.state.update(Reading(value, provenance: report.provenance, time: now), for: key)
      // The first report of a new process is its initial state, not the wanted one.
      if contact == .open, !isRestoring, report.provenance == .reported {
        let isRepeated = before?.value == value && before?.provenance == .reported
        restoration.record(value, for: key, isRepeated: isRepeated, at: now)
      }
    }
    for (name, attribute) in report.attributes {
      snapshot.state.attributes[name] = attribute
    }
    effects.hasChanged = true
    if contact == .open, report.values[.volume] != nil || report.values[.power] != nil {
      keepLoudness(isVolumeReported: report.values[.volume] != nil, at: now)
    }
    queue.record(report, in: snapshot.state, at: now)
    settlement.record(report, in: snapshot.state, at: now)
    finishDecided(at: now, &effects)
    if contact == .open { restoreSettings() }
    if report.values[.playback] != nil { queue.recordPlayback(in: snapshot.state) }
    if isChange {
      reports += 1
      queue.retryHeld(at: now)
    }
    sendNextCommand(at: now, &effects)
  }

  /// Turns a device down that has started above its limit.
  private mutating func keepLoudness(isVolumeReported: Bool = true, at now: Duration) {
    let correction = loudness.afterReport(
      in: snapshot.state, isVolumeReported: isVolumeReported, isCorrecting: queue.keepsLimit,
      role: role, at: now)
    sendLimit(correction)
  }

  private mutating func sendLimit(_ command: Command?) {
    guard let command else { return }
    _ = queue.add(QueuedCommand(command: command, origin: .limit, callers: []))
  }

  private var isRestoring: Bool { restoration.isWaiting || queue.isRestoring }

  /// Tells the callers whose command is done or has failed.
  private mutating func finishDecided(at now: Duration, _ effects: inout Effects) {
    for (caller, verdict) in settlement.removeDecided(in: snapshot.state, at: now) {
      switch verdict {
      case .observed: effects.finish(caller, .success(.observed))
      case .failed(let error): effects.finish(caller, .failure(named(error)))
      }
    }
  }

  /// Puts a warning into the log and the plugin's status.
  private mutating func warn(_ what: String, _ effects: inout Effects) {
    let text = "\(id): \(what)"
    warning = text
    effects.warnings.append(text)
  }

  /// Warns of the first catalogue that was cut since the plugin's start.
  mutating func warnOfCutCatalogue(_ what: String) -> Effects {
    var effects = Effects()
    guard !hasWarnedOfCatalogue else { return effects }
    hasWarnedOfCatalogue = true
    warn(what, &effects)
    return effects
  }

  /// Warns of the first picture that was dropped since the plugin's start.
  mutating func warnOfDroppedPicture(_ fault: String) -> Effects {
    var effects = Effects()
    guard !hasWarnedOfPicture else { return effects }
    hasWarnedOfPicture = true
    warn(
      "a picture of its plugin is dropped: \(fault). Tell the plugin's author", &effects)
    return effects
  }

  // MARK: Commands

  /// Queues a command of a person, a scene or a schedule, or refuses it at once.
  mutating func submit(_ command: Command, _ caller: CommandCaller, at now: Duration) -> Effects {
    var effects = Effects()
    if let refusal = refusal(of: command) {
      effects.finish(caller, .failure(refusal))
      return effects
    }
    dropRestoration(contradicting: command.spec)
    if command.turnsOn { prepareToTurnOn() }
    let steps = queue.add(QueuedCommand(command: command, origin: .person, callers: [caller]))
    effects.cancel = steps.cancel
    for (dropped, error) in steps.dropped {
      effects.finish(dropped.callers, .failure(named(error)))
    }
    sendNextCommand(at: now, &effects)
    return effects
  }

  /// Gives an amplifier that is off its volume before it is turned on, if it takes one then.
  private mutating func prepareToTurnOn() {
    guard snapshot.state.power != .on, snapshot.capabilities.reportsState else { return }
    let volume =
      restoration.volumeBeforeTurningOn(in: snapshot.state)
      ?? loudness.lowering(in: snapshot.state, role: role)
    restore([volume].compactMap(\.self), as: .attempt)
  }

  private func refusal(of command: Command) -> DeviceError? {
    guard command.role == role else {
      return named(
        DeviceError(
          .unsupported, "\"\(command.spec.name)\" is a command of the \(command.role.title)",
          hint: "This is a \(role.title)."))
    }
    if case .unavailable(let reason) = snapshot.availability {
      return named(DeviceError(.unavailable, reason))
    }
    return contact == .open ? capabilityError(for: command.spec) : nil
  }

  private func capabilityError(for spec: CommandSpec) -> DeviceError? {
    guard let capability = spec.capability, !snapshot.capabilities.names.contains(capability) else {
      return nil
    }
    return named(
      DeviceError(
        .unsupported, "this \(role.title) cannot \"\(spec.name)\"",
        hint: "Its plugin does not declare \"\(capability)\" for it."))
  }

  /// Drops the restoration of settings that a user has changed since.
  private mutating func dropRestoration(contradicting spec: CommandSpec) {
    queue.dropRestoration { spec.makesObsolete($0) }
    let endsPlayback =
      spec.settled == .value(.power, "off") || spec.settled.key == .playback
      || spec.effect == .releases
    if isRestoring, endsPlayback { restoration.dropPlayback() }
  }

  /// Removes a caller that no longer waits.
  mutating func abandon(_ number: Int, at now: Duration) -> Effects {
    var effects = Effects()
    let error = named(DeviceError(.cancelled, "no caller waits for it any more"))
    if let (caller, cancel) = queue.abandon(number) {
      effects.cancel = cancel
      effects.finish(caller, .failure(error))
    } else if let caller = settlement.remove(number) {
      effects.finish(caller, .failure(error))
    }
    sendNextCommand(at: now, &effects)
    return effects
  }

  /// Sends the next command, if one may be sent.
  private mutating func sendNextCommand(at now: Duration, _ effects: inout Effects) {
    guard contact == .open else { return }
    while let next = queue.beginNext(
      in: snapshot.state, at: now, reportsSeen: reports, request: nextRequest,
      limit: loudness.limited)
    {
      guard let request = next.request else { return }
      // A command without the capability was given before the device was open and its capabilities were known.
      let error = capabilityError(for: next.spec)
      let progress = error == nil ? progress(of: next.command) : nil
      guard error != nil || progress != nil else {
        if next.command.turnsOn, snapshot.state.power != .on { loudness.recordStart() }
        intake.expectReports()
        effects.send = Outgoing(request: request, command: next.command)
        return
      }
      _ = queue.removeUnderWay(request)
      if let error { effects.finish(next.callers, .failure(error)) }
      if let progress { effects.finish(next.callers, .success(progress)) }
    }
  }

  /// How it is known that the device carries out such a command at present, so that another one is not sent: a second
  /// load of popcorn would follow the first. `nil` if it must be sent.
  private func progress(of command: Command) -> Confirmation? {
    guard let (_, reading) = command.progress(in: snapshot.state) else { return nil }
    // The report may be older than the effect of an "off".
    if let lastOff, reading.time <= lastOff { return nil }
    return reading.provenance == .reported ? .observed : .accepted
  }

  // MARK: Replies

  /// Handles the plugin's answer to a request, or the session's failure to get one.
  ///
  /// - Parameter isUnanswered: Whether the plugin, which may answer pings, has let the time of the request pass.
  mutating func receiveReply(
    to request: Int, _ result: Result<Void, DeviceError>, isUnanswered: Bool = false,
    at now: Duration
  ) -> Effects {
    var effects = Effects()
    guard let command = queue.removeUnderWay(request) else { return effects }
    if isUnanswered, case .failure(let error) = result { warn(error.message, &effects) }
    switch result {
    case .success: handleAcceptance(command, at: now, &effects)
    case .failure(let error): handleRefusal(command, named(error), at: now, &effects)
    }
    restoreSettings()
    sendNextCommand(at: now, &effects)
    return effects
  }

  private mutating func handleAcceptance(
    _ queued: QueuedCommand, at now: Duration, _ effects: inout Effects
  ) {
    let command = queued.command
    if command.turnsOn, !queue.keepsLimit {
      sendLimit(loudness.afterTurningOn(in: snapshot.state, role: role))
    }
    // Gear may accept a volume and stay as loud as it is.
    if queued.origin == .limit, let reading = snapshot.state.readings[.volume],
      let sent = queued.progress?.sent, reading.time >= sent
    {
      keepLoudness(at: now)
    }
    if queued.origin != .person {
      // A restored setting is wanted already; "on" alone would leave lights at 100 % if contact were
      // lost before the brightness is restored.
      if command.spec.settled.key == .playback { restoration.record(command, at: now) }
    } else if !queued.wasSettled {
      // The player's reports since then are newer than the command: the disc may play its next song.
      restoration.record(command, at: now)
    }
    if !snapshot.capabilities.reportsState { assume(command, at: now, &effects) }
    if command.spec.settled == .value(.power, "off") { lastOff = now }
    var progress = queued.progress ?? EffectProgress(command, in: snapshot.state, at: now)
    progress.markAccepted(at: now)
    let superseded = settlement.supersede(by: progress)
    effects.finish(
      superseded,
      .failure(named(DeviceError(.cancelled, "\"\(command.spec.name)\" took its place"))))
    finishDecided(at: now, &effects)
    let isObservable = snapshot.capabilities.reportsState && command.spec.settled != .accepted
    for caller in queued.callers {
      if caller.until == .accepted || !isObservable {
        effects.finish(caller, .success(.accepted))
      } else if queued.wasSettled || command.isSettled(in: snapshot.state) {
        effects.finish(caller, .success(.observed))
      } else {
        settlement.add(caller, for: progress)
      }
    }
  }

  private mutating func handleRefusal(
    _ queued: QueuedCommand, _ error: DeviceError, at now: Duration, _ effects: inout Effects
  ) {
    // A device that refuses it while it is off gets it when it is on.
    if queued.origin == .attempt { return }
    let isUnwanted = queued.isObsolete || queued.origin == .person && queued.callers.isEmpty
    if queued.isCancelled || isUnwanted && error.code == .notNow {
      let cancelled = DeviceError(.cancelled, "a newer command took its place", device: id)
      return effects.finish(queued.callers, .failure(cancelled))
    }
    if error.code == .unavailable, mayComeBack(queued, at: now) {
      var queued = queued
      queued.lostSince = queued.lostSince ?? now
      return queue.hold(queued, until: now + Self.lossRetryInterval)
    }
    if error.code == .notNow, let deadline = queued.deadline {
      var queued = queued
      queued.lostSince = nil
      // A report that arrived before the refusal may be the awaited change.
      let hasChanged = queued.reportsSeen != reports
      let retryAt = hasChanged ? now : error.retryAfter.map { now + max($0, .milliseconds(10)) }
      if retryAt != nil || role.transition(in: snapshot.state) != nil, (retryAt ?? now) < deadline {
        return queue.hold(queued, until: retryAt)
      }
    }
    fail(queued, error, at: now, &effects)
  }

  /// Whether a command that waited for the device is kept although the device cannot be reached now: projectors drop
  /// their network at the end of cooling.
  private func mayComeBack(_ queued: QueuedCommand, at now: Duration) -> Bool {
    guard queued.wasHeld, let deadline = queued.deadline else { return false }
    let next = now + Self.lossRetryInterval
    return next < deadline && next <= (queued.lostSince ?? now) + EffectProgress.longestLoss
  }

  /// Ends a command that the device has not performed. A command of the restoration has no callers, so a
  /// warning reports it.
  private mutating func fail(
    _ queued: QueuedCommand, _ error: DeviceError, at now: Duration, _ effects: inout Effects
  ) {
    if queued.origin == .limit, snapshot.state.power != .off {
      effects.warnings.append(
        "\(id): its volume could not be limited with \"\(queued.command)\": \(error.message)")
      if queued.command.volume != nil { sendLimit(loudness.silence(role: role)) }
    }
    if queued.origin == .restoration {
      effects.warnings.append(
        "\(id): \"\(queued.command)\" could not be restored: \(error.message)")
      failPlayback(of: queued.command, error, at: now, &effects)
    }
    effects.finish(queued.callers, .failure(error))
  }

  /// Records that an item does not go on after a restart or a swap. The new process reports only that it plays
  /// nothing.
  private mutating func failPlayback(
    of command: Command, _ error: DeviceError, at now: Duration, _ effects: inout Effects
  ) {
    guard command.spec.settled.key == .playback, let item = command.argument?["item"]?.string else {
      return
    }
    let position = command.argument?["position"]?.number ?? 0
    let failed = Playback(.failed, item: item, position: position, reason: error.message)
    snapshot.state.update(Reading(failed.json, provenance: .assumed, time: now), for: .playback)
    effects.hasChanged = true
  }

  /// Assumes the effect of an accepted command, because the device does not report its state.
  private mutating func assume(_ command: Command, at now: Duration, _ effects: inout Effects) {
    let value: JSON? =
      switch command.spec.settled {
      case .value(_, let value): value
      case .anyValue(_, let values): values.first
      case .argument: command.argument
      case .playback, .accepted: nil
      }
    guard let value, let key = command.spec.settled.key else { return }
    snapshot.state.update(Reading(value, provenance: .assumed, time: now), for: key)
    if let level = command.brightness {
      let power: JSON = level > 0 ? "on" : "off"
      snapshot.state.update(Reading(power, provenance: .assumed, time: now), for: .power)
    }
    effects.hasChanged = true
  }

  // MARK: Time

  /// The next deadline.
  var nextDeadline: Duration? {
    var next = queue.nextDeadline
    if let time = settlement.nextDecision(in: snapshot.state) { next = min(next ?? time, time) }
    if let deadline = restoration.deadline { next = min(next ?? deadline, deadline) }
    return next
  }

  /// Handles the deadlines that have passed.
  mutating func tick(at now: Duration) -> Effects {
    var effects = Effects()
    for report in intake.removeDelayed(at: now) { apply(report, at: now, &effects) }
    if let expired = queue.removeExpired(at: now) {
      let longest = Int(expired.spec.longest.seconds)
      let error = DeviceError(
        .notNow, "\"\(expired.command)\" was not possible within \(longest) s",
        hint: role.transition(in: snapshot.state).map { "The device is \($0)." })
      fail(expired, named(error), at: now, &effects)
    }
    finishDecided(at: now, &effects)
    restore(restoration.removeDue(at: now))
    sendNextCommand(at: now, &effects)
    return effects
  }

  /// The error with this device's name in it.
  private func named(_ error: DeviceError) -> DeviceError {
    var error = error
    error.device = id
    return error
  }
}

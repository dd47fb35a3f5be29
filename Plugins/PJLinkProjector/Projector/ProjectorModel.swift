import Devices
import JSON
import PJLink
import Platform
import PluginKit
import PluginProtocol

/// A state machine of one projector, without I/O. Its inputs are jobs, answers and failures, with their times. It
/// returns the next request and the effects to execute.
struct ProjectorModel: Sendable {
  /// A request of the controller.
  enum Job: Sendable, Equatable {
    /// Queries the state for the first time, and reports it.
    case open
    case perform(ProjectorCommand)
  }

  /// The next action.
  enum Step: Equatable {
    case ask(PJLinkRequest)
    /// Nothing is due before this time; for nil, nothing is due until the next job.
    case wait(until: Duration?)
  }

  /// An action that the worker must execute.
  enum Effect: Equatable {
    case report([StateKey: JSON], Provenance)
    case reportAttributes([String: Attribute])
    /// Ends the job with this result.
    case finish(Result<Void, DeviceError>)
    case log(LogNotification.Level, String)

    static func == (left: Effect, right: Effect) -> Bool {
      switch (left, right) {
      case (.report(let values, let provenance), .report(let others, let other)):
        values == others && provenance == other
      case (.reportAttributes(let values), .reportAttributes(let others)): values == others
      case (.finish(.success), .finish(.success)): true
      case (.finish(.failure(let error)), .finish(.failure(let other))): error == other
      case (.log(let level, let text), .log(let otherLevel, let otherText)):
        level == otherLevel && text == otherText
      default: false
      }
    }
  }

  /// An accepted "on" or "off".
  private struct PowerCommand {
    let command: ProjectorCommand
    let time: Duration
    /// When the command is sent once more if the projector still reports the opposite; nil once its effect has begun,
    /// and after the second time.
    var repetition: Duration?
    /// Whether it was sent once more.
    var isRepeated = false

    var request: PJLinkRequest { command == .on ? .turnOn : .turnOff }
    var goal: Power { command == .on ? .on : .off }
    /// The power from before the command.
    var opposite: Power { command == .on ? .off : .on }
  }

  private enum Contact: Equatable {
    /// No request was answered yet, and none has failed.
    case none
    /// The projector answers.
    case good
    /// A request has failed, and none was answered since.
    case lost
    /// The projector refuses the plugin. No request is sent until the options change.
    case refused(LinkFailure)
  }

  /// The progress of the current job.
  private enum Phase: Equatable {
    case checkingPower
    case checkingInput
    case setting
    case confirming
  }

  /// The polling interval while the lamp warms or cools, or a command may still take effect.
  static let quickPolling = Duration.seconds(1)
  /// The longest time until an accepted command takes effect. A command without an effect is then sent once more.
  static let reactionTime = Duration.seconds(15)
  /// The age after which a command is not sent once more: a person may have used the remote control since.
  private static let latestRepetition = Duration.seconds(60)
  /// The longest time until the effect of an accepted "on" or "off" is complete.
  private static let longestEffect = Duration.seconds(300)
  /// How long after an accepted "on" a projector that hides its power counts as warming.
  static let longestWarmUp = Duration.seconds(180)
  /// The longest pause between two attempts to reach a projector that was just turned on or off: projectors drop their
  /// network while they wake.
  static let longestPauseAfterCommand = Duration.seconds(5)
  /// The polling interval of ``details``, which change slowly.
  static let detailInterval = Duration.seconds(600)
  /// How often a projector that neither warms nor cools may answer "not now" to one command before the command fails.
  static let mostRefusals = 8
  /// The longest time between two attempts of one command. A later command of the same name is a new one.
  private static let longestRetryGap = Duration.seconds(60)
  /// The values that are queried only once in ``detailInterval``.
  private static let details: [PJLinkQuery] = [
    .pjlinkClass, .name, .manufacturer, .product, .inputs, .lamps, .filter,
  ]

  private let options: ProjectorOptions
  private let hostAndPort: String
  private var contact = Contact.none
  private var delay = RetryDelay(from: .seconds(1))
  private var job: (job: Job, phase: Phase)?
  /// The remaining queries of the present round of polling.
  private var agenda: [PJLinkQuery] = []
  /// The time of the next round, and of the next round with ``details``.
  private var nextRound = Duration.zero
  private var nextDetails = Duration.zero
  /// The queries that the projector has refused as unknown (ERR1) or left unanswered. They are not repeated in later
  /// rounds until the contact was lost and made again.
  private var unanswerable: Set<PJLinkQuery> = []
  /// The time until which a command that the projector has accepted may still take effect.
  private var reactionEnd = Duration.zero
  /// The last command that the projector has accepted for each of `power` and `picture`, and until when it may take
  /// effect. The report of a new value removes it.
  private var accepted: [StateKey: (command: ProjectorCommand, end: Duration)] = [:]
  /// The command that the projector last answered with "not now", the number of these answers in a row, and the time
  /// of the last one.
  private var refused: (command: String, count: Int, time: Duration)?
  /// The last accepted "on" or "off", until the projector reports that it is on or off.
  private var powerCommand: PowerCommand?
  private var isClassTwo = false
  /// nil if it is unknown.
  private var power: Power?
  /// Whether the power is assumed, because the projector answers "not now" to its query.
  private var isPowerAssumed = false
  private var input: PJLinkInput?
  private var movement: Movement
  private var report = ProjectorReport()

  /// - Parameter hostAndPort: The host and port, for messages.
  init(options: ProjectorOptions, hostAndPort: String) {
    self.options = options
    self.hostAndPort = hostAndPort
    movement = Movement(warmUp: options.warmUp, coolDown: options.coolDown)
  }

  // MARK: Jobs

  /// Begins a job. No other job may be in progress.
  mutating func begin(_ job: Job) -> [Effect] {
    if case .refused(let failure) = contact {
      return [.finish(.failure(failure.error(at: hostAndPort)))]
    }
    if case .perform(let command) = job, let picture = command.picture,
      options.pictures[picture] == nil
    {
      return [.finish(.failure(Self.unsupported(picture)))]
    }
    self.job = (job, .checkingPower)
    return []
  }

  /// Drops the job, because its caller has cancelled it.
  mutating func abandon() { job = nil }

  // MARK: Requests

  /// Returns the next action: a request of the job, or of a round of polling that is due, or a wait.
  mutating func next(at now: Duration) -> Step {
    if case .refused = contact { return .wait(until: nil) }
    if let request { return .ask(request) }
    if let powerCommand, isRepetitionDue(at: now) { return .ask(powerCommand.request) }
    if agenda.isEmpty, nextRound <= now { agenda = [.power] }
    while let query = agenda.first {
      if !unanswerable.contains(query), query.minimumClass == 1 || isClassTwo {
        return .ask(.query(query))
      }
      agenda.removeFirst()
    }
    return .wait(until: nextRound)
  }

  /// The next request of the job; nil without a job.
  private var request: PJLinkRequest? {
    guard let (job, phase) = job else { return nil }
    switch (phase, job) {
    case (.checkingPower, _): return .query(.power)
    case (.checkingInput, _): return .query(.input)
    case (.setting, .perform(.on)): return .turnOn
    case (.setting, .perform(.off)): return .turnOff
    case (.confirming, .perform(.on)), (.confirming, .perform(.off)): return .query(.power)
    case (.setting, .perform(let command)):
      return command.picture.flatMap { options.pictures[$0] }.map { .select($0) }
    case (.confirming, .perform): return .query(.input)
    case (_, .open): return nil
    }
  }

  /// Whether a power command was accepted, but the projector still reports the opposite after the reaction time.
  private func isRepetitionDue(at now: Duration) -> Bool {
    guard let powerCommand, let time = powerCommand.repetition, time <= now else { return false }
    return now < powerCommand.time + Self.latestRepetition && agenda.isEmpty && contact == .good
      && power == powerCommand.opposite && !isPowerAssumed && !powerCommand.isRepeated
  }

  private func interval(at now: Duration) -> Duration {
    power == .warming || power == .cooling || now < reactionEnd
      ? Self.quickPolling : options.polling
  }

  // MARK: Answers

  /// Handles the projector's answer to the last request.
  mutating func handleAnswer(
    _ answer: PJLinkAnswer, to request: PJLinkRequest, method: Authentication.Method?,
    at now: Duration
  ) -> [Effect] {
    var effects = recordContact(method)
    var isRound = false
    if case .query(let query) = request {
      handleQueryAnswer(answer, to: query, at: now, &effects)
      isRound = job == nil && agenda.first == query
      if isRound { agenda.removeFirst() }
    }
    if isRound, request == .query(.power) { chooseQueries(at: now) }
    if job == nil, let powerCommand, request == powerCommand.request {
      handleRepetition(answer, at: now, &effects)
    }
    endPowerCommand(at: now, &effects)
    advance(answer, at: now, &effects)
    return effects
  }

  /// Handles the answer to a power command that was sent once more.
  private mutating func handleRepetition(
    _ answer: PJLinkAnswer, at now: Duration, _ effects: inout [Effect]
  ) {
    powerCommand?.isRepeated = true
    powerCommand?.repetition = now
    guard case .value = answer else { return }
    powerCommand?.repetition = now + Self.reactionTime
    reactionEnd = now + Self.reactionTime
    nextRound = min(nextRound, now + Self.quickPolling)
    effects.append(.log(.info, "the projector did not react, so the command was sent once more"))
  }

  /// Ends the wait for the effect of a power command that was sent twice. The power is reported again, so that the
  /// controller no longer waits either.
  private mutating func endPowerCommand(at now: Duration, _ effects: inout [Effect]) {
    guard let powerCommand, powerCommand.isRepeated, let end = powerCommand.repetition, end <= now,
      power == powerCommand.opposite
    else { return }
    self.powerCommand = nil
    effects.append(
      .report([.power: .string(powerCommand.opposite.rawValue)], .reported))
  }

  /// Records that the projector has answered.
  private mutating func recordContact(_ method: Authentication.Method?) -> [Effect] {
    var effects: [Effect] = []
    if contact == .lost { effects.append(.log(.info, "the projector answers again")) }
    if contact != .good {
      contact = .good
      delay.reset()
      unanswerable = []
      nextDetails = .zero
      report.problem = nil
    }
    report[.authentication] = method.map { .string($0.rawValue) }
    return effects + attributeEffects()
  }

  /// Chooses the further queries of a round, after its query of the power.
  private mutating func chooseQueries(at now: Duration) {
    nextRound = now + interval(at: now)
    guard power != .warming, power != .cooling else { return }
    if power == .on || power == nil { agenda.append(.input) }
    guard now >= reactionEnd else { return }
    if power == .on { agenda.append(.mute) }
    agenda.append(.errors)
    if nextDetails <= now {
      nextDetails = now + Self.detailInterval
      agenda += Self.details
    }
  }

  private mutating func handleQueryAnswer(
    _ answer: PJLinkAnswer, to query: PJLinkQuery, at now: Duration, _ effects: inout [Effect]
  ) {
    switch answer {
    case .error(let error) where query == .power:
      setPower(error == .notNow ? assumedPower(at: now) : nil, isAssumed: true, at: now, &effects)
    case .error(.undefined): unanswerable.insert(query)
    case .error: break
    case .value(let text):
      if !storeReply(text, to: query, at: now, &effects) {
        effects.append(
          .log(.debug, "the projector's answer to \(query.rawValue) has no meaning: \"\(text)\""))
      }
    }
    effects += attributeEffects()
  }

  /// The power of a projector that answers "not now" to its query. Most do so in standby, some while the lamp warms or
  /// cools. Nil if it is unknown.
  private func assumedPower(at now: Duration) -> Power? {
    if let powerCommand {
      let age = now - powerCommand.time
      if powerCommand.command == .off {
        return age < movement.expectedTime(of: .cooling) ? .cooling : .off
      }
      if age < Self.longestWarmUp { return .warming }
    }
    return switch power {
    case .on, .unknown: nil
    case .warming: .warming
    case .cooling: movement.remaining(at: now) > .zero ? .cooling : .off
    case .off, nil: .off
    }
  }

  /// Stores the value of a reply. Returns false if it has no meaning: the value is unknown then.
  private mutating func storeReply(
    _ text: String, to query: PJLinkQuery, at now: Duration, _ effects: inout [Effect]
  ) -> Bool {
    switch query {
    case .power:
      let power = PJLinkValues.power(text)
      setPower(power, isAssumed: false, at: now, &effects)
      return power != nil
    case .input:
      let input = PJLinkInput(text)
      setInput(input, &effects)
      return input != nil
    case .mute: return set(.mute, PJLinkValues.mute(text).map { .string($0) })
    case .errors:
      let status = ErrorStatus(text)
      report.problem = status?.errors.map { "the projector reports: \($0)" }
      return set(.errors, status.map { .string($0.description) })
    case .lamps:
      report.lampHours = PJLinkValues.lampHours(text)
      return report.lampHours.contains { $0 != nil }
    case .filter: return set(.filterHours, PJLinkValues.hours(text).map { .integer($0) })
    case .inputs:
      let inputs = PJLinkValues.inputs(text)
      return set(
        .inputs,
        inputs.map { .string($0.map { options.name(of: $0) }.joined(separator: ", ")) })
    case .name: report[.name] = .string(text)
    case .manufacturer: report[.manufacturer] = .string(text)
    case .product: report[.model] = .string(text)
    case .pjlinkClass:
      guard text == "1" || text == "2" else { return false }
      isClassTwo = text == "2"
      report[.pjlinkClass] = .string(text)
    }
    return true
  }

  /// Sets an attribute; null if the value is unknown. Returns whether it is known.
  private mutating func set(_ name: ProjectorReport.Name, _ value: JSON?) -> Bool {
    report[name] = value ?? .null
    return value != nil
  }

  /// - Parameters:
  ///   - new: The power; nil if the projector does not report it in a form that has a meaning.
  ///   - isAssumed: Whether the projector has not reported it.
  private mutating func setPower(
    _ new: Power?, isAssumed: Bool, at now: Duration, _ effects: inout [Effect]
  ) {
    let wasAssumed = isPowerAssumed
    isPowerAssumed = isAssumed
    if new != power {
      if let new { movement.recordChange(from: power, to: new, at: now) } else { movement.forget() }
      report.movement = movement.attributes
      power = new
      refused = nil
      if !isAssumed, new == .on || new == .off {
        reactionEnd = .zero
        accepted[.power] = nil
      }
      nextRound = min(nextRound, now + interval(at: now))
    }
    if let powerCommand, let new {
      // The effect has begun, has come, or is over.
      let isOver = powerCommand.repetition == nil && new == powerCommand.opposite
      if new != powerCommand.opposite { self.powerCommand?.repetition = nil }
      if !isAssumed, isOver || new == powerCommand.goal { self.powerCommand = nil }
    }
    if new != .on {
      input = nil
      report[.input] = .null
      report[.mute] = .null
      forget(.picture, &effects)
    }
    effects += attributeEffects()
    guard let new else { return forget(.power, &effects) }
    if wasAssumed != isAssumed { report.state[.power] = nil }
    effects += stateEffects(
      [.power: .string(new.rawValue)], isAssumed ? .assumed : .reported)
  }

  private mutating func setInput(_ new: PJLinkInput?, _ effects: inout [Effect]) {
    guard let new else {
      input = nil
      report[.input] = .null
      effects += attributeEffects()
      return forget(.picture, &effects)
    }
    if input != new {
      reactionEnd = .zero
      // An earlier picture may be reported after a later one was accepted.
      let picture = accepted[.picture]?.command.picture
      if picture.flatMap({ options.pictures[$0] }) == new { accepted[.picture] = nil }
    }
    input = new
    report[.input] = .string(options.name(of: new))
    effects += attributeEffects()
    guard !options.pictures.isEmpty else { return }
    if let picture = options.picture(of: new) {
      effects += stateEffects([.picture: .string(picture.rawValue)], .reported)
    } else {
      // The options name no picture for this input.
      forget(.picture, &effects)
    }
  }

  /// Reports that a value is unknown, if it was known.
  private mutating func forget(_ key: StateKey, _ effects: inout [Effect]) {
    guard let known = report.state.removeValue(forKey: key) else { return }
    effects.append(.report([key: known], .unknown))
  }

  /// Stores values, and returns the report of those that have changed.
  private mutating func stateEffects(
    _ values: [StateKey: JSON], _ provenance: Provenance
  ) -> [Effect] {
    let changes = values.filter { report.state[$0.key] != $0.value }
    report.state.merge(changes) { $1 }
    return changes.isEmpty ? [] : [.report(changes, provenance)]
  }

  private mutating func attributeEffects() -> [Effect] {
    let changes = report.removeChanges()
    return changes.isEmpty ? [] : [.reportAttributes(changes)]
  }

  // MARK: The job in progress

  private mutating func advance(
    _ answer: PJLinkAnswer, at now: Duration, _ effects: inout [Effect]
  ) {
    guard let (job, phase) = job else { return }
    let isError = if case .error = answer { true } else { false }
    switch (phase, job) {
    case (.checkingPower, .open):
      // A projector that does not report its power opens, too: it gets commands all the same.
      if power == .on, !options.pictures.isEmpty {
        self.job?.phase = .checkingInput
      } else {
        finish(.success(()), &effects)
      }
    case (.checkingInput, .open), (_, .open): finish(.success(()), &effects)
    case (.checkingPower, .perform(let command)): checkPower(for: command, at: now, &effects)
    case (.checkingInput, .perform(let command)):
      let isThere = command.picture.flatMap { options.pictures[$0] } == input
      if isThere, !isError, !mayStillChange(command, at: now) {
        finishAndReport(.picture, &effects)
      } else {
        self.job?.phase = .setting
      }
    case (.setting, .perform(let command)):
      handleCommandAnswer(answer, to: command, at: now, &effects)
    case (.confirming, .perform): finish(.success(()), &effects)
    }
  }

  /// Decides from the power whether a command is already done, must wait, is refused or is sent. With an unknown power
  /// it is sent.
  private mutating func checkPower(
    for command: ProjectorCommand, at now: Duration, _ effects: inout [Effect]
  ) {
    switch (command, power) {
    case (.on, .on), (.on, .warming), (.off, .off), (.off, .cooling):
      if mayStillChange(command, at: now) || (isPowerAssumed && powerCommand == nil) {
        job?.phase = .setting
      } else {
        finishAndReport(.power, &effects)
      }
    case (_, .warming), (_, .cooling):
      let wait = min(15, max(1, movement.remaining(at: now) / .seconds(1)))
      finish(.failure(Self.busy("the lamp is \(power?.rawValue ?? "")", wait)), &effects)
    case (.on, .off), (.off, .on), (.on, nil), (.off, nil), (.on, .unknown), (.off, .unknown):
      job?.phase = .setting
    case (.tvMode, .on), (.wideScreenMode, .on), (.tvMode, nil), (.wideScreenMode, nil),
      (.tvMode, .unknown), (.wideScreenMode, .unknown):
      job?.phase = .checkingInput
    case (.tvMode, .off), (.wideScreenMode, .off):
      finish(
        .failure(DeviceError(.notNow, "the projector is off", hint: "Turn it on first.")), &effects)
    }
  }

  /// Whether an accepted command with another effect than `command` may still change the reported state.
  private func mayStillChange(_ command: ProjectorCommand, at now: Duration) -> Bool {
    guard let last = accepted[command.key] else { return false }
    return last.command != command && now < last.end
  }

  /// Handles the projector's answer to a command.
  private mutating func handleCommandAnswer(
    _ answer: PJLinkAnswer, to command: ProjectorCommand, at now: Duration,
    _ effects: inout [Effect]
  ) {
    switch answer {
    case .value:
      refused = nil
      reactionEnd = now + Self.reactionTime
      accepted[command.key] = (command, reactionEnd)
      // A projector that hides its power in standby is off already.
      if command.picture == nil, command != .off || power != .off {
        powerCommand = PowerCommand(command: command, time: now, repetition: reactionEnd)
      }
      nextRound = min(nextRound, now + Self.quickPolling)
      job?.phase = .confirming
    // In standby some projectors answer "not now" to everything but "on".
    case .error(.notNow) where command == .off && isPowerAssumed && power == .off:
      finishAndReport(.power, &effects)
    case .error(.notNow): refuse(command, at: now, &effects)
    case .error(.parameter) where command.picture != nil:
      finish(.failure(noInput(command)), &effects)
    case .error(.failure):
      finish(
        .failure(
          DeviceError(
            .failed, "the projector reports a failure (ERR4)",
            hint: "Its lights or its menu say which one; the attribute \"errors\" may name it.")),
        &effects)
    case .error(let error):
      let name = command.invocation.name.rawValue
      finish(
        .failure(
          DeviceError(
            .unsupported, "the projector does not support \"\(name)\" (\(error.rawValue))")),
        &effects)
    }
  }

  /// Ends a command with `notNow` and the time for the next attempt, because the projector said "not now" although it
  /// reports neither warming nor cooling. The controller then repeats the command. After ``mostRefusals`` such answers
  /// the next one fails the command.
  private mutating func refuse(
    _ command: ProjectorCommand, at now: Duration, _ effects: inout [Effect]
  ) {
    let name = command.invocation.name.rawValue
    if let last = refused, last.command != name || now - last.time > Self.longestRetryGap {
      refused = nil
    }
    let count = (refused?.count ?? 0) + 1
    guard count <= Self.mostRefusals else {
      refused = nil
      let error = DeviceError(
        .refused,
        "the projector has refused \"\(name)\" \(count) times (ERR3: not now)",
        hint: "Look at its menu and its lights; a panel lock or an alert may hold it.")
      return finish(.failure(error), &effects)
    }
    let wait = Double(1 << min(count - 1, 3))
    refused = (name, count, now)
    finish(.failure(Self.busy("the projector says \"not now\" (ERR3)", wait)), &effects)
  }

  private mutating func finish(_ result: Result<Void, DeviceError>, _ effects: inout [Effect]) {
    job = nil
    effects.append(.finish(result))
  }

  /// Ends a command whose state is already reported, and reports that state again.
  private mutating func finishAndReport(_ key: StateKey, _ effects: inout [Effect]) {
    let isReported = effects.contains { effect in
      if case .report(let values, let provenance) = effect {
        values[key] != nil && provenance != .unknown
      } else {
        false
      }
    }
    if !isReported, let value = report.state[key] {
      let isAssumed = key == .power && isPowerAssumed
      effects.append(.report([key: value], isAssumed ? .assumed : .reported))
    }
    finish(.success(()), &effects)
  }

  // MARK: Failures

  /// Handles the failure of the last request.
  ///
  /// - Parameter random: A random number, evenly distributed from 0 to 1. It varies the wait before the next attempt.
  mutating func handleFailure(
    _ failure: LinkFailure, of request: PJLinkRequest, at now: Duration, random: Double
  ) -> [Effect] {
    var effects: [Effect] = []
    agenda = []
    if case .query(let query) = request, query != .power, case .noReply = failure {
      skip(query, failure, at: now, &effects)
      return effects
    }
    let pause = delay.next(random: random)
    let isAwaited = powerCommand.map { now < $0.time + Self.longestEffect } ?? false
    nextRound = now + (isAwaited ? min(pause, Self.longestPauseAfterCommand) : pause)
    markUnreachable(failure, &effects)
    if let (job, phase) = job {
      // The projector has accepted the command. When it answers again, the rounds of polling report the effect.
      if phase == .confirming {
        finish(.success(()), &effects)
        return effects
      }
      var error = failure.error(at: hostAndPort)
      // With `invalid`, the controller opens the device again only after its options have changed.
      if job == .open, failure.isFinal { error.code = .invalid }
      finish(.failure(error), &effects)
    }
    return effects
  }

  /// Goes on without the reply to a query. The next query of the power shows whether the projector still answers.
  private mutating func skip(
    _ query: PJLinkQuery, _ failure: LinkFailure, at now: Duration, _ effects: inout [Effect]
  ) {
    nextRound = now
    if job?.phase == .confirming {
      // The projector has accepted the command, and may be busy with it. The rounds of polling repeat the query.
      return finish(.success(()), &effects)
    }
    // The projector may not know this query.
    unanswerable.insert(query)
    nextDetails = now
    guard let (job, _) = job else { return }
    finish(job == .open ? .success(()) : .failure(failure.error(at: hostAndPort)), &effects)
  }

  /// Makes the state unknown, because the projector does not answer or refuses the plugin.
  private mutating func markUnreachable(_ failure: LinkFailure, _ effects: inout [Effect]) {
    let error = failure.error(at: hostAndPort)
    let before = contact
    contact = failure.isFinal ? .refused(failure) : .lost
    power = nil
    isPowerAssumed = false
    input = nil
    movement.forget()
    report.movement = movement.attributes
    // At the first request, the error of the job already gives the reason.
    guard before != .none else { return }
    report.problem = error.message + (error.hint.map { ". " + $0 } ?? "")
    effects += attributeEffects()
    if before == .good { effects.append(.log(.warning, error.description)) }
    if !report.state.isEmpty { effects.append(.report(report.state, .unknown)) }
    report.state = [:]
  }

  // MARK: Errors

  private static func busy(_ message: String, _ seconds: Double) -> DeviceError {
    DeviceError(
      .notNow, message, hint: "Try again in a few seconds.", retryAfter: .seconds(seconds))
  }

  private static func unsupported(_ picture: ProjectorOptions.Picture) -> DeviceError {
    DeviceError(
      .unsupported, "this projector has no input for \"\(picture.command)\"",
      hint: "Name one in the option \"\(picture.option)\".")
  }

  private func noInput(_ command: ProjectorCommand) -> DeviceError {
    let picture = command.picture
    let input = picture.flatMap { options.pictures[$0] }?.code ?? ""
    return DeviceError(
      .unsupported, "the projector has no input \(input) (ERR2)",
      hint:
        "Correct the option \"\(picture?.option ?? "")\"; the attribute \"inputs\" lists its inputs."
    )
  }
}

extension ProjectorCommand {
  /// The picture that the command selects; nil for other commands.
  fileprivate var picture: ProjectorOptions.Picture? {
    switch self {
    case .tvMode: .tv
    case .wideScreenMode: .wideScreen
    case .on, .off: nil
    }
  }

  /// The state that the command changes.
  fileprivate var key: StateKey { picture == nil ? .power : .picture }
}

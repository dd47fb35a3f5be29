import Devices
import JSON
import PluginProtocol

/// A state machine of one device, without I/O. Jobs, messages and times are its inputs; it returns the effects to
/// execute.
struct DeviceModel: Sendable {
  /// A request of the controller.
  enum Job: Sendable, Hashable {
    /// Waits for the first state of the device, and reports it.
    case open
    /// Sends the command for a goal, and waits until the device confirms it.
    case reach(Goal)
  }

  /// An action that the caller must execute.
  enum Effect: Sendable {
    case publish(MQTTMessage)
    case report([StateKey: JSON], Provenance)
    case reportAttributes([String: Attribute])
    /// Ends the job with this result.
    case finish(Result<Void, DeviceError>)
    case log(LogNotification.Level, String)
  }

  private enum Contact: Hashable {
    /// There is no connection to the broker.
    case disconnected
    /// There is a connection to the broker, but the device has not reported its state or is offline.
    case connected
    /// The device has reported its state on this connection.
    case responsive
  }

  /// The job in progress.
  private struct ActiveJob {
    let job: Job
    /// The longest wait.
    let timeout: Duration
    let deadline: Duration
    /// Whether the command was sent on the present connection.
    var isSent = false
    /// Which reports have followed the command.
    var answer = CommandAnswer.none
    /// Whether the command was sent once more.
    var isRepeated = false
    /// The time before which the command is not sent once more: a repeated command would begin a fade anew.
    var earliestRepeat = Duration.zero
    /// The time of the next query of the state, unless the device confirms the command before; nil
    /// until the command is sent.
    var query: Duration?
    /// Whether the state was queried since the command was sent.
    var isAsked = false
  }

  /// A goal that the plugin must reach without a command. The request is repeated until the device confirms it.
  private struct PendingGoal {
    let goal: Goal
    /// The time of the next attempt.
    var next: Duration
    var tries = 0
  }

  /// The longest wait for the first state after a connection was made, or after the device came online again.
  private static let firstStateTimeout = Duration.seconds(3)
  /// The longest wait for a confirmation. The controller waits 10 s for the answer to a command.
  private static let longestTimeout = Duration.seconds(9)
  /// The longest time in which the state is queried that changes after an accepted command.
  private static let longestFollowing = Duration.seconds(90)
  /// The longest time for the job `open`.
  static let openingTimeout = Duration.seconds(8)
  /// The time after a command without its confirmation after which the state is queried.
  static let confirmationDelay = Duration.milliseconds(700)
  /// The time between two further attempts to reach a goal.
  static let retryInterval = Duration.seconds(2)
  /// The silence after which the state is queried, and the silence after which it becomes unknown.
  /// Both are multiples of the profile's interval.
  private static let (askedSilence, lostSilence) = (2, 3)

  private let profile: any DeviceProfile
  /// The broker's host and port, for messages.
  private let hostAndPort: String
  private let timeout: Duration
  private var appliance: any ApplianceModel
  private var contact = Contact.disconnected
  /// The reason why there is no connection to the broker; nil while there is one.
  private var failure: BrokerFailure?
  /// The availability topics whose last message was "offline".
  private var offline: Set<String> = []
  private var activeJob: ActiveJob?
  /// Whether a command timed out or was cancelled after it was sent. It may still take effect. So the next command is
  /// confirmed only by a state that the device reports after that command.
  private var mayChangeLate = false
  private var isOpen = false
  /// The time of the last message of the device.
  private var lastMessage = Duration.zero
  /// Whether the state was queried since the last message, because the device was silent.
  private var isAskedAfterSilence = false
  /// When the state is queried next because it still changes after a command, and until when it is; nil if it rests.
  private var following: (next: Duration, end: Duration)?
  /// The goal to reach without a command; nil for none.
  private var pendingGoal: PendingGoal?
  /// The time at which a device that has not reported its state counts as silent. It is set at each
  /// connection, and when the device is online again. It becomes nil with the first state, and when
  /// the time has passed.
  private var firstStateDeadline: Duration?
  private var reported = ReportedState()
  /// The first subscription that the broker has refused on this connection.
  private var refusedSubscription: DeviceError?
  /// Whether the connection accepts no more messages. The caller sets it before each input.
  var isConnectionFull = false

  /// - Parameters:
  ///   - hostAndPort: The broker's host and port, for messages.
  ///   - timeout: The longest wait until the device confirms a command.
  init(
    profile: any DeviceProfile, appliance: any ApplianceModel, hostAndPort: String,
    timeout: Duration
  ) {
    self.profile = profile
    self.appliance = appliance
    self.hostAndPort = hostAndPort
    self.timeout = timeout
  }

  /// The optional commands that the device supports, and whether it reports its state.
  var capabilities: Capabilities {
    let names = appliance.capabilities.filter { $0 != "stop" || profile.supports(.stop) }
    return Capabilities(names: names, reportsState: profile.reportsState)
  }

  /// The time of the next `tick`; nil for none.
  var deadline: Duration? {
    var deadlines = [activeJob?.deadline, activeJob?.query, appliance.deadline, firstStateDeadline]
      .compactMap(\.self)
    if contact == .responsive, let silenceDeadline { deadlines.append(silenceDeadline) }
    if contact != .disconnected, let pendingGoal { deadlines.append(pendingGoal.next) }
    if let following { deadlines.append(following.next) }
    return deadlines.min()
  }

  private var silenceDeadline: Duration? {
    profile.interval.map {
      lastMessage + $0 * (isAskedAfterSilence ? Self.lostSilence : Self.askedSilence)
    }
  }

  // MARK: Jobs

  /// Begins a job. No other job may be in progress.
  mutating func begin(_ job: Job, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    do throws(DeviceError) {
      if case .reach(let goal) = job {
        let request = try appliance.request(for: goal, at: now)
        guard profile.supports(request) else { throw Self.notConfigured }
      }
    } catch {
      return [.finish(.failure(error))]
    }
    if !offline.isEmpty { return [.finish(.failure(offlineError))] }
    let longest =
      job == .open
      ? Self.openingTimeout : max(timeout, min(timeout + profile.fadeTime, Self.longestTimeout))
    activeJob = ActiveJob(job: job, timeout: longest, deadline: now + longest)
    following = nil
    send(at: now, &effects)
    return effects
  }

  /// Drops the job, because its caller has cancelled it.
  mutating func abandon() {
    mayChangeLate = mayChangeLate || activeJob?.isSent == true
    activeJob = nil
  }

  /// The messages to send when the device is closed.
  var closingMessages: [MQTTMessage] {
    appliance.closingRequest.map { profile.messages(for: $0) } ?? []
  }

  /// Sends the job's command, if the device has reported its state on this connection. Before that the command waits:
  /// after a failure of the network, the broker may be back before the device. A device that is silent for
  /// ``firstStateTimeout`` gets the command all the same: a group of lights has no state to report before.
  private mutating func send(at now: Duration, _ effects: inout [Effect]) {
    guard contact != .disconnected, let job = activeJob?.job, activeJob?.isSent == false else {
      return
    }
    switch job {
    case .open:
      activeJob?.isSent = true
      if !profile.reportsState { complete(at: now, &effects) }
    case .reach(let goal):
      guard contact == .responsive || !profile.reportsState || isSilent else { return }
      guard !isConnectionFull else { return fail(notHandedOver, &effects) }
      do throws(DeviceError) {
        try publish(goal, at: now, &effects)
      } catch {
        // The state has changed while the command waited.
        return fail(error, &effects)
      }
      activeJob?.isSent = true
      if profile.reportsState {
        activeJob?.query = now + Self.confirmationDelay
        let fadeTime = profile.fadeTime
        activeJob?.earliestRepeat = now + fadeTime + Self.retryInterval
        advance(at: now, &effects)
      } else {
        // The device cannot confirm a command, so the command counts as done when it was published.
        contact = .responsive
        appliance.assume(goal, at: now)
        complete(at: now, &effects)
      }
    }
  }

  /// Whether the device has reported no state in the time that it had for it.
  private var isSilent: Bool {
    contact == .connected && offline.isEmpty && firstStateDeadline == nil
  }

  /// Publishes the request for a goal.
  ///
  /// - Throws: The reason why the present state does not allow it.
  private mutating func publish(
    _ goal: Goal, at now: Duration, _ effects: inout [Effect]
  ) throws(DeviceError) {
    let request = try appliance.request(for: goal, at: now)
    appliance.didSend(goal)
    effects += profile.messages(for: request).map { .publish($0) }
  }

  private func queryState(_ effects: inout [Effect]) {
    effects += profile.messages(for: .query).map { .publish($0) }
  }

  /// Ends the job if the device has confirmed it.
  private mutating func advance(at now: Duration, _ effects: inout [Effect]) {
    guard let activeJob, activeJob.isSent else { return }
    switch activeJob.job {
    case .open: if contact == .responsive { complete(at: now, &effects) }
    case .reach(let goal):
      guard activeJob.answer != .none || !mayChangeLate else { return }
      if appliance.confirms(goal, activeJob.answer) { complete(at: now, &effects) }
    }
  }

  private mutating func complete(at now: Duration, _ effects: inout [Effect]) {
    guard let activeJob else { return }
    if case .reach(let goal) = activeJob.job {
      appliance.didAccept(goal, at: now)
      // A report must follow every command, even if the state has not changed.
      reported.forceNextReport(of: goal.keys)
      if profile.reportsState, appliance.isOnItsWay {
        following = (now + Self.retryInterval, now + Self.longestFollowing)
      }
    } else {
      isOpen = true
    }
    report(&effects)
    self.activeJob = nil
    mayChangeLate = false
    effects.append(.finish(.success(())))
  }

  private mutating func fail(_ error: DeviceError, _ effects: inout [Effect]) {
    guard activeJob != nil else { return }
    activeJob = nil
    effects.append(.finish(.failure(error)))
  }

  // MARK: The broker

  /// Handles a new connection to the broker.
  mutating func connected(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    contact = .connected
    failure = nil
    refusedSubscription = nil
    queryState(&effects)
    expectFirstState(at: now)
    pendingGoal?.next = now
    send(at: now, &effects)
    effects += tick(at: now)
    return effects
  }

  /// Begins the wait for the first state, if the device reports its state.
  private mutating func expectFirstState(at now: Duration) {
    firstStateDeadline = profile.reportsState ? now + Self.firstStateTimeout : nil
  }

  /// Handles the loss of the connection, and a failed attempt to connect.
  mutating func disconnected(_ failure: BrokerFailure, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    self.failure = failure
    offline = []
    let wasResponsive = contact == .responsive
    contact = .disconnected
    firstStateDeadline = nil
    following = nil
    activeJob?.isSent = false
    activeJob?.answer = .none
    activeJob?.isRepeated = false
    activeJob?.isAsked = false
    activeJob?.query = nil
    mayChangeLate = false
    if wasResponsive { effects.append(.log(.warning, failure.message)) }
    forget(&effects)
    // A command waits for the next connection, unless the broker refuses the plugin. Opening fails, because the
    // controller tries again to open the device.
    if activeJob?.job == .open || failure.isRefusal {
      fail(failure.error, &effects)
    }
    return effects
  }

  /// Handles the broker's refusal of a subscription.
  mutating func refusedSubscription(_ topic: String) -> [Effect] {
    var effects: [Effect] = []
    let error = DeviceError(
      .refused, "the broker at \(hostAndPort) refuses the subscription of \"\(topic)\"",
      hint: "Allow it in the broker's access list.")
    effects.append(.log(.warning, error.description))
    refusedSubscription = refusedSubscription ?? error
    if activeJob?.job == .open { fail(error, &effects) }
    if isOpen { reportAttributes(&effects) }
    return effects
  }

  // MARK: Messages

  /// Handles a message of one of the profile's topics.
  mutating func receive(_ message: MQTTMessage, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    guard contact != .disconnected else { return effects }
    lastMessage = now
    isAskedAfterSilence = false
    for observation in profile.observations(in: message) {
      apply(observation, from: message.topic, at: now, &effects)
    }
    if offline.isEmpty { report(&effects) }
    advance(at: now, &effects)
    send(at: now, &effects)
    return effects
  }

  private mutating func apply(
    _ observation: Observation, from topic: String, at now: Duration, _ effects: inout [Effect]
  ) {
    switch observation {
    case .online(true):
      guard offline.remove(topic) != nil, offline.isEmpty else { return }
      effects.append(.log(.info, "the device is online again"))
      queryState(&effects)
      expectFirstState(at: now)
      pendingGoal?.next = now
    case .online(false):
      guard offline.insert(topic).inserted else { return }
      contact = .connected
      forget(&effects)
      fail(offlineError, &effects)
    case .refused(let reason):
      effects.append(.log(.warning, "the device refused a request: \(reason)"))
      guard case .reach(let goal) = activeJob?.job, activeJob?.isSent == true else { return }
      appliance.wasRefused(goal)
      fail(DeviceError(.refused, "the device refused the command: \(reason)"), &effects)
    case .power, .brightness, .lowered, .end, .motion:
      // A state of an offline device is an old, retained message.
      guard offline.isEmpty else { return }
      contact = .responsive
      firstStateDeadline = nil
      if let job = activeJob, job.isSent {
        activeJob?.answer = job.isRepeated ? .repeated : .reported
      }
      appliance.observe(observation, at: now)
      if let pendingGoal, appliance.confirms(pendingGoal.goal, .reported) {
        self.pendingGoal = nil
      }
    }
  }

  // MARK: Time

  /// Handles the deadlines that have passed.
  mutating func tick(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    if let goal = appliance.tick(at: now) { pendingGoal = PendingGoal(goal: goal, next: now) }
    retryPendingGoal(at: now, &effects)
    if let firstStateDeadline, firstStateDeadline <= now {
      self.firstStateDeadline = nil
      queryState(&effects)
      if isOpen { reportAttributes(&effects) }
      openSilently(at: now, &effects)
      send(at: now, &effects)
    }
    repeatRequest(at: now, &effects)
    follow(at: now, &effects)
    if let deadline = activeJob?.deadline, deadline <= now { openSilently(at: now, &effects) }
    if let deadline = activeJob?.deadline, deadline <= now {
      mayChangeLate = mayChangeLate || activeJob?.isSent == true
      fail(timeoutError, &effects)
    }
    if contact == .responsive, let silenceDeadline, silenceDeadline <= now {
      handleSilence(&effects)
    }
    if contact == .responsive { report(&effects) }
    return effects
  }

  /// Opens a device that has reported no state: its state is unknown, and it gets commands.
  private mutating func openSilently(at now: Duration, _ effects: inout [Effect]) {
    guard activeJob?.job == .open, contact == .connected, offline.isEmpty else { return }
    complete(at: now, &effects)
  }

  /// Queries a state that still changes after an accepted command.
  private mutating func follow(at now: Duration, _ effects: inout [Effect]) {
    guard let following, following.next <= now else { return }
    guard contact == .responsive, appliance.isOnItsWay, now < following.end else {
      self.following = nil
      return
    }
    self.following?.next = now + Self.retryInterval
    queryState(&effects)
  }

  /// Queries the state if a command was not confirmed in time. From the second time on, also repeats the command, once
  /// the fade that it asks for would be over. Repeating is safe, because commands name the wanted state and never
  /// toggle.
  private mutating func repeatRequest(at now: Duration, _ effects: inout [Effect]) {
    guard let activeJob, let query = activeJob.query, query <= now else { return }
    if activeJob.isAsked, activeJob.earliestRepeat <= now, case .reach(let goal) = activeJob.job {
      // A goal that the state no longer allows is not repeated; the job ends at its deadline.
      try? publish(goal, at: now, &effects)
      self.activeJob?.isRepeated = true
    }
    self.activeJob?.isAsked = true
    self.activeJob?.query = now + Self.retryInterval
    queryState(&effects)
  }

  /// Publishes the request for the pending goal if an attempt is due.
  private mutating func retryPendingGoal(at now: Duration, _ effects: inout [Effect]) {
    guard let due = pendingGoal, due.next <= now, contact != .disconnected else { return }
    guard !isConnectionFull else {
      pendingGoal?.next = now + Self.retryInterval
      return
    }
    // A state in which the device cannot be turned off now leaves the goal pending.
    try? publish(due.goal, at: now, &effects)
    if profile.reportsState {
      pendingGoal?.next = now + Self.retryInterval
      pendingGoal?.tries += 1
    } else {
      appliance.assume(due.goal, at: now)
      pendingGoal = nil
    }
  }

  /// Handles a device that was silent for too long: the first call queries its state, the second
  /// one makes the state unknown.
  private mutating func handleSilence(_ effects: inout [Effect]) {
    if !isAskedAfterSilence {
      isAskedAfterSilence = true
      return queryState(&effects)
    }
    contact = .connected
    isAskedAfterSilence = false
    effects.append(.log(.warning, silenceProblem))
    forget(&effects)
  }

  // MARK: Reports

  /// Reports changed values and attributes while the device is open or being opened.
  private mutating func report(_ effects: inout [Effect]) {
    guard isOpen || activeJob?.job == .open else { return }
    reportAttributes(&effects)
    var values = appliance.values
    if !profile.reportsState { for key in values.keys { values[key]?.provenance = .assumed } }
    effects += reported.report(values)
  }

  private mutating func reportAttributes(_ effects: inout [Effect]) {
    effects += reported.report(appliance.attributes, problem: problem)
  }

  /// Makes the state unknown, and reports that if the device is open.
  private mutating func forget(_ effects: inout [Effect]) {
    appliance.forget()
    guard isOpen else { return }
    reportAttributes(&effects)
    effects += reported.reportAllAsUnknown()
  }

  /// The text of the attribute `problem`; nil without a problem.
  private var problem: String? {
    let isUnconfirmed = pendingGoal.map { $0.tries > 1 || contact == .disconnected } ?? false
    let warning = isUnconfirmed ? "The device is not confirmed to be off" : nil
    var sentences: [String] = [warning].compactMap(\.self)
    if let failure {
      sentences += [failure.message, failure.hint]
    } else if let refusedSubscription {
      sentences += [refusedSubscription.message, refusedSubscription.hint].compactMap(\.self)
    } else if !offline.isEmpty {
      sentences.append(offlineError.message)
    } else if contact == .responsive {
      sentences += [appliance.problem].compactMap(\.self)
    } else if profile.reportsState, isOpen, firstStateDeadline == nil {
      sentences.append(silenceProblem)
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: ". ")
  }

  // MARK: Errors

  private static let notConfigured = DeviceError(
    .unsupported, "the template has no such command",
    hint: "Add it to \"template.commands\" in the device's options.")

  /// The error of a command whose message the connection did not accept.
  var notHandedOver: DeviceError {
    DeviceError(
      .unavailable,
      "the command was not sent to the broker at \(hostAndPort): it takes messages too slowly, or the connection "
        + "was lost",
      hint: "Check the broker and its network, and try again.")
  }

  private var silenceProblem: String {
    "the device reports no state on \"\(profile.stateTopic)\"; commands are sent all the same"
  }

  private var offlineError: DeviceError {
    DeviceError(
      .unavailable,
      "the topic \"\(offline.sorted().first ?? "")\" says that the device is offline",
      hint: "Check its power and its network.")
  }

  private var timeoutError: DeviceError {
    if contact == .disconnected {
      return failure?.error
        ?? DeviceError(
          .unavailable, "there is no connection to the broker at \(hostAndPort) yet",
          hint: "Check that it runs.")
    }
    return DeviceError(
      .timeout,
      "the device has not confirmed the command on \"\(profile.stateTopic)\" within "
        + "\(JSON.number((activeJob?.timeout ?? timeout).seconds).text()) s",
      hint: "Check the device, and the topics in its options.")
  }
}

extension Goal {
  /// The keys of the state that a goal changes.
  fileprivate var keys: [StateKey] {
    switch self {
    case .power: [.power]
    case .brightness: [.power, .brightness]
    case .end, .standstill: [.position]
    case .load: [.popping]
    }
  }
}

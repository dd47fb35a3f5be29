import Devices
import JSON
import PluginProtocol

/// The knowledge of one device as a state machine without I/O: jobs, messages and the time come in; effects
/// go out.
struct DeviceModel: Sendable {
  /// Something that the controller asks for.
  enum Job: Sendable, Hashable {
    /// Makes contact and reports the state.
    case open
    case reach(Goal)
  }

  /// An action for the device.
  enum Effect: Sendable {
    case publish(MQTTMessage)
    case report([StateKey: JSON], Provenance)
    case reportAttributes([String: Attribute])
    case finish(Result<Void, DeviceError>)
    case log(LogNotification.Level, String)
  }

  private enum Contact: Hashable {
    /// No connection to the broker.
    case disconnected
    case connected
    /// The device has told its state.
    case good
  }

  /// A job under way.
  private struct Work {
    let job: Job
    let deadline: Duration
    /// Whether its command was sent on the present connection.
    var isSent = false
    var wasObserved = false
    /// When the state is asked for, because the command did not show by itself.
    var query: Duration?
    var isAsked = false
  }

  /// A goal that the plugin must reach without a command.
  private struct Duty {
    let goal: Goal
    var next: Duration
    var tries = 0
  }

  /// How long a device has to tell its state after the connection was made.
  private static let greetingTime = Duration.seconds(3)
  /// How long opening may take.
  static let openingTime = Duration.seconds(8)
  /// How long a command may not show before the state is asked for.
  static let reactionTime = Duration.milliseconds(700)
  /// The time between two tries of something that the plugin must reach by itself.
  static let retryInterval = Duration.seconds(2)
  /// The silence, in intervals, after which the device is asked, and after which it counts as lost.
  private static let (askedSilence, lostSilence) = (2, 3)

  private let profile: any DeviceProfile
  private let place: String
  private let timeout: Duration
  private var appliance: any ApplianceModel
  private var contact = Contact.disconnected
  private var failure: BrokerFailure?
  /// The topics that said last that the device is offline.
  private var offline: Set<String> = []
  private var work: Work?
  private var isOpen = false
  private var lastMessage = Duration.zero
  private var isAskedAfterSilence = false
  /// What the plugin must reach by itself, and the next try.
  private var duty: Duty?
  /// When a device that has told nothing since the connection stands counts as silent.
  private var greeting: Duration?
  private var reported: [StateKey: KnownValue] = [:]
  private var reportedAttributes: [String: Attribute] = [:]

  /// - Parameters:
  ///   - place: The broker's host and port for people.
  ///   - timeout: How long a command may take to show.
  init(
    profile: any DeviceProfile, appliance: any ApplianceModel, place: String, timeout: Duration
  ) {
    self.profile = profile
    self.appliance = appliance
    self.place = place
    self.timeout = timeout
  }

  /// The optional commands of the device, and whether it reports its state.
  var capabilities: Capabilities {
    let names = appliance.capabilities.filter { $0 != "stop" || profile.has(.stop) }
    return Capabilities(names: names, reportsState: profile.reportsState)
  }

  /// The time of the next `tick`; nil for none.
  var deadline: Duration? {
    var deadlines = [work?.deadline, work?.query, appliance.deadline, greeting].compactMap(\.self)
    if contact == .good, let silence { deadlines.append(silence) }
    if contact != .disconnected, let duty { deadlines.append(duty.next) }
    return deadlines.min()
  }

  private var silence: Duration? {
    profile.interval.map {
      lastMessage + $0 * (isAskedAfterSilence ? Self.lostSilence : Self.askedSilence)
    }
  }

  // MARK: Jobs

  /// Begins a job; no other one may be under way.
  mutating func begin(_ job: Job, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    do throws(DeviceError) {
      if case .reach(let goal) = job {
        let request = try appliance.request(for: goal, at: now)
        guard profile.has(request) else { throw Self.notConfigured }
      }
    } catch {
      return [.finish(.failure(error))]
    }
    if !offline.isEmpty { return [.finish(.failure(offlineError))] }
    let time = job == .open ? Self.openingTime : timeout
    work = Work(job: job, deadline: now + time)
    send(at: now, &effects)
    return effects
  }

  /// Drops the job, whose caller has cancelled it.
  mutating func abandon() { work = nil }

  /// The messages to send before the plugin leaves the device.
  var farewell: [MQTTMessage] { appliance.farewell.map { profile.messages(for: $0) } ?? [] }

  /// Sends the job's command, once the device has told its state on the present connection: before that it may
  /// not have come back itself.
  private mutating func send(at now: Duration, _ effects: inout [Effect]) {
    guard contact != .disconnected, let job = work?.job, work?.isSent == false else { return }
    switch job {
    case .open:
      work?.isSent = true
      if !profile.reportsState { complete(at: now, &effects) }
    case .reach(let goal):
      guard contact == .good || !profile.reportsState else { return }
      work?.isSent = true
      publish(goal, at: now, &effects)
      if profile.reportsState {
        work?.query = now + Self.reactionTime
        advance(at: now, &effects)
      } else {
        // Such a device has accepted what the broker takes.
        contact = .good
        appliance.assume(goal, at: now)
        complete(at: now, &effects)
      }
    }
  }

  private func publish(_ goal: Goal, at now: Duration, _ effects: inout [Effect]) {
    guard let request = try? appliance.request(for: goal, at: now) else { return }
    effects += profile.messages(for: request).map { .publish($0) }
  }

  private func ask(_ effects: inout [Effect]) {
    effects += profile.messages(for: .query).map { .publish($0) }
  }

  /// Ends the job if the state shows it.
  private mutating func advance(at now: Duration, _ effects: inout [Effect]) {
    guard let work, work.isSent else { return }
    switch work.job {
    case .open: if !appliance.values.isEmpty { complete(at: now, &effects) }
    case .reach(let goal):
      if appliance.shows(goal, wasObserved: work.wasObserved) { complete(at: now, &effects) }
    }
  }

  private mutating func complete(at now: Duration, _ effects: inout [Effect]) {
    guard let work else { return }
    if case .reach(let goal) = work.job {
      appliance.begin(goal, at: now)
      // The state is reported again, also if it was there before.
      for key in goal.keys { reported[key] = nil }
      if duty?.goal != goal { duty = nil }
    } else {
      isOpen = true
    }
    report(&effects)
    self.work = nil
    effects.append(.finish(.success(())))
  }

  private mutating func fail(_ error: DeviceError, _ effects: inout [Effect]) {
    guard work != nil else { return }
    work = nil
    effects.append(.finish(.failure(error)))
  }

  // MARK: The broker

  /// The connection to the broker stands, and the topics are subscribed.
  mutating func connected(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    contact = .connected
    failure = nil
    ask(&effects)
    greeting = profile.reportsState ? now + Self.greetingTime : nil
    duty?.next = now
    send(at: now, &effects)
    effects += tick(at: now)
    return effects
  }

  /// There is no connection to the broker.
  mutating func lost(_ failure: BrokerFailure, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    self.failure = failure
    offline = []
    let wasGood = contact == .good
    contact = .disconnected
    greeting = nil
    work?.isSent = false
    work?.query = nil
    if wasGood { effects.append(.log(.warning, failure.message)) }
    forget(&effects)
    // A command waits for the connection; opening is tried again by the controller.
    if work?.job == .open || failure.isRefusal {
      fail(failure.error, &effects)
    }
    return effects
  }

  /// The broker does not let the plugin read a topic.
  mutating func refusedSubscription(_ topic: String) -> [Effect] {
    var effects: [Effect] = []
    let error = DeviceError(
      .refused, "the broker at \(place) refuses the subscription of \"\(topic)\"",
      hint: "Allow it in the broker's access list.")
    effects.append(.log(.warning, error.description))
    if work?.job == .open { fail(error, &effects) }
    return effects
  }

  // MARK: Messages

  /// Takes a message of one of the profile's topics.
  mutating func receive(_ message: MQTTMessage, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    guard contact != .disconnected else { return effects }
    lastMessage = now
    isAskedAfterSilence = false
    for observation in profile.observations(in: message) {
      take(observation, from: message.topic, at: now, &effects)
    }
    if offline.isEmpty { report(&effects) }
    advance(at: now, &effects)
    send(at: now, &effects)
    return effects
  }

  private mutating func take(
    _ observation: Observation, from topic: String, at now: Duration, _ effects: inout [Effect]
  ) {
    switch observation {
    case .online(true):
      guard offline.remove(topic) != nil, offline.isEmpty else { return }
      effects.append(.log(.info, "the device is online again"))
      ask(&effects)
      duty?.next = now
    case .online(false):
      guard offline.insert(topic).inserted else { return }
      contact = .connected
      forget(&effects)
      fail(offlineError, &effects)
    case .refused(let reason):
      effects.append(.log(.warning, "the device refused a request: \(reason)"))
      guard case .reach = work?.job, work?.isSent == true else { return }
      fail(DeviceError(.refused, "the device refused the command: \(reason)"), &effects)
    case .power, .brightness, .lowered, .motion:
      // A retained state of a device that is offline is old.
      guard offline.isEmpty else { return }
      contact = .good
      greeting = nil
      if work?.isSent == true { work?.wasObserved = true }
      appliance.observe(observation, at: now)
      if let duty, appliance.shows(duty.goal, wasObserved: true) { self.duty = nil }
    }
  }

  // MARK: Time

  /// Does what is due.
  mutating func tick(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    if let goal = appliance.tick(at: now) { duty = Duty(goal: goal, next: now) }
    fulfilDuty(at: now, &effects)
    if let greeting, greeting <= now {
      self.greeting = nil
      ask(&effects)
      if isOpen { reportAttributes(&effects) }
    }
    repeatRequest(at: now, &effects)
    if let deadline = work?.deadline, deadline <= now { fail(timeoutError, &effects) }
    if contact == .good, let silence, silence <= now { endSilence(&effects) }
    if contact == .good { report(&effects) }
    return effects
  }

  /// Asks for the state after a command that did not show; from the second time on also repeats the command,
  /// which says what shall be and so does no harm twice.
  private mutating func repeatRequest(at now: Duration, _ effects: inout [Effect]) {
    guard let work, let query = work.query, query <= now else { return }
    if work.isAsked, case .reach(let goal) = work.job { publish(goal, at: now, &effects) }
    self.work?.isAsked = true
    self.work?.query = now + Self.retryInterval
    ask(&effects)
  }

  private mutating func fulfilDuty(at now: Duration, _ effects: inout [Effect]) {
    guard let due = duty, due.next <= now, contact != .disconnected else { return }
    publish(due.goal, at: now, &effects)
    if profile.reportsState {
      duty?.next = now + Self.retryInterval
      duty?.tries += 1
    } else {
      appliance.assume(due.goal, at: now)
      duty = nil
    }
  }

  private mutating func endSilence(_ effects: inout [Effect]) {
    if !isAskedAfterSilence {
      isAskedAfterSilence = true
      return ask(&effects)
    }
    contact = .connected
    isAskedAfterSilence = false
    effects.append(.log(.warning, silenceProblem))
    forget(&effects)
  }

  // MARK: Reports

  private mutating func report(_ effects: inout [Effect]) {
    guard isOpen || work?.job == .open else { return }
    reportAttributes(&effects)
    var values = appliance.values
    if !profile.reportsState { for key in values.keys { values[key]?.provenance = .assumed } }
    for provenance in [Provenance.reported, .assumed] {
      let news = values.filter {
        $0.value.provenance == provenance && reported[$0.key] != $0.value
      }
      if !news.isEmpty { effects.append(.report(news.mapValues(\.value), provenance)) }
    }
    // A brightness that is not known any more, for example.
    let gone = reported.filter { values[$0.key] == nil && $0.value.provenance != .unknown }
    if !gone.isEmpty { effects.append(.report(gone.mapValues(\.value), .unknown)) }
    reported = values
  }

  private mutating func reportAttributes(_ effects: inout [Effect]) {
    var attributes = appliance.attributes
    let problem = problem.map { JSON.string($0) } ?? .null
    if problem != .null || reportedAttributes["problem"] != nil {
      attributes["problem"] = Attribute(problem, label: "Problem")
    }
    let news = attributes.filter { reportedAttributes[$0.key] != $0.value }
    reportedAttributes.merge(news) { $1 }
    if !news.isEmpty { effects.append(.reportAttributes(news)) }
  }

  /// Reports that the state is unknown.
  private mutating func forget(_ effects: inout [Effect]) {
    appliance.forget()
    guard isOpen else { return }
    reportAttributes(&effects)
    let known = reported.filter { $0.value.provenance != .unknown }
    if !known.isEmpty { effects.append(.report(known.mapValues(\.value), .unknown)) }
    reported = [:]
  }

  private var problem: String? {
    let isPressing = duty.map { $0.tries > 1 || contact == .disconnected } ?? false
    let warning = isPressing ? "The device is not confirmed to be off" : nil
    var sentences: [String] = [warning].compactMap(\.self)
    if let failure {
      sentences += [failure.message, failure.hint]
    } else if !offline.isEmpty {
      sentences.append(offlineError.message)
    } else if contact == .good {
      sentences += [appliance.problem].compactMap(\.self)
    } else if profile.reportsState, isOpen {
      sentences.append(silenceProblem)
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: ". ")
  }

  // MARK: Errors

  private static let notConfigured = DeviceError(
    .unsupported, "the template has no such command",
    hint: "Add it to \"template.commands\" in the device's options.")

  private var silenceProblem: String { "no state of the device comes on \"\(profile.stateTopic)\"" }

  private var offlineError: DeviceError {
    DeviceError(
      .unavailable, "the device is offline, says \"\(offline.sorted().first ?? "")\"",
      hint: "Check its power and its network.")
  }

  private var timeoutError: DeviceError {
    if contact == .disconnected {
      return failure?.error
        ?? DeviceError(
          .unavailable, "there is no connection to the broker at \(place) yet",
          hint: "Check that it runs.")
    }
    if work?.job == .open {
      return DeviceError(
        .unavailable, silenceProblem,
        hint: "Check the topic in the options and the device itself.")
    }
    return DeviceError(
      .timeout,
      "the device has not confirmed the command on \"\(profile.stateTopic)\" within "
        + "\(Int(timeout.seconds)) s",
      hint: "Check the device, and the topics in its options.")
  }
}

extension Goal {
  /// The keys that show it.
  fileprivate var keys: [StateKey] {
    switch self {
    case .power: [.power]
    case .brightness: [.power, .brightness]
    case .end, .standstill: [.position]
    case .load: [.popping]
    }
  }
}

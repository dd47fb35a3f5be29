import Devices
import JSON
import Logging
import Platform
import PluginProtocol
import Synchronization

/// A device of a plugin.
///
/// Its state is one value (`DeviceCore`) behind a lock that is held briefly, never during a wait.
/// Callers, the connection's thread and the scheduler bring events; replies and reports are handled
/// on the thread on which they arrive, so that they keep their order.
package final class DeviceProxy: Device {
  /// The device's name in `devices.json`.
  package let id: DeviceID
  /// The role that it was opened in.
  package let role: Role
  let state: Mutex<State>
  /// Apart from the state: a cancelled watcher removes itself while the runtime holds its task's lock,
  /// and yielding to it needs that lock. So no watcher is yielded to under this lock.
  private let watchers = Mutex<[Int: AsyncStream<DeviceSnapshot>.Continuation]>([:])
  /// Whether the plugin was told to report levels. Held while that is sent, so that the newest wish is sent
  /// last; reports do not take this lock.
  private let isMetering = Mutex(false)
  private let scheduler: DeadlineScheduler
  private let key: DeadlineScheduler.Key
  private let logger: Logger
  let sockets: SocketNames
  private let settings: DeviceSettingsCache

  struct State: Sendable {
    var core: DeviceCore
    var session: PluginSession?
    var lastNumber = 0
    var levelReceiver: (@Sendable (SoundLevels) -> Void)?
    /// The paths of the sockets that the plugin's process has opened, by input. A new token for the same
    /// path leaves the present connection alone.
    var socketPaths: [String: String] = [:]
    /// Whether the plugin's process has said that it does not know the request `picture`.
    var lacksPictures = false
    /// The time for which the scheduler was asked.
    var alarm: Duration?
  }

  init(
    id: DeviceID, role: Role, scheduler: DeadlineScheduler, sockets: SocketNames,
    settings: DeviceSettingsCache, logger: Logger
  ) {
    self.id = id
    self.role = role
    self.scheduler = scheduler
    self.sockets = sockets
    self.settings = settings
    self.logger = logger
    state = Mutex(State(core: DeviceCore(id: id, role: role)))
    let wake = WeakDevice()
    key = scheduler.add { wake.device.withLock { $0.value }?.tick() }
    wake.device.withLock { $0.value = self }
  }

  deinit { scheduler.remove(key) }

  /// A weak reference to the device for the scheduler, which exists before the device does.
  private final class WeakDevice: Sendable {
    struct Weak: Sendable { weak var value: DeviceProxy? }
    let device = Mutex(Weak())
  }

  // MARK: Device

  /// Queues the command and waits for its end. Cancelling the task gives the command up.
  package nonisolated(nonsending) func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Confirmation {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let caller = CommandCaller(number: number, until: until) {
          continuation.resume(returning: $0)
        }
        change { core, now in core.submit(command, caller, at: now) }
        // A task that was cancelled before this line has called `onCancel` too early.
        if Task.isCancelled { abandon(number) }
      }
    } onCancel: {
      abandon(number)
    }
    return try outcome.get()
  }

  private func abandon(_ number: Int) { change { core, now in core.abandon(number, at: now) } }

  package nonisolated(nonsending) func snapshot() async -> DeviceSnapshot {
    state.withLock { $0.core.snapshot }
  }

  /// The commands that have not ended.
  var commandsInHand: CommandsInHand { state.withLock { $0.core.commandsInHand } }

  /// The present snapshot and later ones; a slow reader gets the newest 64 of them. One would not do: a
  /// player reports the end of an item and the next item at once, and the end clears the saved position.
  package func snapshots() async -> AsyncStream<DeviceSnapshot> {
    let (stream, watcher) = AsyncStream<DeviceSnapshot>.makeStream(
      bufferingPolicy: .bufferingNewest(64))
    let number = state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      watchers.withLock { $0[number] = watcher }
      watcher.yield(state.core.snapshot)
      return number
    }
    watcher.onTermination = { [weak self] _ in
      self?.watchers.withLock { _ = $0.removeValue(forKey: number) }
    }
    return stream
  }

  /// The facets of the role.
  package func facet<Facet>(_ type: Facet.Type) -> Facet? {
    if let facet = self as? Facet { return facet }
    var facets: [any Sendable] = []
    if role.category != nil {
      facets += [MediaSourceProxy(device: self), SoundSourceProxy(device: self)]
    }
    if role.has(.input) { facets.append(SoundSinkProxy(device: self)) }
    if role.has(.volume) { facets.append(LoudnessProxy(device: self)) }
    if role.capabilities.contains("levels") { facets.append(LevelMeterProxy(device: self)) }
    return facets.lazy.compactMap { $0 as? Facet }.first
  }

  /// The newest warning of this start of the plugin.
  var warning: String? { state.withLock { $0.core.warning } }

  /// The present time of the scheduler's clock.
  var now: Duration { scheduler.clock.now() }

  /// Tells the plugin whether levels are wanted, unless it was told so.
  func updateMetering() {
    isMetering.withLock { isMetering in
      let (session, isWanted) = state.withLock { state in
        (state.core.hasLevels ? state.session : nil, state.levelReceiver != nil)
      }
      guard let session, isMetering != isWanted else { return }
      isMetering = isWanted
      session.send(MeterNotification(device: id, isOn: isWanted))
    }
  }

  /// Sends the plugin a request about the device, and returns the answer.
  ///
  /// - Throws: `unavailable` without a process; `timeout` after the deadline of the request.
  @discardableResult
  func ask<Request: PluginRequest>(
    _ request: Request
  ) async throws(DeviceError) -> Request.Answer {
    let session = try openSession()
    do {
      return try await session.ask(request)
    } catch {
      throw error.deviceError(device: id, asked: Request.method)
    }
  }

  /// The session with the plugin's process.
  ///
  /// - Throws: `unavailable` if there is none.
  func openSession() throws(DeviceError) -> PluginSession {
    let (session, availability) = state.withLock { ($0.session, $0.core.snapshot.availability) }
    if let session { return session }
    let reason = if case .unavailable(let reason) = availability { reason } else { "it starts" }
    throw DeviceError(.unavailable, reason, device: id)
  }

  // MARK: The plugin's side, called in the order of its lines

  /// Prepares for the opening of the device in a new process.
  func prepareToOpen(in session: PluginSession) {
    // A device that is opened reports no levels.
    isMetering.withLock { $0 = false }
    let stored = settings[id]
    state.withLock { state in
      if let stored { state.core.adopt(stored) }
      state.session = session
      state.socketPaths = [:]
      state.lacksPictures = false
      state.core.prepareToOpen()
    }
  }

  /// Records that the device is open.
  func markOpen(_ capabilities: Capabilities, _ memory: DeviceMemory, in session: PluginSession) {
    guard state.withLock({ $0.session === session }) else { return }
    change { core, now in
      core.markOpen(
        capabilities, memory: memory, nextRequest: { session.nextID() }, at: now)
    }
    updateMetering()
  }

  /// Handles a report of the device's state.
  func receive(_ report: StateNotification, in session: PluginSession) {
    guard state.withLock({ $0.session === session }) else { return }
    change { core, now in core.receive(report, at: now) }
  }

  /// Handles a report of the levels of the device's sound.
  func receive(_ report: LevelsNotification, in session: PluginSession) {
    let now = scheduler.clock.now()
    let (effects, levels, receive) = state.withLock { state in
      guard state.session === session, state.core.hasLevels else {
        return (DeviceCore.Effects(), SoundLevels?.none, nil as (@Sendable (SoundLevels) -> Void)?)
      }
      let (effects, levels) = state.core.receive(report, at: now)
      return (effects, levels, state.levelReceiver)
    }
    for warning in effects.warnings { logger.warning("\(warning)") }
    if let levels { receive?(levels) }
  }

  /// Handles the player's request for a new connection to its amplifier.
  func receivePlugRequest(in session: PluginSession) {
    guard state.withLock({ $0.session === session }) else { return }
    change { core, now in core.receivePlugRequest(at: now) }
  }

  /// Records that the device cannot be reached through this session, if that is still its own.
  func markUnavailable(_ reason: String, in session: PluginSession) {
    guard state.withLock({ $0.session === session }) else { return }
    markUnavailable(reason)
  }

  /// Records that the device cannot be reached any more, or not yet.
  func markUnavailable(_ reason: String) {
    state.withLock { $0.session = nil }
    change { core, now in core.markUnavailable(reason, at: now) }
  }

  // MARK: Events and effects

  private func tick() {
    state.withLock { $0.alarm = nil }
    change { core, now in core.tick(at: now) }
  }

  /// Handles an event, and carries out its effects.
  func change(_ event: (inout DeviceCore, Duration) -> DeviceCore.Effects) {
    let now = scheduler.clock.now()
    let (effects, session, alarm) = state.withLock { state in
      let effects = event(&state.core, now)
      if effects.hasChanged {
        // Under the lock, so that the newest snapshot is yielded last.
        let told = watchers.withLock { Array($0.values) }
        for watcher in told { watcher.yield(state.core.snapshot) }
      }
      // Under the lock too, so that the newest settings are stored last.
      if let changed = state.core.takeChangedSettings() { settings.record(changed, of: id) }
      return (effects, state.session, state.updateAlarm(at: now))
    }
    if let alarm { scheduler.schedule(key, at: alarm) }
    if let request = effects.cancel { session?.cancel(request) }
    for (caller, outcome) in effects.finished { caller.finish(outcome) }
    for warning in effects.warnings { logger.warning("\(warning)") }
    if let outgoing = effects.send { send(outgoing, over: session) }
  }

  private func send(_ outgoing: DeviceCore.Outgoing, over session: PluginSession?) {
    let request = outgoing.request
    guard let session else { return }
    let params = PerformRequest(device: id, command: outgoing.command.json).params
    session.send(
      request, method: PerformRequest.method, params, within: outgoing.command.longestReply
    ) { [self] result in
      let outcome = result.map { _ in () }.mapError {
        $0.deviceError(device: id, asked: outgoing.command.spec.name)
      }
      let isUnanswered =
        switch result {
        case .failure(.timeout), .failure(.unreadable): true
        case .success, .failure: false
        }
      // The reply of a plugin that the device has left concerns nothing any more.
      guard state.withLock({ $0.session === session }) else { return }
      change { core, now in
        core.receiveReply(to: request, outcome, isUnanswered: isUnanswered, at: now)
      }
    }
  }
}

extension DeviceProxy.State {
  /// Sets the alarm to the next deadline. Returns it, unless the scheduler was already asked for an earlier time.
  fileprivate mutating func updateAlarm(at now: Duration) -> Duration? {
    var next = core.nextDeadline
    if core.hasDelayedReports {
      next = min(next ?? .seconds(1 << 40), now + ReportIntake.gathering)
    }
    guard let next, alarm.map({ next < $0 }) ?? true else { return nil }
    alarm = next
    return next
  }
}

extension Command {
  /// How long the plugin may take to accept it.
  var longestReply: Duration { min(spec.longest, PerformRequest.deadline) }
}

extension PluginSession.Failure {
  /// The error of the device whose request `what` failed.
  func deviceError(device: DeviceID, asked what: String) -> DeviceError {
    switch self {
    case .refused(let error): error.deviceError(device: device)
    case .timeout(let longest):
      DeviceError(
        .timeout, "its plugin did not answer \"\(what)\" within \(Int(longest.seconds)) s",
        hint: "See the state of the plugin in the list of plugins.", device: device)
    case .unreadable(let fault):
      // As after a timeout, it is unknown whether the plugin has executed the command.
      DeviceError(
        .timeout, "its plugin's answer to \"\(what)\" cannot be read: \(fault)",
        hint: "Tell the plugin's author; see the log of the plugin.", device: device)
    case .cancelled:
      DeviceError(
        .cancelled, "no caller waits for \"\(what)\" any more", device: device)
    case .lost:
      DeviceError(
        .unavailable, "its plugin ended before it answered \"\(what)\"",
        hint: "The plugin is being restarted.", device: device)
    }
  }
}

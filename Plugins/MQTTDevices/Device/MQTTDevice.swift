import Devices
import JSON
import MQTTClient
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// A device behind a broker. The connection's thread delivers messages, a timer delivers deadlines, and the controller
/// sends commands. A mutex passes all of them to the model one after the other.
final class MQTTDevice<Command: GoalCommand>: PluginDevice, BrokerClient {
  private struct State {
    var model: DeviceModel
    var limiter = MessageLimiter()
    var job: PendingResult?
    var attachment: BrokerAttachment?
    var isClosed = false
    /// Whether a dropped message was logged. Only the first one is logged.
    var hasWarned = false
  }

  let topics: [String]
  private let context: DeviceContext
  private let connectionPool: BrokerConnectionPool
  private let broker: BrokerOptions
  private let clock: any TheaterClock
  private let timer: DeadlineTimer
  private let state: Mutex<State>

  init(
    _ context: DeviceContext, _ connectionPool: BrokerConnectionPool, clock: any TheaterClock
  ) throws(DeviceError) {
    let options = try MQTTDeviceOptions(
      context.options, for: Command.self,
      replies: "home-theater/\(UInt32.random(in: 0 ... .max))")
    self.context = context
    self.connectionPool = connectionPool
    self.clock = clock
    broker = options.broker
    topics = options.profile.topics
    timer = DeadlineTimer(clock)
    state = Mutex(
      State(
        model: DeviceModel(
          profile: options.profile, appliance: options.appliance,
          hostAndPort: options.broker.address.hostAndPort,
          timeout: options.timeout)))
  }

  // MARK: The controller

  func open() async throws(DeviceError) -> Capabilities {
    timer.start { self.tick($0) }
    let job = begin(.open)
    do throws(BrokerFailure) {
      // The lock is held, because the connection's thread may call `connected` at once. The model then publishes
      // through `attachment`, which must be set by then.
      try state.withLock { (state) throws(BrokerFailure) in
        state.attachment = try connectionPool.attach(self, to: broker)
      }
    } catch {
      throw error.error
    }
    try await job.value()
    return state.withLock { $0.model.capabilities }
  }

  func perform(_ command: Command) async throws(DeviceError) {
    try await begin(.reach(try command.goal())).value()
  }

  func close() async {
    await timer.stop()
    let attachment = state.withLock { state in
      state.isClosed = true
      for message in state.model.closingMessages {
        if state.attachment?.connection.publish(message) != true {
          context.log(.warning, "\(state.model.notHandedOver.message): \"\(message.topic)\"")
        }
      }
      state.job?.finish(
        .failure(DeviceError(.cancelled, "the device was closed before this was done")))
      return state.attachment.take()
    }
    if let attachment { await connectionPool.detach(attachment) }
  }

  private func begin(_ job: DeviceModel.Job) -> PendingResult {
    let pending = PendingResult()
    update { state, now in
      // No earlier job is in progress: the controller sends a command only after the one before was answered or
      // cancelled.
      state.job = pending
      return state.model.begin(job, at: now)
    }
    return pending
  }

  // MARK: The broker

  func connected() { update { state, now in state.model.connected(at: now) } }

  func disconnected(_ failure: BrokerFailure) {
    update { state, now in
      state.limiter.clear()
      return state.model.disconnected(failure, at: now)
    }
  }

  func refusedSubscription(_ topic: String) {
    update { state, _ in state.model.refusedSubscription(topic) }
  }

  func received(_ message: MQTTMessage) {
    update { state, now in
      state.limiter.admit(message, at: now) ? state.model.receive(message, at: now) : []
    }
  }

  func droppedMessage(_ topic: String) {
    update { state, _ in
      guard !state.hasWarned else { return [] }
      state.hasWarned = true
      return [
        .log(
          .warning,
          "a message on \"\(topic)\" is longer than \(MQTTMessage.longestPayload) bytes; it is "
            + "dropped, and so are others without a further line")
      ]
    }
  }

  // MARK: Effects

  /// Handles the waiting messages and the deadlines that are due. Returns the time of the next call; nil for none.
  private func tick(_ now: Duration) -> Duration? {
    state.withLock { state in
      if state.isClosed { return nil }
      Self.prepareModel(&state)
      while let message = state.limiter.next(at: now) {
        apply(state.model.receive(message, at: now), &state)
      }
      apply(state.model.tick(at: now), &state)
      return Self.deadline(of: state)
    }
  }

  /// Passes an input to the model, executes the effects, and sets the timer.
  private func update(_ body: (inout State, Duration) -> [DeviceModel.Effect]) {
    let due = state.withLock { state -> Duration? in
      if state.isClosed { return nil }
      Self.prepareModel(&state)
      apply(body(&state, clock.now()), &state)
      return Self.deadline(of: state)
    }
    if let due { timer.wake(at: due) }
  }

  /// Prepares the model for its next input: drops a cancelled job, so that its command is not repeated,
  /// and says whether the connection is full.
  private static func prepareModel(_ state: inout State) {
    if state.job?.isFinished == true {
      state.model.abandon()
      state.job = nil
    }
    state.model.isConnectionFull = state.attachment?.connection.isFull ?? false
  }

  private static func deadline(of state: State) -> Duration? {
    [state.model.deadline, state.limiter.deadline].compactMap(\.self).min()
  }

  /// Executes effects in their order, so that reports are sent before the answer to their command. If a message was not
  /// handed to the connection, the command fails.
  private func apply(_ effects: [DeviceModel.Effect], _ state: inout State) {
    var isHandedOver = true
    for effect in effects {
      switch effect {
      case .publish(let message):
        if state.attachment?.connection.publish(message) != true { isHandedOver = false }
      case .report(let values, let provenance): context.report(values, provenance: provenance)
      case .reportAttributes(let attributes): context.report(attributes: attributes)
      case .log(let level, let text): context.log(level, text)
      case .finish(.success) where !isHandedOver:
        state.job?.finish(.failure(state.model.notHandedOver))
        state.job = nil
      case .finish(let result):
        state.job?.finish(result)
        state.job = nil
      }
    }
  }
}

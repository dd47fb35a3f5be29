import Glibc
import MQTTClient
import Platform
import PluginKit
import Synchronization

/// A device that uses a connection. The connection's thread calls these methods without holding a lock.
protocol BrokerClient: AnyObject, Sendable {
  /// The topics to subscribe to, constant for the lifetime of the client.
  var topics: [String] { get }
  /// Called when the broker has accepted the connection and the subscriptions of ``topics`` are sent.
  func connected()
  /// Called when the connection is lost, and after each failed attempt to connect. The thread then tries again.
  func disconnected(_ failure: BrokerFailure)
  /// Called for each message with one of the topics.
  func received(_ message: MQTTMessage)
  /// Called when the broker refuses the subscription of a topic.
  func refusedSubscription(_ topic: String)
  /// Called when a message with this topic was dropped because its payload is too long.
  func droppedMessage(_ topic: String)
}

/// A connection to a broker that several devices share. One thread opens the connection, serves it, and opens it again
/// after a loss. Safe from any thread.
final class BrokerConnection: Sendable {
  /// The largest number of requests that wait for the thread. Beyond it, `publish` refuses messages.
  private static let mostRequests = 10_000
  /// The longest wait until the broker accepts the connection.
  private static let acceptance = Duration.seconds(10)
  /// The longest incomplete packet in bytes.
  private static let longestPacket: UInt64 = 262_144
  /// The part of ``mostRequests`` that ``isFull`` reserves for devices that read it just before it
  /// became true.
  private static let reservedRequests = 100

  /// The timing of a connection. Tests use shorter times.
  struct Timing: Sendable {
    /// The wait before the first attempt to connect again; later waits are longer.
    var shortestDelay = Duration.seconds(1)
    /// The MQTT keep-alive interval in seconds, at least 5. After this time without traffic, libmosquitto sends a ping.
    /// After the same time without an answer, the connection counts as lost.
    var keepalive: Int32 = 15
    /// The clock that measures how long a connection lasts.
    var clock: any TheaterClock = SystemClock()
  }

  private enum Request: Sendable {
    /// Subscribes the topics of the client with this id.
    case attach(Int)
    case unsubscribe([String])
    case publish(MQTTMessage)
  }

  private struct State {
    var clients: [Int: any BrokerClient] = [:]
    /// The ids of the clients of each topic.
    var subscribers: [String: [Int]] = [:]
    var nextID = 0
    var requests: [Request] = []
    var isConnected = false
    var isClosing = false
    var hasEnded = false
  }

  private let options: BrokerOptions
  private let timing: Timing
  private let wakeup: WakeupDescriptor
  private let state = Mutex(State())
  private let ended: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

  /// Starts the thread.
  ///
  /// - Throws: `unavailable` if libmosquitto is missing, or the system has no thread or descriptor left.
  init(_ options: BrokerOptions, timing: Timing) throws(BrokerFailure) {
    self.options = options
    self.timing = timing
    ended = AsyncStream.makeStream()
    if let problem = MosquittoLibrary.problem {
      throw BrokerFailure(problem, hint: MosquittoLibrary.hint)
    }
    do throws(SystemError) {
      wakeup = try WakeupDescriptor()
    } catch {
      throw BrokerFailure(error.description, hint: "Close other programs.")
    }
    do throws(SystemError) {
      try SystemThread(name: "mqtt", stack: 256 << 10) { self.run() }.detach()
    } catch {
      wakeup.close()
      throw BrokerFailure(error.description, hint: "Close other programs.")
    }
  }

  /// Adds a device. As soon as there is a connection, the thread subscribes the device's topics and calls `connected`.
  ///
  /// - Returns: The id for ``detach(_:)``.
  func attach(_ client: any BrokerClient) -> Int {
    request { state in
      state.nextID += 1
      state.clients[state.nextID] = client
      for topic in client.topics { state.subscribers[topic, default: []].append(state.nextID) }
      state.requests.append(.attach(state.nextID))
      return state.nextID
    }
  }

  /// Whether so many requests wait that devices must send no further commands.
  var isFull: Bool {
    state.withLock { $0.requests.count >= Self.mostRequests - Self.reservedRequests }
  }

  /// Queues a message for the broker.
  ///
  /// - Returns: False if there is no connection or the queue is full; the message is dropped then.
  func publish(_ message: MQTTMessage) -> Bool {
    request { state in
      guard state.isConnected, state.requests.count < Self.mostRequests else { return false }
      state.requests.append(.publish(message))
      return true
    }
  }

  /// Removes a device.
  ///
  /// - Returns: Whether it was the last one.
  func detach(_ id: Int) -> Bool {
    request { state in
      guard let client = state.clients.removeValue(forKey: id) else { return false }
      var unused: [String] = []
      for topic in client.topics {
        state.subscribers[topic]?.removeAll { $0 == id }
        guard state.subscribers[topic]?.isEmpty == true else { continue }
        state.subscribers[topic] = nil
        unused.append(topic)
      }
      state.requests.append(.unsubscribe(unused))
      return state.clients.isEmpty
    }
  }

  /// Closes the connection after the requests that are already queued. Waits for the end of an open connection, but not
  /// of an attempt to connect, which ends in the background.
  func close() async {
    let mustWait = request { state in
      state.isClosing = true
      return state.isConnected
    }
    if mustWait { for await _ in ended.stream {} }
  }

  private func request<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { state in
      defer { if !state.hasEnded { wakeup.signal() } }
      return body(&state)
    }
  }

  // MARK: The thread

  private func run() {
    var delay = RetryDelay(from: timing.shortestDelay, upTo: timing.shortestDelay * 60)
    // The default id is random. A broker ends the older of two connections with the same id, so two plugins with the
    // same id would end each other's connections for ever.
    let clientID = options.clientID ?? "home-theater-\(UInt32.random(in: 0 ... .max))"
    while !state.withLock({ $0.isClosing }) {
      let session = MQTTSession(
        options.address, clientID: clientID, keepalive: timing.keepalive,
        statusTopic: options.statusTopic, acceptance: Self.acceptance,
        longestPacket: Self.longestPacket, longestPayload: MQTTMessage.longestPayload
      ) { self.handle($0) }
      var connected: Duration?
      do throws(MQTTFailure) {
        try session.connect()
        try serve(session) { connected = timing.clock.now() }
        break
      } catch {
        reportLoss(BrokerFailure(error, of: options.address))
        if let connected { delay.connectionEnded(after: timing.clock.now() - connected) }
        wait(delay.next())
      }
    }
    state.withLock { state in
      state.isConnected = false
      state.hasEnded = true
      wakeup.close()
    }
    ended.continuation.finish()
  }

  /// Serves an open connection until `close` is called.
  ///
  /// - Parameter connected: Called once, when the broker has accepted the connection.
  private func serve(
    _ session: MQTTSession, connected: () -> Void
  ) throws(MQTTFailure) {
    var wasConnected = false
    while true {
      // Read before the requests: those that were queued before `close` are then sent.
      let isClosing = state.withLock(\.isClosing)
      if session.isConnected {
        if !wasConnected {
          wasConnected = true
          connected()
          try subscribeAll(session)
        }
        try serveRequests(session)
      }
      if isClosing {
        session.disconnect()
        return
      }
      try session.wait(wakeup)
    }
  }

  /// Subscribes the topics of all devices, each device's in its order, and calls `connected` of each device.
  private func subscribeAll(_ session: MQTTSession) throws(MQTTFailure) {
    let clients = state.withLock { state in
      state.isConnected = true
      state.requests.removeAll()
      return state.clients.sorted { $0.key < $1.key }.map(\.value)
    }
    var subscribed: Set<String> = []
    for topic in clients.flatMap(\.topics) where subscribed.insert(topic).inserted {
      try session.subscribe(topic)
    }
    for client in clients { client.connected() }
  }

  private func serveRequests(_ session: MQTTSession) throws(MQTTFailure) {
    while true {
      let requests = state.withLock { state in
        defer { state.requests = [] }
        return state.requests
      }
      if requests.isEmpty { return }
      for request in requests {
        switch request {
        case .attach(let id):
          guard let client = state.withLock({ $0.clients[id] }) else { continue }
          for topic in client.topics { try session.subscribe(topic) }
          client.connected()
        case .unsubscribe(let topics): for topic in topics { try session.unsubscribe(topic) }
        case .publish(let message): try session.publish(message.payload, to: message.topic)
        }
      }
    }
  }

  private func handle(_ event: MQTTSession.Event) {
    switch event {
    case .message(let topic, let payload):
      let message = MQTTMessage(topic, payload)
      for client in subscribers(of: topic) { client.received(message) }
    case .refusedSubscription(let topic):
      for client in subscribers(of: topic) { client.refusedSubscription(topic) }
    case .dropped(let topic): for client in subscribers(of: topic) { client.droppedMessage(topic) }
    }
  }

  private func subscribers(of topic: String) -> [any BrokerClient] {
    state.withLock { state in (state.subscribers[topic] ?? []).compactMap { state.clients[$0] } }
  }

  /// Drops all requests, and calls `disconnected` of each device.
  private func reportLoss(_ failure: BrokerFailure) {
    let clients = state.withLock { state in
      state.isConnected = false
      state.requests.removeAll()
      return state.clients
    }
    for (_, client) in clients.sorted(by: { $0.key < $1.key }) { client.disconnected(failure) }
  }

  /// Waits before the next attempt to connect. An added device or `close` ends the wait early.
  private func wait(_ time: Duration) {
    let clock = MonotonicClock()
    let end = clock.now + Int64(time / .nanoseconds(1))
    var polled = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, clock.timeout(until: end)) > 0 {
      wakeup.clear()
      let isWanted = state.withLock { state in
        state.isClosing
          || state.requests.contains { if case .attach = $0 { true } else { false } }
      }
      if isWanted { return }
    }
  }
}

extension RetryDelay {
  /// The shortest duration of a healthy connection.
  private static let healthyTime = Duration.seconds(30)

  /// Begins again with the shortest wait if the connection was healthy. If a broker drops each connection soon, the
  /// waits grow.
  mutating func connectionEnded(after lifetime: Duration) {
    if lifetime >= Self.healthyTime { reset() }
  }
}

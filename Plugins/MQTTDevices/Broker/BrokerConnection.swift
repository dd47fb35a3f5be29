import CMosquitto
import Glibc
import Platform
import PluginKit
import Synchronization

/// A device that uses a connection. Its methods are called on the connection's thread, without locks.
protocol BrokerClient: AnyObject, Sendable {
  /// The topics to subscribe to; they never change.
  var topics: [String] { get }
  /// The connection stands, and the topics are subscribed.
  func connected()
  /// There is no connection; it is tried again.
  func lost(_ failure: BrokerFailure)
  func received(_ message: MQTTMessage)
  func refusedSubscription(_ topic: String)
  /// A message of this topic was too long, and was dropped.
  func droppedMessage(_ topic: String)
}

/// The one connection to a broker: a thread that keeps it, and the devices that share it. Safe from any
/// thread.
final class BrokerConnection: Sendable {
  /// The most requests that wait for the thread.
  private static let mostRequests = 10_000

  private enum Request: Sendable {
    case attach(Int)
    case unsubscribe([String])
    case publish(MQTTMessage)
  }

  private struct State {
    var clients: [Int: any BrokerClient] = [:]
    var users: [String: [Int]] = [:]
    var nextID = 0
    var requests: [Request] = []
    var isConnected = false
    var isClosing = false
    var hasEnded = false
  }

  private let options: BrokerOptions
  private let shortestDelay: Duration
  private let wakeup: WakeupDescriptor
  private let state = Mutex(State())
  private let ended: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)

  /// Starts the thread.
  ///
  /// - Parameter shortestDelay: The wait before the first new try.
  /// - Throws: `unavailable` if libmosquitto is missing, or the system has no thread or descriptor left.
  init(_ options: BrokerOptions, shortestDelay: Duration) throws(BrokerFailure) {
    self.options = options
    self.shortestDelay = shortestDelay
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

  /// Adds a device, which is told at once how the connection stands.
  ///
  /// - Returns: The id for the other methods.
  func attach(_ client: any BrokerClient) -> Int {
    request { state in
      state.nextID += 1
      state.clients[state.nextID] = client
      for topic in client.topics { state.users[topic, default: []].append(state.nextID) }
      state.requests.append(.attach(state.nextID))
      return state.nextID
    }
  }

  /// Sends a message, if there is a connection; false if not.
  @discardableResult
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
        state.users[topic]?.removeAll { $0 == id }
        guard state.users[topic]?.isEmpty == true else { continue }
        state.users[topic] = nil
        unused.append(topic)
      }
      state.requests.append(.unsubscribe(unused))
      return state.clients.isEmpty
    }
  }

  /// Ends the connection, after the requests before this. Waits for it only if it stands.
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
    var delay = ReconnectDelay()
    // A connection that is refused because of its id would end the other one again and again.
    let clientID = options.clientID ?? "home-theater-\(UInt32.random(in: 0 ... .max))"
    while !state.withLock({ $0.isClosing }) {
      let session = MosquittoSession(options, clientID: clientID) { self.handle($0) }
      do throws(BrokerFailure) {
        try session.connect()
        try serve(session) { delay.reset() }
        break
      } catch {
        lose(error)
        let pause = delay.next(random: .random(in: 0...1))
        wait(pause * (shortestDelay / ReconnectDelay.shortest))
      }
    }
    state.withLock { state in
      state.isConnected = false
      state.hasEnded = true
      wakeup.close()
    }
    ended.continuation.finish()
  }

  /// Serves until the connection is to be closed.
  private func serve(
    _ session: MosquittoSession, connected: () -> Void
  ) throws(BrokerFailure) {
    var wasConnected = false
    while true {
      if session.isConnected {
        if !wasConnected {
          wasConnected = true
          connected()
          try greet(session)
        }
        try serveRequests(session)
      }
      if state.withLock({ $0.isClosing }) {
        session.disconnect()
        return
      }
      try session.wait(wakeup)
    }
  }

  /// Subscribes the topics of all devices and tells the devices.
  private func greet(_ session: MosquittoSession) throws(BrokerFailure) {
    let (topics, clients) = state.withLock { state in
      state.isConnected = true
      state.requests.removeAll()
      return (state.users.keys.sorted(), state.clients)
    }
    for topic in topics { try session.subscribe(topic) }
    for (_, client) in clients.sorted(by: { $0.key < $1.key }) { client.connected() }
  }

  private func serveRequests(_ session: MosquittoSession) throws(BrokerFailure) {
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
        case .publish(let message): try session.publish(message)
        }
      }
    }
  }

  private func handle(_ event: MosquittoSession.Event) {
    switch event {
    case .connected: break
    case .message(let message):
      for client in users(of: message.topic) { client.received(message) }
    case .refusedSubscription(let topic):
      for client in users(of: topic) { client.refusedSubscription(topic) }
    case .dropped(let topic): for client in users(of: topic) { client.droppedMessage(topic) }
    }
  }

  private func users(of topic: String) -> [any BrokerClient] {
    state.withLock { state in (state.users[topic] ?? []).compactMap { state.clients[$0] } }
  }

  private func lose(_ failure: BrokerFailure) {
    let clients = state.withLock { state in
      state.isConnected = false
      state.requests.removeAll()
      return state.clients
    }
    for (_, client) in clients.sorted(by: { $0.key < $1.key }) { client.lost(failure) }
  }

  /// Waits before the next try. A new device shortens it.
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

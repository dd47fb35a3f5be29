import CMosquitto
import Glibc
import JSON
import Platform

/// One connection of libmosquitto, for use on one thread. When it ends, unsent messages are dropped, so that no old
/// command is sent on a later connection.
package final class MQTTSession {
  /// An event of the connection.
  package enum Event {
    case message(topic: String, payload: [UInt8])
    case refusedSubscription(topic: String)
    /// A message with this topic exceeded the longest payload.
    case dropped(topic: String)
  }

  /// The longest topic in bytes. Messages with longer ones are ignored.
  package static let longestTopic = 512
  /// The longest wait for the last messages to be written, in nanoseconds.
  private static let closingTimeout: Int64 = 1_000_000_000

  private let broker: BrokerAddress
  private let clientID: String
  private let keepalive: Int32
  private let statusTopic: String?
  private let acceptance: Duration
  private let longestPacket: UInt64
  private let longestPayload: Int
  private let receive: (Event) -> Void
  /// The beginning of the log lines that libmosquitto writes for received packets.
  private let receivedPrefix: String
  private var client: OpaquePointer?
  /// The topics of subscriptions that the broker has not acknowledged yet, by message id.
  private var topics: [Int32: String] = [:]
  /// The return code of the broker's CONNACK; nil before it.
  private var connack: Int32?
  /// Whether the broker has accepted the connection.
  package private(set) var isConnected = false
  /// The last error that libmosquitto has reported, as a message quotes it.
  private var reportedError: String?
  /// The number of bytes that had been read when the last packet was complete.
  private var completeBytes: UInt64 = 0
  /// When the broker must have accepted the connection, in nanoseconds of the monotonic clock.
  private var acceptanceEnd: Int64 = 0

  /// - Parameters:
  ///   - keepalive: The MQTT keep-alive interval in seconds.
  ///   - statusTopic: The topic whose retained message is `online` during the connection, otherwise
  ///     `offline`; nil for none.
  ///   - acceptance: The longest wait until the broker accepts the connection.
  ///   - longestPacket: In bytes. If a packet is longer, the connection fails.
  ///   - longestPayload: In bytes. Messages with longer ones are dropped.
  ///   - receive: Receives the events, on the thread that calls `wait`.
  package init(
    _ broker: BrokerAddress, clientID: String, keepalive: Int32 = 15, statusTopic: String? = nil,
    acceptance: Duration, longestPacket: UInt64, longestPayload: Int,
    receive: @escaping (Event) -> Void
  ) {
    self.broker = broker
    self.clientID = clientID
    self.keepalive = keepalive
    self.statusTopic = statusTopic
    self.acceptance = acceptance
    self.longestPacket = longestPacket
    self.longestPayload = longestPayload
    receivedPrefix = "Client \(clientID) received "
    self.receive = receive
  }

  deinit { if let client { cmosquitto_destroy(client) } }

  /// The number of bytes that were read from the broker so far.
  package var bytesRead: UInt64 { client.map { cmosquitto_bytes_read(cmosquitto_socket($0)) } ?? 0 }

  // MARK: Connecting

  /// Resolves the host and begins to connect. Blocks during the name resolution.
  ///
  /// - Throws: The reason, such as an unknown host or an unreadable file of authorities.
  package func connect() throws(MQTTFailure) {
    if let problem = MosquittoLibrary.problem { throw .noLibrary(problem) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let client = cmosquitto_new(clientID, true, context) else {
      throw failure("the connection could not be made: \(SystemError(errno).description)")
    }
    self.client = client
    setCallbacks(client)
    if let topic = statusTopic {
      try check(cmosquitto_will_set(client, topic, 7, "offline", 1, true))
    }
    if let user = broker.user {
      try check(cmosquitto_username_pw_set(client, user, broker.password))
    }
    _ = cmosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    if let tls = broker.tls { try encrypt(client, tls) }
    try check(cmosquitto_connect_async(client, broker.host, Int32(broker.port), keepalive))
    acceptanceEnd = MonotonicClock.now + acceptance.nanoseconds
  }

  private func encrypt(
    _ client: OpaquePointer, _ tls: BrokerAddress.TLS
  ) throws(MQTTFailure) {
    guard let file = tls.caFile else {
      return try check(cmosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
    }
    if let kind = RegularFile.otherKind(at: file) {
      throw .certificateFile(file, problem: "is \(kind)")
    }
    guard access(file, R_OK) == 0 else { throw .certificateFile(file, problem: "cannot be read") }
    try check(cmosquitto_tls_set(client, file, nil, nil, nil, nil))
  }

  private func setCallbacks(_ client: OpaquePointer) {
    cmosquitto_connect_callback_set(client) { _, context, code in
      MQTTSession.instance(from: context)?.connack = code
    }
    cmosquitto_message_callback_set(client) { _, context, message in
      guard let message else { return }
      MQTTSession.instance(from: context)?.deliver(message.pointee)
    }
    cmosquitto_subscribe_callback_set(client) { _, context, id, count, codes in
      let isRefused = count > 0 && codes.map { $0[0] == 128 } ?? false
      MQTTSession.instance(from: context)?.subscribed(id, isRefused: isRefused)
    }
    // libmosquitto has no callback for each complete packet, but it writes a log line.
    cmosquitto_log_callback_set(client) { _, context, level, text in
      guard let text, let session = MQTTSession.instance(from: context) else { return }
      if strncmp(text, session.receivedPrefix, session.receivedPrefix.utf8.count) == 0 {
        session.recordPacket()
      }
      guard level & Int32(MOSQ_LOG_ERR) != 0 else { return }
      session.reportedError = String(cString: text).quotation
    }
  }

  private static func instance(from context: UnsafeMutableRawPointer?) -> MQTTSession? {
    context.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private func recordPacket() {
    guard let client else { return }
    let socket = cmosquitto_socket(client)
    if socket >= 0 { completeBytes = cmosquitto_bytes_read(socket) }
  }

  private func deliver(_ message: mosquitto_message) {
    guard let bytes = message.topic, message.payloadlen >= 0, strlen(bytes) <= Self.longestTopic,
      let topic = String(validatingCString: bytes)
    else { return }
    let size = Int(message.payloadlen)
    guard size <= longestPayload else { return receive(.dropped(topic: topic)) }
    let payload = UnsafeRawBufferPointer(
      start: message.payload, count: message.payload == nil ? 0 : size)
    receive(.message(topic: topic, payload: Array(payload)))
  }

  private func subscribed(_ id: Int32, isRefused: Bool) {
    guard let topic = topics.removeValue(forKey: id), isRefused else { return }
    receive(.refusedSubscription(topic: topic))
  }

  // MARK: Requests

  /// Subscribes a topic. A refusal by the broker is an event.
  package func subscribe(_ topic: String, qos: Int32 = 1) throws(MQTTFailure) {
    guard let client else { return }
    var id: Int32 = 0
    try check(cmosquitto_subscribe(client, &id, topic, qos))
    topics[id] = topic
  }

  /// Ends the subscription of a topic.
  package func unsubscribe(_ topic: String) throws(MQTTFailure) {
    guard let client else { return }
    try check(cmosquitto_unsubscribe(client, nil, topic))
  }

  /// Hands a message to libmosquitto, which sends it during `wait`.
  package func publish(
    _ payload: [UInt8], to topic: String, qos: Int32 = 1, isRetained: Bool = false
  ) throws(MQTTFailure) {
    guard let client else { return }
    let size = Int32(clamping: payload.count)
    try check(cmosquitto_publish(client, nil, topic, size, payload, qos, isRetained))
  }

  // MARK: Waiting

  /// Waits for traffic or for `wakeup`, at most 3 s (0.1 s before the broker has accepted the
  /// connection, 10 ms during a TLS handshake). Then reads, writes and sends a keep-alive ping if
  /// one is due.
  ///
  /// - Parameter timeout: The longest wait in milliseconds, if it is shorter.
  /// - Throws: The reason why the connection has ended.
  package func wait(
    _ wakeup: WakeupDescriptor? = nil, atMost timeout: Int32 = .max
  ) throws(MQTTFailure) {
    guard let client else { throw failure("there is no connection") }
    let longest = isConnected ? 3000 : min(100, MonotonicClock().timeout(until: acceptanceEnd))
    try poll(client, wakeup, timeout: min(timeout, longest))
    try checkAcceptance()
    try checkBounds(client)
  }

  private func poll(
    _ client: OpaquePointer, _ wakeup: WakeupDescriptor?, timeout: Int32
  ) throws(MQTTFailure) {
    let socket = cmosquitto_socket(client)
    guard socket >= 0 else { throw failure(reportedError ?? "the connection was closed") }
    // During the TLS handshake `cmosquitto_want_write` is always true, so a poll for POLLOUT would return at once.
    // Instead libmosquitto is called every 10 ms.
    let isHandshaking = broker.tls != nil && !isConnected
    let wantsToWrite = !isHandshaking && cmosquitto_want_write(client)
    var polled = [
      pollfd(fd: socket, events: Int16(POLLIN | (wantsToWrite ? POLLOUT : 0)), revents: 0),
      pollfd(fd: wakeup?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    if Glibc.poll(&polled, 2, isHandshaking ? min(10, timeout) : timeout) < 0, errno != EINTR {
      throw failure(SystemError(errno).description)
    }
    if polled[1].revents != 0 { wakeup?.clear() }
    if polled[0].revents & ~Int16(POLLOUT) != 0 { try check(cmosquitto_loop_read(client, 1)) }
    if isHandshaking || polled[0].revents & Int16(POLLOUT) != 0 || cmosquitto_want_write(client) {
      try check(cmosquitto_loop_write(client, 1))
    }
    try check(cmosquitto_loop_misc(client))
  }

  private func checkAcceptance() throws(MQTTFailure) {
    guard !isConnected, let code = connack else { return }
    guard code == 0 else {
      throw .refused(code: code, String(cString: cmosquitto_connack_string(code)))
    }
    isConnected = true
    try publishStatus("online")
  }

  private func publishStatus(_ status: String) throws(MQTTFailure) {
    if let statusTopic { try publish(Array(status.utf8), to: statusTopic, isRetained: true) }
  }

  private func checkBounds(_ client: OpaquePointer) throws(MQTTFailure) {
    if !isConnected, MonotonicClock.now >= acceptanceEnd {
      let seconds = Int(acceptance / .seconds(1))
      throw failure("it did not accept the connection within \(seconds) s")
    }
    let socket = cmosquitto_socket(client)
    guard socket >= 0 else { return }
    let bytes = cmosquitto_bytes_read(socket)
    if bytes > completeBytes, bytes - completeBytes > longestPacket {
      throw failure("it sent a message of more than \(longestPacket) bytes")
    }
  }

  /// Publishes `offline` on the status topic and sends DISCONNECT, so that the broker does not publish the last will.
  /// Waits up to a second until both are written.
  package func disconnect() {
    guard let client, isConnected else { return }
    try? publishStatus("offline")
    let end = MonotonicClock.now + Self.closingTimeout
    _ = cmosquitto_disconnect(client)
    while MonotonicClock.now < end, cmosquitto_socket(client) >= 0, cmosquitto_want_write(client) {
      var polled = pollfd(fd: cmosquitto_socket(client), events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&polled, 1, 100)
      guard cmosquitto_loop_write(client, 1) == Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    }
  }

  // MARK: Failures

  /// Throws the reason why a call of the library has failed.
  private func check(_ call: @autoclosure () -> Int32) throws(MQTTFailure) {
    // The library reports MOSQ_ERR_ERRNO also for a connection that ends within a message, and sets no `errno` then.
    errno = 0
    let code = call()
    let cause = errno
    guard code != Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    // A broker that refuses the connection also closes it. The refusal is the better reason.
    if let connack, connack != 0 { try checkAcceptance() }
    let reason =
      if code != Int32(MOSQ_ERR_ERRNO.rawValue) {
        String(cString: cmosquitto_strerror(code))
      } else if cause == 0 {
        "it closed the connection within a message; it may be no MQTT broker"
      } else { SystemError(cause).description }
    throw failure(reportedError.map { "\(reason) \($0)" } ?? reason)
  }

  private func failure(_ reason: String) -> MQTTFailure {
    .disconnected(reason, isReported: reportedError != nil)
  }
}

/// The library libmosquitto, loaded at first use.
package enum MosquittoLibrary {
  /// The advice for people without the library.
  package static let hint = "Install it: apt install libmosquitto1"

  /// The reason why the library cannot be used; nil if it can. The first call loads the library.
  package static var problem: String? { cmosquitto_load().map { String(cString: $0) } }
}

import CMosquitto
import Glibc
import JSON
import Platform

/// One connection of libmosquitto, for use on one thread. When it ends, unsent messages are dropped, so that no old
/// command is sent on a later connection.
final class MosquittoSession {
  /// An event of the connection.
  enum Event {
    case connected
    case message(MQTTMessage)
    case refusedSubscription(String)
    /// A message with this topic exceeded ``MQTTMessage/longestPayload``.
    case dropped(String)
  }

  /// The longest incomplete packet in bytes. If a broker sends more, the connection fails.
  private static let longestPacket: UInt64 = 262_144
  /// The longest wait until the broker accepts the connection, in nanoseconds.
  private static let connectionTimeout: Int64 = 10_000_000_000
  /// The longest wait for the last messages to be written, in nanoseconds.
  private static let closingTimeout: Int64 = 1_000_000_000

  private let options: BrokerOptions
  private let receive: (Event) -> Void
  private let clientID: String
  private let keepalive: Int32
  /// The beginning of the log lines that libmosquitto writes for received packets.
  private let receivedPrefix: String
  private var client: OpaquePointer?
  /// The topics of subscriptions that the broker has not acknowledged yet, by message id.
  private var topics: [Int32: String] = [:]
  /// The return code of the broker's CONNACK; nil before it.
  private var connack: Int32?
  private var isAccepted = false
  private var lastError: String?
  /// The number of bytes that had been read when the last packet was complete.
  private var completeBytes: UInt64 = 0
  /// When the attempt to connect began, in nanoseconds of the monotonic clock.
  private var started: Int64 = 0

  /// - Parameters:
  ///   - keepalive: The MQTT keep-alive interval in seconds.
  ///   - receive: Receives the events, on the thread that calls `wait`.
  init(
    _ options: BrokerOptions, clientID: String, keepalive: Int32,
    receive: @escaping (Event) -> Void
  ) {
    self.options = options
    self.clientID = clientID
    self.keepalive = keepalive
    receivedPrefix = "Client \(clientID) received "
    self.receive = receive
  }

  deinit { if let client { cmosquitto_destroy(client) } }

  /// Whether the broker has accepted the connection.
  var isConnected: Bool { isAccepted }

  // MARK: Connecting

  /// Resolves the host and begins to connect. Blocks during the name resolution.
  ///
  /// - Throws: The reason, if the options cannot be used or the host is unknown.
  func connect() throws(BrokerFailure) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let client = cmosquitto_new(clientID, true, context) else {
      throw failure("the connection could not be made: \(SystemError(errno).description)")
    }
    self.client = client
    setCallbacks(client)
    if let topic = options.statusTopic {
      try check(cmosquitto_will_set(client, topic, 7, "offline", 1, true))
    }
    if let user = options.user {
      try check(cmosquitto_username_pw_set(client, user, options.password))
    }
    _ = cmosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    if options.isEncrypted { try encrypt(client) }
    started = MonotonicClock.now
    try check(
      cmosquitto_connect_async(client, options.host, Int32(options.port), keepalive))
  }

  private func encrypt(_ client: OpaquePointer) throws(BrokerFailure) {
    guard let file = options.caFile else {
      return try check(cmosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
    }
    let kind = RegularFile.otherKind(at: file)
    guard kind == nil, access(file, R_OK) == 0 else {
      throw BrokerFailure(
        "the certificate file \(file) of the broker at \(options.hostAndPort) "
          + (kind.map { "is \($0)" } ?? "cannot be read"),
        hint: "Correct the option \"broker.caFile\".", isRefusal: true)
    }
    try check(cmosquitto_tls_set(client, file, nil, nil, nil, nil))
  }

  private func setCallbacks(_ client: OpaquePointer) {
    cmosquitto_connect_callback_set(client) { _, context, code in
      MosquittoSession.instance(from: context)?.connack = code
    }
    cmosquitto_message_callback_set(client) { _, context, message in
      guard let message else { return }
      MosquittoSession.instance(from: context)?.deliver(message.pointee)
    }
    cmosquitto_subscribe_callback_set(client) { _, context, id, count, codes in
      let isRefused = count > 0 && codes.map { $0[0] == 128 } ?? false
      MosquittoSession.instance(from: context)?.subscribed(id, isRefused: isRefused)
    }
    // libmosquitto has no callback for each complete packet, but it writes a log line.
    cmosquitto_log_callback_set(client) { _, context, level, text in
      guard let session = MosquittoSession.instance(from: context) else { return }
      guard let text else { return }
      if strncmp(text, session.receivedPrefix, session.receivedPrefix.utf8.count) == 0 {
        session.recordPacket()
      }
      if level & Int32(MOSQ_LOG_ERR) != 0 { session.lastError = String(cString: text) }
    }
  }

  private static func instance(from context: UnsafeMutableRawPointer?) -> MosquittoSession? {
    context.map { Unmanaged<MosquittoSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private func recordPacket() {
    guard let client else { return }
    let socket = cmosquitto_socket(client)
    if socket >= 0 { completeBytes = cmosquitto_bytes_read(socket) }
  }

  private func deliver(_ message: mosquitto_message) {
    guard let topic = message.topic, message.payloadlen >= 0,
      strlen(topic) <= MQTTMessage.longestTopic
    else { return }
    let size = Int(message.payloadlen)
    guard size <= MQTTMessage.longestPayload else {
      return receive(.dropped(String(cString: topic)))
    }
    let bytes = UnsafeRawBufferPointer(
      start: message.payload, count: message.payload == nil ? 0 : size)
    receive(.message(MQTTMessage(String(cString: topic), Array(bytes))))
  }

  private func subscribed(_ id: Int32, isRefused: Bool) {
    guard let topic = topics.removeValue(forKey: id), isRefused else { return }
    receive(.refusedSubscription(topic))
  }

  // MARK: Requests

  func subscribe(_ topic: String) throws(BrokerFailure) {
    guard let client else { return }
    var id: Int32 = 0
    try check(cmosquitto_subscribe(client, &id, topic, 1))
    topics[id] = topic
  }

  func unsubscribe(_ topic: String) throws(BrokerFailure) {
    guard let client else { return }
    try check(cmosquitto_unsubscribe(client, nil, topic))
  }

  func publish(_ message: MQTTMessage, isRetained: Bool = false) throws(BrokerFailure) {
    guard let client else { return }
    let size = Int32(clamping: message.payload.count)
    try check(
      message.payload.withUnsafeBytes {
        cmosquitto_publish(client, nil, message.topic, size, $0.baseAddress, 1, isRetained)
      })
  }

  // MARK: Waiting

  /// Waits for traffic or for `wakeup`, at most 3 s (0.1 s before the broker has accepted the connection, 10 ms during
  /// a TLS handshake). Then reads, writes and sends a keep-alive ping if one is due.
  ///
  /// - Throws: The reason why the connection has ended.
  func wait(_ wakeup: WakeupDescriptor) throws(BrokerFailure) {
    guard let client else { throw failure("there is no connection") }
    try poll(client, wakeup, timeout: isAccepted ? 3000 : 100)
    try checkAcceptance()
    try checkBounds(client)
  }

  private func poll(
    _ client: OpaquePointer, _ wakeup: WakeupDescriptor, timeout: Int32
  ) throws(BrokerFailure) {
    let socket = cmosquitto_socket(client)
    guard socket >= 0 else { throw failure(lastError ?? "the connection was closed") }
    // During the TLS handshake `cmosquitto_want_write` is always true, so a poll for POLLOUT would return at once.
    // Instead libmosquitto is called every 10 ms.
    let isHandshaking = options.isEncrypted && !isAccepted
    let wantsToWrite = !isHandshaking && cmosquitto_want_write(client)
    var polled = [
      pollfd(fd: socket, events: Int16(POLLIN | (wantsToWrite ? POLLOUT : 0)), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    if Glibc.poll(&polled, 2, isHandshaking ? 10 : timeout) < 0, errno != EINTR {
      throw failure(SystemError(errno).description)
    }
    if polled[1].revents != 0 { wakeup.clear() }
    if polled[0].revents & ~Int16(POLLOUT) != 0 { try check(cmosquitto_loop_read(client, 1)) }
    if isHandshaking || polled[0].revents & Int16(POLLOUT) != 0 || cmosquitto_want_write(client) {
      try check(cmosquitto_loop_write(client, 1))
    }
    try check(cmosquitto_loop_misc(client))
  }

  private func checkAcceptance() throws(BrokerFailure) {
    guard !isAccepted, let code = connack else { return }
    guard code == 0 else {
      throw BrokerFailure(
        "the broker at \(options.hostAndPort) refuses the connection: "
          + String(cString: cmosquitto_connack_string(code)),
        hint: code == 4 || code == 5
          ? "Check \"user\" and \"password\" in the option \"broker\"."
          : "Check the broker's log.",
        // 3: the broker is not ready yet.
        isRefusal: code != 3)
    }
    isAccepted = true
    if let topic = options.statusTopic {
      try publish(MQTTMessage(topic, "online"), isRetained: true)
    }
    receive(.connected)
  }

  private func checkBounds(_ client: OpaquePointer) throws(BrokerFailure) {
    if !isAccepted, MonotonicClock.now - started > Self.connectionTimeout {
      throw failure("it did not accept the connection within 10 s")
    }
    let socket = cmosquitto_socket(client)
    guard socket >= 0 else { return }
    let bytes = cmosquitto_bytes_read(socket)
    if bytes > completeBytes, bytes - completeBytes > Self.longestPacket {
      throw failure("it sent a message of more than \(Self.longestPacket) bytes")
    }
  }

  /// Publishes `offline` on the status topic and sends DISCONNECT, so that the broker does not publish the last will.
  /// Waits up to a second until both are written.
  func disconnect() {
    guard let client, isAccepted else { return }
    if let topic = options.statusTopic {
      try? publish(MQTTMessage(topic, "offline"), isRetained: true)
    }
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
  private func check(_ call: @autoclosure () -> Int32) throws(BrokerFailure) {
    // The library reports MOSQ_ERR_ERRNO also for a connection that ends within a message, and sets no `errno` then.
    errno = 0
    let code = call()
    let cause = errno
    guard code != Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    // A broker that refuses the connection also closes it. The refusal is the better reason.
    try throwRefusal()
    let reason =
      if code != Int32(MOSQ_ERR_ERRNO.rawValue) {
        String(cString: cmosquitto_strerror(code))
      } else if cause == 0 {
        "it closed the connection within a message; it may be no MQTT broker"
      } else { SystemError(cause).description }
    throw failure(lastError.map { "\(reason) \($0)" } ?? reason)
  }

  private func throwRefusal() throws(BrokerFailure) {
    if let code = connack, code != 0 { try checkAcceptance() }
  }

  private func failure(_ reason: String) -> BrokerFailure {
    BrokerFailure(
      "there is no connection to the broker at \(options.hostAndPort): \(reason.quotation)",
      hint: hint)
  }

  private var hint: String {
    guard options.isEncrypted, lastError != nil else {
      return "Check that the broker runs, and \"host\" and \"port\" in the option \"broker\"."
    }
    return options.caFile == nil
      ? "Check that the broker's certificate names this host. If your own authority signed it, set "
        + "\"broker.caFile\" to a file with the authority's certificate."
      : "Check that the broker's certificate is signed by \"broker.caFile\" and names this host."
  }
}

/// The library libmosquitto, loaded at first use.
enum MosquittoLibrary {
  static let hint = "Install it: apt install libmosquitto1"

  /// The reason why the library cannot be used; nil if it can. The first call loads the library.
  static var problem: String? { cmosquitto_load().map { String(cString: $0) } }
}

import CMosquitto
import Glibc
import JSON
import Platform

/// The reason why a search could not reach its broker, for people.
struct BrokerSearchFailure: Error, Sendable {
  let message: String
}

/// Collects the retained messages of some topics of a broker, over one connection, on the calling
/// thread.
final class RetainedMessages {
  /// The most topics that are kept.
  static let mostTopics = 5000
  /// The longest message, in bytes: Zigbee2MQTT lists all of its devices in one.
  static let longestPayload = 2 << 20
  /// The number of bytes read from the broker at which the collection ends.
  static let mostBytes: UInt64 = 16 << 20
  private static let keepalive: Int32 = 15

  private let broker: BrokerAddress
  private var messages: [String: [UInt8]] = [:]
  private var connack: Int32?
  private var complaint: String?

  private init(_ broker: BrokerAddress) { self.broker = broker }

  /// Returns the messages by their topics.
  ///
  /// - Parameters:
  ///   - request: A topic and a text to send after the subscriptions.
  ///   - acceptance: The time for the broker to accept the connection.
  ///   - timeout: The time to wait for messages after that.
  ///   - flag: Ends the collection early when it is set.
  static func collect(
    from broker: BrokerAddress, topics: [String], request: (topic: String, text: String)?,
    acceptance: Duration, timeout: Duration, _ flag: CancellationFlag
  ) throws(BrokerSearchFailure) -> [String: [UInt8]] {
    if let problem = cmosquitto_load() {
      throw BrokerSearchFailure(
        message: "\(String(cString: problem)); install it: apt install libmosquitto1")
    }
    let collector = RetainedMessages(broker)
    try collector.run(topics, request, acceptance, timeout, flag)
    return collector.messages
  }

  private func run(
    _ topics: [String], _ request: (topic: String, text: String)?, _ longestAcceptance: Duration,
    _ time: Duration, _ flag: CancellationFlag
  ) throws(BrokerSearchFailure) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let id = "home-theater-search-\(UInt32.random(in: 0 ... .max))"
    guard let client = cmosquitto_new(id, true, context) else {
      throw failure(SystemError(errno).description)
    }
    defer { cmosquitto_destroy(client) }
    setCallbacks(client)
    if let user = broker.user {
      try check(cmosquitto_username_pw_set(client, user, broker.password))
    }
    if let tls = broker.tls { try encrypt(client, tls) }
    try check(
      cmosquitto_connect_async(client, broker.host, Int32(broker.port), Self.keepalive))
    let acceptance = SearchDeadline(after: longestAcceptance, or: flag)
    while connack == nil {
      guard !acceptance.isOver else { throw failure("it does not answer") }
      try serve(client, until: acceptance)
    }
    if let code = connack, code != 0 { throw refusal(code) }
    for topic in topics { try check(cmosquitto_subscribe(client, nil, topic, 0)) }
    if let request {
      let bytes = Array(request.text.utf8)
      try check(
        cmosquitto_publish(
          client, nil, request.topic, Int32(clamping: bytes.count), bytes, 0, false))
    }
    receive(client, until: SearchDeadline(after: time, or: flag))
    _ = cmosquitto_disconnect(client)
    _ = cmosquitto_loop_write(client, 1)
  }

  private func encrypt(
    _ client: OpaquePointer, _ tls: BrokerAddress.TLS
  ) throws(BrokerSearchFailure) {
    guard let file = tls.caFile else {
      return try check(cmosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
    }
    if let kind = RegularFile.otherKind(at: file) {
      throw failure("its certificate file \(file.quotation) is \(kind)")
    }
    guard access(file, R_OK) == 0 else {
      throw failure("its certificate file \(file.quotation) cannot be read")
    }
    try check(cmosquitto_tls_set(client, file, nil, nil, nil, nil))
  }

  /// Receives until the deadline. If the connection ends earlier, the messages received until then
  /// are kept.
  private func receive(_ client: OpaquePointer, until deadline: SearchDeadline) {
    while !deadline.isOver, messages.count < Self.mostTopics,
      cmosquitto_bytes_read(cmosquitto_socket(client)) < Self.mostBytes
    {
      do throws(BrokerSearchFailure) { try serve(client, until: deadline) } catch { return }
    }
  }

  private func serve(
    _ client: OpaquePointer, until deadline: SearchDeadline
  ) throws(BrokerSearchFailure) {
    let socket = cmosquitto_socket(client)
    guard socket >= 0 else { throw failure(complaint ?? "the connection was closed") }
    // During the TLS handshake `cmosquitto_want_write` is always true, so POLLOUT would return at once: the
    // library is called every 10 ms instead.
    let isHandshaking = broker.tls != nil && connack == nil
    let wantsToWrite = !isHandshaking && cmosquitto_want_write(client)
    let wait = isHandshaking ? deadline.limited(to: .milliseconds(10)) : deadline
    guard let ready = wait.poll(socket, POLLIN | (wantsToWrite ? POLLOUT : 0)) else {
      throw failure(SystemError(errno).description)
    }
    if ready & ~POLLOUT != 0 { try check(cmosquitto_loop_read(client, 1)) }
    if isHandshaking || ready & POLLOUT != 0 || cmosquitto_want_write(client) {
      try check(cmosquitto_loop_write(client, 1))
    }
    try check(cmosquitto_loop_misc(client))
  }

  private func setCallbacks(_ client: OpaquePointer) {
    cmosquitto_connect_callback_set(client) { _, context, code in
      RetainedMessages.instance(from: context)?.connack = code
    }
    cmosquitto_message_callback_set(client) { _, context, message in
      guard let message else { return }
      RetainedMessages.instance(from: context)?.insert(message.pointee)
    }
    cmosquitto_log_callback_set(client) { _, context, level, text in
      guard level & Int32(MOSQ_LOG_ERR) != 0, let text else { return }
      RetainedMessages.instance(from: context)?.complaint = String(cString: text)
    }
  }

  private static func instance(from context: UnsafeMutableRawPointer?) -> RetainedMessages? {
    context.map { Unmanaged<RetainedMessages>.fromOpaque($0).takeUnretainedValue() }
  }

  private func insert(_ message: mosquitto_message) {
    guard let topic = message.topic, strlen(topic) <= MQTTText.longestTopic,
      (1...Self.longestPayload).contains(Int(message.payloadlen)), message.payload != nil,
      let name = String(validatingCString: topic), messages.count < Self.mostTopics
    else { return }
    let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    messages[name] = Array(bytes)
  }

  /// Throws the reason why a call of the library has failed.
  private func check(_ call: @autoclosure () -> Int32) throws(BrokerSearchFailure) {
    // The library reports MOSQ_ERR_ERRNO also for a connection that ends within a message, and sets no `errno` then.
    errno = 0
    let code = call()
    let cause = errno
    guard code != Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    if let connack, connack != 0 { throw refusal(connack) }
    let reason =
      if code != Int32(MOSQ_ERR_ERRNO.rawValue) {
        String(cString: cmosquitto_strerror(code))
      } else if cause == 0 {
        "it closed the connection within a message; it may be no MQTT broker"
      } else { SystemError(cause).description }
    // The library's complaint names the fault of a certificate.
    throw failure(complaint.map { "\(reason) \($0.quotation)" } ?? reason)
  }

  /// The failure for the code of a CONNACK; 4 and 5 are those of a login (MQTT 3.1.1, section 3.2.2.3).
  private func refusal(_ code: Int32) -> BrokerSearchFailure {
    guard code == 4 || code == 5 else {
      return failure(String(cString: cmosquitto_connack_string(code)))
    }
    return failure(
      broker.user == nil
        ? "it wants a login; name a user and a password" : "it refuses the user and the password")
  }

  private func failure(_ reason: String) -> BrokerSearchFailure {
    BrokerSearchFailure(message: "no connection to the broker at \(broker.hostAndPort): \(reason)")
  }
}

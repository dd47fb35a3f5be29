import MQTTClient

/// Collects the retained messages of some topics of a broker.
enum RetainedMessages {
  /// The most topics that are kept.
  static let mostTopics = 5000
  /// The longest message, in bytes: Zigbee2MQTT lists all of its devices in one.
  static let longestPayload = 2 << 20
  /// The number of bytes read from the broker at which the collection ends.
  static let mostBytes: UInt64 = 16 << 20

  /// Returns the messages by their topics, over one connection, on the calling thread. If the
  /// connection ends early, returns those received until then.
  ///
  /// - Parameters:
  ///   - request: A topic and a text to send after the subscriptions.
  ///   - acceptance: The time for the broker to accept the connection.
  ///   - timeout: The time to wait for messages after that.
  ///   - flag: Ends the collection early when it is set.
  static func collect(
    from broker: BrokerAddress, topics: [String], request: (topic: String, text: String)?,
    acceptance: Duration, timeout: Duration, _ flag: CancellationFlag
  ) throws(MQTTFailure) -> [String: [UInt8]] {
    var messages: [String: [UInt8]] = [:]
    let session = MQTTSession(
      broker, clientID: "home-theater-search-\(UInt32.random(in: 0 ... .max))",
      acceptance: acceptance, longestPacket: mostBytes, longestPayload: longestPayload
    ) { event in
      guard case .message(let topic, let payload) = event, !payload.isEmpty,
        messages.count < mostTopics
      else { return }
      messages[topic] = payload
    }
    try session.connect()
    while !session.isConnected {
      guard !flag.isSet else { return [:] }
      try session.wait()
    }
    for topic in topics { try session.subscribe(topic, qos: 0) }
    if let request { try session.publish(Array(request.text.utf8), to: request.topic, qos: 0) }
    let deadline = SearchDeadline(after: timeout, or: flag)
    do throws(MQTTFailure) {
      while !deadline.isOver, messages.count < mostTopics, session.bytesRead < mostBytes {
        try session.wait(atMost: deadline.pollTimeout)
      }
    } catch {}
    session.disconnect()
    return messages
  }
}

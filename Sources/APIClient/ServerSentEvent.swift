import JSON

/// An event of the controller's event stream.
package struct ServerSentEvent: Sendable, Hashable {
  /// The last event id of the stream, with which a client continues after a lost connection. An
  /// event without an id of its own has that of an earlier one; nil before the first id.
  package var id: String?
  /// `snapshot`, `device`, `activity`, `run`, `library`, `configuration` or `levels`; `message` if
  /// the event has no name.
  package var name: String
  /// JSON on one line.
  package var data: String

  package init(id: String?, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The parsed data; `null` for anything but JSON.
  package var json: JSON { (try? JSON(parsing: data)) ?? .null }
}

/// An incremental parser for streams of server-sent events (WHATWG HTML, section 9.2.6).
package struct ServerSentEventParser: Sendable {
  /// An event has more bytes than the parser's limit.
  package struct OversizedEvent: Error {
    /// The limit, in bytes.
    package let limit: Int
  }

  /// The largest accepted event, in bytes.
  private let limit: Int
  private var line: [UInt8] = []
  private var isFirstLine = true
  private var endedWithCarriageReturn = false
  private var name = ""
  private var data: [String] = []
  private var dataBytes = 0
  private var id: String?

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// - Parameter limit: The largest accepted event, in bytes.
  package init(limit: Int = 16 << 20) { self.limit = limit }

  /// Parses the next bytes of the stream and returns the events that they complete.
  package mutating func parse(_ bytes: some Sequence<UInt8>) throws(OversizedEvent)
    -> [ServerSentEvent]
  {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let followsCarriageReturn = endedWithCarriageReturn
      endedWithCarriageReturn = byte == 0x0D
      switch byte {
      case 0x0A where followsCarriageReturn: continue
      case 0x0A, 0x0D:
        if let event = endLine() { events.append(event) }
      default:
        guard dataBytes + line.count < limit else { throw OversizedEvent(limit: limit) }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
    isFirstLine = false
    guard !line.isEmpty else { return endEvent() }
    let parts = line.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.dropFirst().first ?? []
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts.first ?? [], as: UTF8.self) {
    case "event": name = text
    case "data":
      data.append(text)
      dataBytes += line.count
    case "id" where !value.contains(0): id = text
    default: break  // A comment, or a field that the standard says to ignore.
    }
    return nil
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer {
      name = ""
      data = []
      dataBytes = 0
    }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }
}

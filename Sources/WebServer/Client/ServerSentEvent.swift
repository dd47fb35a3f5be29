import JSON

/// One event of the controller's stream.
package struct ServerSentEvent: Sendable, Hashable {
  package var id: String?
  /// `snapshot`, `device`, `activity`, `run`, `library`.
  package var name: String
  package var data: String

  package init(id: String?, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The data's JSON.
  package var json: JSON { (try? JSON(parsing: data)) ?? .null }
}

/// Takes the bytes of a stream of server-sent events apart (WHATWG HTML, section 9.2.6).
package struct ServerSentEventParser: Sendable {
  private var line: [UInt8] = []
  private var endedWithCarriageReturn = false
  private var name = ""
  private var data: [String] = []
  private var id: String?

  package init() {}

  /// The events that these bytes complete.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let follows = endedWithCarriageReturn
      endedWithCarriageReturn = byte == 0x0D
      switch byte {
      case 0x0A where follows: continue
      case 0x0A, 0x0D:
        if let event = endOfLine() { events.append(event) }
      default: line.append(byte)
      }
    }
    return events
  }

  private mutating func endOfLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return dispatch() }
    let text = String(decoding: line, as: UTF8.self)
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let field = parts.first ?? ""
    var value = parts.dropFirst().first ?? ""
    if value.first == " " { value.removeFirst() }
    switch field {
    case "event": name = String(value)
    case "data": data.append(String(value))
    case "id": id = String(value)
    default: break  // Comments and what we do not know.
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      name = ""
      data = []
    }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }
}

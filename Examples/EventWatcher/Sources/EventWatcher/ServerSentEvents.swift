import JSON

/// One event of a stream: its name and its data, as the schema of `PlaybackEndpoint.events` declares them.
struct ServerSentEvent: Sendable, CustomStringConvertible {
  var name = ""
  var data: JSON = .null

  /// The event on one line, such as `device lights: power "on", brightness 10`.
  var description: String {
    switch name {
    case "snapshot": "connected to \(data["devices"]?.array?.count ?? 0) devices"
    case "device":
      "device \(text("id")): "
        + (data["state"]?.object ?? [:]).map { "\($0.key) \($0.value["value"] ?? .null)" }
        .joined(separator: ", ")
    case "activity": "activity \(text("activity")): \(text("status")) \(text("itemTitle"))"
    case "run":
      "scene \(text("scene")): "
        + (data["step"].map { "step \($0["id"]?.string ?? "") \($0["status"]?.string ?? "")" }
          ?? text("status"))
    default: "\(name) \(data)"
    }
  }

  private func text(_ key: String) -> String { data[key]?.string ?? "-" }
}

/// Reads the controller's event streams (WHATWG HTML, section 9.2), in which each event has a name and
/// one line of JSON.
struct ServerSentEventParser {
  private var line: [UInt8] = []
  private var event = ServerSentEvent()

  /// Returns the events that end within these bytes.
  mutating func parse(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if line.isEmpty {
        if !event.name.isEmpty { events.append(event) }
        event = ServerSentEvent()
      } else {
        parse(String(decoding: line, as: UTF8.self))
      }
      line = []
    }
    return events
  }

  private mutating func parse(_ line: String) {
    if let name = line.text(after: "event: ") { event.name = name }
    if let data = line.text(after: "data: ") { event.data = (try? JSON(parsing: data)) ?? .null }
  }
}

extension String {
  /// The text after this prefix; `nil` if it begins otherwise.
  fileprivate func text(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

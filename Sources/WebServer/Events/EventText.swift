import Hummingbird
import JSON

/// The text of server-sent events.
struct EventText {
  private var bytes: [UInt8] = []

  /// How many bytes were written since the last time.
  var count: Int { bytes.count }

  /// A line that listeners pass over.
  mutating func comment(_ text: String) {
    bytes.append(contentsOf: ": \(text)\n\n".utf8)
  }

  /// One event. JSON text holds no line break, so it is one line of data.
  mutating func event(_ name: String, id: String, data: JSON) {
    bytes.append(contentsOf: "id: \(id)\nevent: \(name)\ndata: ".utf8)
    data.append(to: &bytes)
    bytes.append(contentsOf: "\n\n".utf8)
  }

  /// What was written since the last time.
  mutating func take() -> ByteBuffer {
    defer { bytes.removeAll(keepingCapacity: true) }
    return ByteBuffer(bytes: bytes)
  }
}

import Devices
import JSON
import NIOCore

/// A text of server-sent events.
struct EventText {
  private(set) var buffer: ByteBuffer

  /// - Parameter buffer: Events that were made before. They are copied only when something is appended.
  init(_ buffer: ByteBuffer = ByteBuffer()) { self.buffer = buffer }

  /// The number of bytes.
  var count: Int { buffer.readableBytes }

  /// Appends a comment, which clients ignore.
  mutating func appendComment(_ text: String) {
    buffer.writeString(": \(text)\n\n")
  }

  /// Appends an event. JSON text has no line breaks, so its data is one line.
  ///
  /// - Parameter id: `nil` for an event after which a stream cannot be resumed.
  mutating func appendEvent(_ name: EventName, id: String? = nil, data: JSON) {
    if let id { buffer.writeString("id: \(id)\n") }
    buffer.writeString("event: \(name)\ndata: ")
    var bytes: [UInt8] = []
    data.append(to: &bytes)
    buffer.writeBytes(bytes)
    buffer.writeStaticString("\n\n")
  }
}

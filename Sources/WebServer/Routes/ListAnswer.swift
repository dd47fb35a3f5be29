import HTTPTypes
import Hummingbird
import JSON
import NIOCore

extension Response {
  /// An answer with an object whose first member is a list that may be long.
  ///
  /// The text of a long list is made part by part while it is written: it is never whole in memory, so that many
  /// clients that do not read cost little. Its length is known before, from a first pass.
  ///
  /// - Parameters:
  ///   - name: The name of the list.
  ///   - further: The members after the list.
  ///   - json: Returns the JSON of an element, the same at each call.
  static func list<Element: Sendable>(
    _ name: String, of elements: [Element], further: JSONObject = [:],
    json: @escaping @Sendable (Element) -> JSON
  ) -> Response {
    let text = ListText(name: name, elements: elements, further: further, json: json)
    let parts = text.makeIterator()
    let first = parts.next() ?? ByteBuffer()
    var length = first.readableBytes
    while let part = parts.next() { length += part.readableBytes }
    guard length > first.readableBytes else { return Response(jsonText: first) }
    return Response(
      status: .ok, headers: [.contentType: "application/json", .contentLength: "\(length)"],
      // Without a length of its own the body counts as one that is made part by part.
      body: ResponseBody { writer in
        for part in text { try await writer.write(part) }
        try await writer.finish(nil)
      })
  }
}

/// The text of an object with a list, in parts of about 32 KiB.
private struct ListText<Element: Sendable>: Sequence, Sendable {
  let name: String
  let elements: [Element]
  let further: JSONObject
  let json: @Sendable (Element) -> JSON

  func makeIterator() -> AnyIterator<ByteBuffer> {
    var index = 0
    var isOver = false
    return AnyIterator {
      guard !isOver else { return nil }
      var bytes: [UInt8] = []
      if index == 0 { bytes += Array("{\(JSON.string(name).text()):[".utf8) }
      while index < elements.count, bytes.count < UnreadAnswerLimiter.part {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        json(elements[index]).append(to: &bytes)
        index += 1
      }
      if index == elements.count {
        isOver = true
        bytes += end
      }
      return ByteBuffer(bytes: bytes)
    }
  }

  /// The end of the list, the further members and the end of the object.
  private var end: [UInt8] {
    var bytes = [UInt8(ascii: "]")]
    for (name, value) in further {
      bytes.append(UInt8(ascii: ","))
      JSON.string(name).append(to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      value.append(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

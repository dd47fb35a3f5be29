import JSON
import MediaFolders

/// The head of a station's response: HTTP, or the `ICY 200 OK` of old servers.
struct StationHead: Equatable {
  /// The longest head that is read, in bytes.
  static let longest = 16_384

  let status: Int
  /// The server's text for the status, at most 60 bytes.
  let reason: String
  /// The first field of each name, by lower-case name.
  private let fields: [String: String]

  /// Returns the offset of the body; nil while the head is incomplete.
  static func end(in bytes: [UInt8]) -> Int? {
    var lineStart = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0A {
      let line = bytes[lineStart..<index]
      if line.isEmpty || line.elementsEqual([0x0D]) { return index + 1 }
      lineStart = index + 1
    }
    return nil
  }

  /// Reads a head; nil if its first line is not a status line.
  init?(_ bytes: some Collection<UInt8>) {
    // Splits bytes, not a `String`: hashing a key with many combining marks would take seconds.
    let lines = bytes.split(separator: 0x0A).map { $0.filter { $0 >= 0x20 && $0 != 0x7F } }
    guard let first = lines.first,
      first.starts(with: "HTTP/1.".utf8) || first.starts(with: "ICY ".utf8)
    else { return nil }
    let words = MediaText.line(first).split(separator: " ", maxSplits: 2)
    guard words.count >= 2, let status = Int(words[1]), (100...599).contains(status) else {
      return nil
    }
    self.status = status
    reason = words.count > 2 ? String(words[2]).boundedLine(maximumBytes: 60) : ""
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon <= 64,
        line[..<colon].allSatisfy({ $0 < 0x80 })
      else { continue }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      var value = line[(colon + 1)...].drop { $0 == 0x20 }
      while value.last == 0x20 { value.removeLast() }
      let text = String(decoding: value, as: UTF8.self)
      if fields[name] == nil, text.isStreamSafe { fields[name] = text }
    }
    self.fields = fields
  }

  /// The target of a redirect; nil for any other response.
  var location: String? {
    [301, 302, 303, 307, 308].contains(status) ? fields["location"] : nil
  }

  /// Bytes of the body; nil if the server does not state them.
  var length: Int? { fields["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

  /// Bytes of sound between two metadata blocks; 0 without metadata.
  var interval: Int {
    fields["icy-metaint"].flatMap { Int($0) }.flatMap { (1...16_777_216).contains($0) ? $0 : nil }
      ?? 0
  }

  /// Throws unless the body is a stream.
  func requireStream(subject: String) throws(MediaFailure) {
    guard status == 200 else {
      let answer = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
      throw MediaFailure(
        .unreachable, subject: subject, detail: "its server answered \(answer)",
        hint: status < 500 ? "Check the station's \"url\"." : "")
    }
    // The request is HTTP/1.0, so the server must not use a transfer encoding such as chunked.
    guard fields["transfer-encoding"] == nil else {
      throw MediaFailure(
        .unsupported, subject: subject,
        detail: "its server sends the stream in a transfer encoding that is not supported")
    }
  }
}

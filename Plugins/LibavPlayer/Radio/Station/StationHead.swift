import JSON

/// The head of a station's answer: HTTP, or the `ICY 200 OK` of old servers.
struct StationHead: Equatable {
  /// The longest head that is read, in bytes.
  static let longest = 16_384

  let status: Int
  /// What the server said beside the number.
  let reason: String
  /// By lower-case name; the first of equal names.
  private let fields: [String: String]

  /// Where the body begins; nil while the head is incomplete.
  static func end(in bytes: [UInt8]) -> Int? {
    var lineStart = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0A {
      let line = bytes[lineStart..<index]
      if line.isEmpty || line.elementsEqual([0x0D]) { return index + 1 }
      lineStart = index + 1
    }
    return nil
  }

  /// Reads a head; nil where its first line is none.
  init?(_ bytes: some Collection<UInt8>) {
    // As bytes: a row of combining marks in a `String` key would cost seconds.
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

  /// Where the stream is instead.
  var location: String? {
    [301, 302, 303, 307, 308].contains(status) ? fields["location"] : nil
  }

  /// Bytes of the body, where the server says.
  var length: Int? { fields["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

  /// Bytes of sound between two titles; 0 without titles.
  var interval: Int {
    fields["icy-metaint"].flatMap { Int($0) }.flatMap { (1...16_777_216).contains($0) ? $0 : nil }
      ?? 0
  }

  /// Throws unless a stream follows.
  func check(subject: String) throws(MediaFailure) {
    guard status == 200 else {
      let answer = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
      throw MediaFailure(
        .unreachable, subject: subject, detail: "its server answered \(answer)",
        hint: status < 500 ? "Check the station's \"url\"." : "")
    }
    // We asked with HTTP/1.0, to which nobody may answer in chunks.
    guard fields["transfer-encoding"] == nil else {
      throw MediaFailure(
        .unsupported, subject: subject,
        detail: "its server packs the stream in a way we do not read")
    }
  }
}

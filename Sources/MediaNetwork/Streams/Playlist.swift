import MediaFolders

/// A playlist of streams: `.m3u`, `.pls`, `.xspf` or `.asx`, in the forms that stations and television servers send.
package enum Playlist {
  /// The largest playlist, in bytes, and the most entries that count.
  package static let longest = 262_144
  package static let mostEntries = 64

  /// The kind of a document, by its beginning.
  package enum Kind: Equatable, Sendable {
    case m3u, pls
    /// XSPF or ASX.
    case xml
    /// A playlist of segments, which the player itself follows.
    case hls
    /// Sound, a film, or something else.
    case other
  }

  /// Detects the kind of a document.
  ///
  /// - Parameters:
  ///   - start: Its first bytes; for HLS at least its first tags.
  ///   - type: The type that the server names, in lower case.
  ///   - path: The path of its address.
  package static func kind(_ start: some Collection<UInt8>, type: String, path: String) -> Kind {
    let text = Self.text(start)
    let first = text.drop { $0.isWhitespace }
    if first.hasPrefix("#EXTM3U") { return text.contains("#EXT-X-") ? .hls : .m3u }
    let lower = first.prefix(1_000).lowercased()
    if lower.hasPrefix("[playlist]") { return .pls }
    if lower.hasPrefix("<asx") || (lower.hasPrefix("<") && lower.contains("<playlist")) {
      return .xml
    }
    // Neither sound nor a film begins like this.
    if lower.hasPrefix("http://") || lower.hasPrefix("https://") || lower.hasPrefix("#extinf") {
      return .m3u
    }
    let name = path.prefix { $0 != "?" }.lowercased()
    let isText = !start.contains { $0 < 0x09 }
    if isText, type.contains("mpegurl") || name.hasSuffix(".m3u") || name.hasSuffix(".m3u8") {
      return .m3u
    }
    if isText, type.contains("scpls") || name.hasSuffix(".pls") { return .pls }
    return .other
  }

  /// Returns the addresses of the streams, resolved against that of the playlist; others than http and https are left
  /// out.
  package static func entries(
    _ document: some Collection<UInt8>, kind: Kind, at address: MediaAddress
  ) -> [MediaAddress] {
    let text = Self.text(document.prefix(longest))
    let references: [Substring] =
      switch kind {
      case .m3u: lines(text).filter { !$0.hasPrefix("#") }
      case .pls: plsFiles(text)
      case .xml: xmlReferences(text)
      case .hls, .other: []
      }
    var entries: [MediaAddress] = []
    for reference in references where entries.count < mostEntries {
      guard let entry = address.resolved(String(reference)), !entries.contains(entry) else {
        continue
      }
      entries.append(entry)
    }
    return entries
  }

  /// Reads UTF-8, with or without a mark at its beginning, or Latin-1; and UTF-16 with its mark.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return String(decoding: bytes.dropFirst(3), as: UTF8.self)
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let low = bytes[0] == 0xFF ? 0 : 1
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
      }
      return String(decoding: units, as: UTF16.self)
    }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Returns the lines without the spaces around them, and without empty ones.
  private static func lines(_ text: String) -> [Substring] {
    text.split { $0.isNewline }.map(trimmed).filter { !$0.isEmpty }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }

  /// Returns the values of `File1=…`, in the order of their numbers.
  private static func plsFiles(_ text: String) -> [Substring] {
    let files = lines(text).compactMap { line -> (Int, Substring)? in
      guard let mark = line.firstIndex(of: "=") else { return nil }
      let key = trimmed(line[..<mark]).lowercased()
      guard key.hasPrefix("file"), let number = Int(key.dropFirst(4)) else { return nil }
      return (number, trimmed(line[line.index(after: mark)...]))
    }
    return files.sorted { $0.0 < $1.0 }.map(\.1).filter { !$0.isEmpty }
  }

  /// Returns the contents of `<location>`, and the attributes `href` of `<ref>` and `<entryref>`.
  ///
  /// Reads these elements alone, so that no entity and no included document counts.
  private static func xmlReferences(_ text: String) -> [Substring] {
    var references: [Substring] = []
    var rest = text[...]
    while references.count < mostEntries, let open = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: open)...]
      if rest.hasPrefix("!--") {
        guard let end = rest.firstRange(of: "-->") else { break }
        rest = rest[end.upperBound...]
        continue
      }
      guard let close = rest.firstIndex(of: ">") else { break }
      let tag = rest[..<close]
      rest = rest[rest.index(after: close)...]
      switch tag.prefix(while: { !$0.isWhitespace && $0 != "/" }).lowercased() {
      case "location":
        var content = rest.prefix { $0 != "<" }
        if rest.hasPrefix("<![CDATA["), let end = rest.firstRange(of: "]]>") {
          content = rest[rest.index(rest.startIndex, offsetBy: 9)..<end.lowerBound]
        }
        references.append(unescaped(trimmed(content)))
      case "ref", "entryref":
        if let value = attribute("href", of: tag) { references.append(unescaped(value)) }
      default: break
      }
    }
    return references.filter { !$0.isEmpty }
  }

  private static func attribute(_ name: String, of tag: Substring) -> Substring? {
    let lower = tag.lowercased()
    guard let found = lower.firstRange(of: name + "=") ?? lower.firstRange(of: name + " =") else {
      return nil
    }
    let distance = lower.distance(from: lower.startIndex, to: found.lowerBound)
    // Lower case may change the number of characters outside ASCII only.
    guard distance < tag.count else { return nil }
    let rest = tag[tag.index(tag.startIndex, offsetBy: distance)...].drop { $0 != "=" }.dropFirst()
      .drop { $0.isWhitespace }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return trimmed(rest.dropFirst().prefix { $0 != quote })
  }

  private static func unescaped(_ text: Substring) -> Substring {
    guard text.contains("&") else { return text }
    return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
      .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }[...]
  }
}

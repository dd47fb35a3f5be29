import Glibc

/// A list of segments (HLS) for a program that follows its references by itself, with references that are safe.
///
/// Only known tags are kept, and each reference becomes an absolute one of `http`, which is requested through the
/// proxy. An address of https gets a name for its host that only the proxy understands.
package enum SegmentList {
  /// The largest list, in bytes, and the longest line of it.
  static let longest = 4_194_304
  static let longestLine = 8_192

  /// The first line of each list.
  static let mark = Array("#EXTM3U".utf8)

  /// The end of a host's name that stands for https (RFC 6761: no host has such a name).
  private static let secureSuffix = ".https.invalid"
  /// The beginning of a name that stands for an IPv6 address.
  private static let sixPrefix = "v6."

  /// The tags that are kept as they are.
  private static let plainTags: Set<String> = [
    "#EXTM3U", "#EXTINF", "#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-MEDIA-SEQUENCE",
    "#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE", "#EXT-X-BYTERANGE", "#EXT-X-DISCONTINUITY",
    "#EXT-X-PROGRAM-DATE-TIME", "#EXT-X-INDEPENDENT-SEGMENTS",
  ]
  /// The tags with attributes, which may hold a reference.
  private static let attributeTags: Set<String> = [
    "#EXT-X-KEY", "#EXT-X-MAP", "#EXT-X-MEDIA", "#EXT-X-STREAM-INF", "#EXT-X-START",
  ]

  /// Whether libav takes a document with this beginning for a list of segments.
  static func begins(_ document: some Collection<UInt8>) -> Bool {
    document.starts(with: mark)
  }

  /// Whether a list of segments may begin anywhere within these bytes.
  static func begins(within bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      var start = 0
      while let place = memchr(base + start, Int32(mark[0]), bytes.count - start) {
        start = UnsafeRawPointer(place) - base
        if bytes[start...].starts(with: mark) { return true }
        start += 1
      }
      return false
    }
  }

  /// Returns the address under which a program reaches another one through the proxy.
  package static func relayed(_ address: MediaAddress) -> MediaAddress {
    let plain = address.with(credentials: nil)
    guard plain.isSecure else { return plain }
    let isSix = plain.host.contains(":")
    let name = isSix ? sixPrefix + plain.host.replacing(":", with: "_") : plain.host
    return plain.with(isSecure: false, host: name + secureSuffix)
  }

  /// Returns the address that a relayed one stands for.
  static func original(of relayed: MediaAddress) -> MediaAddress {
    guard relayed.host.hasSuffix(secureSuffix) else { return relayed }
    var host = String(relayed.host.dropLast(secureSuffix.count))
    if host.hasPrefix(sixPrefix) {
      host = String(host.dropFirst(sixPrefix.count)).replacing("_", with: ":")
    }
    return relayed.with(isSecure: true, host: host)
  }

  /// Returns the list with safe references.
  ///
  /// - Parameter address: The address that the list was read from.
  /// - Throws: The problem with a reference to something else than http and https, or with a malformed line.
  static func relayed(
    _ document: [UInt8], at address: MediaAddress
  ) throws(NetworkAccess.Problem) -> [UInt8] {
    var text = ""
    // libav ends a line at each of these bytes.
    for bytes in document.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) {
      guard bytes.count <= longestLine, !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 }) else {
        throw .invalidList
      }
      let line = trimmed(String(decoding: bytes, as: UTF8.self)[...])
      if let kept = try relayed(line: line, at: address) { text += kept + "\n" }
    }
    return Array(text.utf8)
  }

  /// Returns a line with a safe reference; nil for one that is left out.
  private static func relayed(
    line: Substring, at address: MediaAddress
  ) throws(NetworkAccess.Problem) -> String? {
    guard !line.isEmpty else { return nil }
    guard line.hasPrefix("#") else { return try reference(line, at: address) }
    let tag = String(line.prefix { $0 != ":" })
    if plainTags.contains(tag) { return String(line) }
    guard attributeTags.contains(tag) else { return nil }
    return tag + ":" + (try attributes(line.dropFirst(tag.count + 1), at: address))
  }

  private static func reference(
    _ text: Substring, at address: MediaAddress
  ) throws(NetworkAccess.Problem) -> String {
    guard let target = address.resolved(String(text)) else { throw .otherScheme }
    let url = relayed(target).text
    // libav cuts a longer line.
    guard url.utf8.count < MediaAddress.longest - 256, !url.contains("\\") else {
      throw .invalidList
    }
    return url.replacing("\"", with: "%22")
  }

  /// Reads `NAME=value,NAME="value"` and writes it anew, so that libav reads the same attributes.
  private static func attributes(
    _ text: Substring, at address: MediaAddress
  ) throws(NetworkAccess.Problem) -> String {
    var written: [String] = []
    var rest = trimmed(text)
    while !rest.isEmpty {
      let name = rest.prefix { $0 != "=" }
      rest = rest.dropFirst(name.count + 1)
      let isName = name.utf8.allSatisfy {
        (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
      }
      guard isName, !name.isEmpty, !rest.isEmpty else { throw .invalidList }
      let isQuoted = rest.first == "\""
      if isQuoted { rest = rest.dropFirst() }
      let value = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
      rest = rest.dropFirst(value.count)
      if isQuoted {
        guard rest.first == "\"" else { throw .invalidList }
        rest = rest.dropFirst()
      } else if value.contains(where: { $0 == "\"" || $0.isWhitespace }) {
        throw .invalidList
      }
      guard !value.contains("\\") else { throw .invalidList }
      if name == "URI" {
        written.append("URI=\"\(try reference(value, at: address))\"")
      } else {
        written.append("\(name)=" + (isQuoted ? "\"\(value)\"" : String(value)))
      }
      rest = rest.drop { $0 == " " }
      guard rest.isEmpty || rest.first == "," else { throw .invalidList }
      rest = rest.dropFirst().drop { $0 == " " }
    }
    return written.joined(separator: ",")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}

extension NetworkAccess.Problem {
  static let invalidList = Self("its list of segments is malformed")
}

import JSON

/// The `http` or `https` address of a medium, as far as a player needs one (RFC 3986).
package struct MediaAddress: Hashable, Sendable {
  /// The longest accepted address, in bytes.
  package static let longest = 4_096

  package let isSecure: Bool
  /// A name or an IP address, in lower case and without brackets.
  package let host: String
  package let port: Int
  /// Path and query, from the slash on; printable ASCII without a space.
  package let path: String
  /// `user:password`, percent-decoded; nil if the address has none.
  package let credentials: String?

  /// Reads an absolute address; nil for another scheme and for an invalid one.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest, let colon = text.firstRange(of: "://") else {
      return nil
    }
    let scheme = text[..<colon.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    var authority = rest[..<end]
    var credentials: String?
    if let at = authority.lastIndex(of: "@") {
      guard let plain = PercentEncoding.decode(authority[..<at]) else { return nil }
      credentials = plain
      authority = authority[authority.index(after: at)...]
    }
    guard let (host, port) = Self.hostAndPort(authority, defaultPort: scheme == "https" ? 443 : 80),
      let path = Self.path(rest[end...])
    else { return nil }
    self.init(
      isSecure: scheme == "https", host: host, port: port, path: path, credentials: credentials)
  }

  private init(isSecure: Bool, host: String, port: Int, path: String, credentials: String?) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.path = path
    self.credentials = credentials
  }

  /// Returns the address with other credentials.
  func with(credentials: String?) -> MediaAddress {
    MediaAddress(
      isSecure: isSecure, host: host, port: port, path: path, credentials: credentials)
  }

  /// Returns the address at another server.
  func with(isSecure: Bool, host: String) -> MediaAddress {
    MediaAddress(isSecure: isSecure, host: host, port: port, path: path, credentials: credentials)
  }

  /// The address as text, without the credentials.
  package var text: String { "\(scheme)\(authority)\(path)" }

  /// The address as text, with the credentials.
  package var url: String {
    guard let credentials else { return text }
    let encoded = PercentEncoding.encode(credentials) {
      PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: ":")
    }
    return "\(scheme)\(encoded)@\(authority)\(path)"
  }

  private var scheme: String { isSecure ? "https://" : "http://" }

  /// `host:port` for a URL; the host alone for the scheme's own port.
  package var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// Returns the address that a reference in a document of this address leads to; nil if that is no `http` or `https`
  /// address.
  package func resolved(_ reference: String) -> MediaAddress? {
    if reference.hasPrefix("//") {
      return MediaAddress((isSecure ? "https:" : "http:") + reference)
    }
    // A colon before any slash ends a scheme.
    if let mark = reference.firstIndex(where: { ":/?#".contains($0) }), reference[mark] == ":" {
      return MediaAddress(reference)
    }
    let document = path.prefix { $0 != "?" }
    // RFC 3986, section 5.2: a query alone keeps the whole path.
    let base: Substring =
      switch reference.first {
      case "/": ""
      case "?": document
      default: document.lastIndex(of: "/").map { document[...$0] } ?? "/"
      }
    guard reference.utf8.count <= Self.longest, let path = Self.path(base + reference) else {
      return nil
    }
    return MediaAddress(
      isSecure: isSecure, host: host, port: port, path: path, credentials: credentials)
  }

  // MARK: Parts

  /// Reads `host:port`; nil if it is invalid, or if neither it nor `defaultPort` names a port.
  package static func hostAndPort(
    _ text: Substring, defaultPort: Int?
  ) -> (host: String, port: Int)? {
    var host = text
    var port = Substring()
    if text.hasPrefix("["), let bracket = text.lastIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<bracket]
      let rest = text[text.index(after: bracket)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.dropFirst()
      guard !host.isEmpty,
        host.utf8.allSatisfy({ Hexadecimal.value($0) != nil || $0 == 0x3A || $0 == 0x2E })
      else { return nil }
    } else {
      if let colon = text.firstIndex(of: ":") {
        host = text[..<colon]
        port = text[text.index(after: colon)...]
      }
      guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(isHostSymbol) else {
        return nil
      }
    }
    if port.isEmpty { return defaultPort.map { (host.lowercased(), $0) } }
    guard let number = UInt16(port), number > 0 else { return nil }
    return (host.lowercased(), Int(number))
  }

  /// Returns path and query without the fragment; spaces and bytes outside ASCII are percent-encoded. Nil if there are
  /// control characters.
  private static func path(_ text: Substring) -> String? {
    let path = text.prefix { $0 != "#" }
    guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return (text.hasPrefix("/") ? "" : "/")
      + PercentEncoding.encode(path) { (0x21..<0x7F).contains($0) }
  }

  private static func isHostSymbol(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
    default: false
    }
  }
}

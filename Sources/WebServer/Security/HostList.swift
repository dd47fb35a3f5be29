import Glibc

/// The host and optional port of a `Host` or `Origin` header: `theater.local:8080`.
package struct Authority: Sendable, Hashable {
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  /// `nil` for the default port of the scheme.
  package let port: Int?

  /// - Parameter text: `name`, `name:port`, `192.0.2.7:port`, `[2001:db8::7]:port`; `nil`
  ///   for any other text.
  package init?(_ text: String) {
    var name = text[...]
    var port: Substring?
    if text.first == "[" {
      guard let end = text.lastIndex(of: "]") else { return nil }
      name = text[text.index(after: text.startIndex)..<end]
      let rest = text[end...].dropFirst()
      if !rest.isEmpty {
        guard rest.first == ":" else { return nil }
        port = rest.dropFirst()
      }
      guard name.utf8.allSatisfy({ $0 != 0 }), Self.isAddress(String(name), AF_INET6) else {
        return nil
      }
    } else {
      if let colon = text.firstIndex(of: ":") {
        name = text[..<colon]
        port = text[colon...].dropFirst()
      }
      guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.mayStandInName) else {
        return nil
      }
    }
    if let port {
      guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy(Self.isDigit),
        let number = Int(port), number <= 65_535
      else { return nil }
      self.port = number
    } else {
      self.port = nil
    }
    host = name.lowercased()
  }

  /// Whether it is an IP address, which DNS rebinding cannot change.
  var isAddress: Bool { Self.isAddress(host, AF_INET) || Self.isAddress(host, AF_INET6) }

  /// Whether it is a name of multicast DNS (RFC 6762): `theater.local`.
  var isLocalName: Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= 2 && labels.last == "local"
      && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.first != "-" && $0.last != "-" }
  }

  static func isAddress(_ text: String, _ family: Int32) -> Bool {
    var bytes = in6_addr()
    return inet_pton(family, text, &bytes) == 1
  }

  private static func mayStandInName(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// The allowed host names of a listener.
///
/// A malicious page can let its own name resolve to this machine (DNS rebinding); for the browser its
/// requests are then same-origin. Their `Host` header still has that name, so every route checks it
/// against this list.
package struct HostList: Sendable, Hashable {
  /// The names from the configuration, in lower case. They are allowed with every port, because a
  /// proxy or port forwarding may be in front.
  private let names: Set<String>

  /// - Parameter names: Host names; addresses are ignored, since they are always allowed.
  package init(_ names: some Sequence<String> = []) {
    self.names = Set(names.compactMap(Authority.init).filter { !$0.isAddress }.map(\.host))
  }

  /// Whether `authority` may name the listener on `port`. Addresses, `localhost` and `.local` names may
  /// with that port: only machines of this network decide what they resolve to.
  func admits(_ authority: Authority, port: Int, standardPort: Int) -> Bool {
    if names.contains(authority.host) { return true }
    guard authority.port ?? standardPort == port else { return false }
    return authority.host == "localhost" || authority.isLocalName || authority.isAddress
  }
}

import Glibc

/// A host and perhaps a port, as `Host` and `Origin` carry them: `theater.local:8080`.
package struct Authority: Sendable, Hashable {
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  /// `nil` where the scheme's own is meant.
  package let port: Int?

  /// - Parameter text: `name`, `name:port`, `192.0.2.7:port`, `[2001:db8::7]:port`; anything else
  ///   is no authority.
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

  /// Whether it is an address, which no name server can be made to point elsewhere.
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

/// The names under which a listener may be asked for.
///
/// A foreign page can let its own name point at this machine (DNS rebinding). Its requests then have
/// our address as their target and its own name as their origin: to the browser, all is one site.
/// That name in `Host` is what gives it away, so names are listed, and every route asks the list.
package struct HostList: Sendable, Hashable {
  /// Names that the configuration adds, in lower case. They are right with every port: a proxy or a
  /// forwarded port may stand in front.
  private let names: Set<String>

  /// - Parameter names: Names; addresses among them are passed over, since those are always right.
  package init(_ names: some Sequence<String> = []) {
    self.names = Set(names.compactMap(Authority.init).filter { !$0.isAddress }.map(\.host))
  }

  /// Whether `authority` is a name of the listener on `port`.
  ///
  /// Addresses, `localhost` and `.local` names are, with that very port; they need no list, since
  /// nobody but this network's own machines decides what they mean.
  func admits(_ authority: Authority, port: Int, standardPort: Int) -> Bool {
    if names.contains(authority.host) { return true }
    guard authority.port ?? standardPort == port else { return false }
    return authority.host == "localhost" || authority.isLocalName || authority.isAddress
  }
}

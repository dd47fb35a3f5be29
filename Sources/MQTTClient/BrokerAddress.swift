import Glibc

/// The address of a broker, with the encryption and the login of a connection to it.
package struct BrokerAddress: Sendable, Hashable {
  /// A host name or an IP address without brackets.
  package let host: String
  /// The TCP port, 1 to 65,535; 1883 unless given, with TLS 8883.
  package let port: Int
  /// Whether the connection is encrypted; `nil` if it is not.
  package let tls: TLS?
  /// The user name of the login; `nil` without a login.
  package let user: String?
  /// The password of the login, which must not be logged; `nil` without one.
  package let password: String?

  /// The encryption of a connection. The broker's certificate must name the host.
  package struct TLS: Sendable, Hashable {
    /// The path of a PEM file with the certificate authorities to trust; `nil` for those of the system.
    package let caFile: String?

    package init(caFile: String? = nil) { self.caFile = caFile }
  }

  /// - Parameter port: 1 to 65,535, not checked here; `nil` for the usual one.
  package init(
    host: String, port: Int? = nil, tls: TLS? = nil, user: String? = nil, password: String? = nil
  ) {
    self.host = host
    self.port = port ?? Self.defaultPort(tls)
    self.tls = tls
    self.user = user
    self.password = password
  }

  package static func defaultPort(_ tls: TLS?) -> Int { tls == nil ? 1883 : 8883 }

  /// Reads `HOST`, `HOST:PORT`, `[IPv6]:PORT` or an IPv6 address without a port; `nil` for anything else.
  package init?(_ text: String, tls: TLS? = nil) {
    var host = text[...]
    var port = Self.defaultPort(tls)
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()) else { return nil }
        port = number
      }
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      guard let number = Int(text[text.index(after: colon)...]) else { return nil }
      host = text[..<colon]
      port = number
    }
    guard (1...65_535).contains(port), (1...253).contains(host.utf8.count),
      host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_.:%-".contains($0)) }),
      Self.isIPv6(host) || !(host.contains(":") || text.hasPrefix("["))
    else { return nil }
    self.init(host: String(host), port: port, tls: tls)
  }

  /// Whether the text is an IPv6 address, with or without a zone.
  private static func isIPv6(_ host: Substring) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1
  }

  /// Host and port for people; an IPv6 address in brackets.
  package var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The same broker with a login.
  package func with(user: String, password: String?) -> BrokerAddress {
    BrokerAddress(host: host, port: port, tls: tls, user: user, password: password)
  }
}

/// Descriptions, dumps and interpolations leave out the password.
extension BrokerAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String {
    (user.map { "\(hostAndPort) as \($0)" } ?? hostAndPort) + (tls == nil ? "" : " with TLS")
  }
  package var debugDescription: String { description }
  package var customMirror: Mirror {
    Mirror(
      self, children: ["host": host, "port": port, "tls": tls as Any, "user": user as Any])
  }
}

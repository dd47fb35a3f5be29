import JSON
import TheaterAPI

/// The address of a controller.
package enum ControllerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The path of a Unix socket, at most 107 bytes.
  case socket(String)
  /// A TCP port of this machine, 1 to 65,535, of a host name or an IP address without brackets; without TLS.
  case port(host: String, Int)
  /// A TCP port with TLS.
  case tls(host: String, Int)

  /// Whether connections use TLS.
  var isEncrypted: Bool {
    switch self {
    case .socket, .port: false
    case .tls: true
    }
  }

  /// The path, or host and port; an IPv6 address in brackets. With TLS, the beginning of a URL.
  package var description: String {
    switch self {
    case .socket(let path): path
    case .port(let host, let port): Self.authority(host, port)
    case .tls: url
    }
  }

  /// The address as the beginning of a URL, for AsyncHTTPClient.
  var url: String {
    switch self {
    case .socket(let path): "http+unix://\(PercentEncoding.encode(path))"
    case .port(let host, let port): "http://\(Self.authority(host, port))"
    case .tls(let host, let port): "https://\(Self.authority(host, port))"
    }
  }

  /// Host and port as in a URL (RFC 3986, section 3.2).
  private static func authority(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// The reason why a request has no response.
package enum ControllerConnectionError: Error, Sendable, Hashable {
  /// No process listens at the address.
  case notRunning(ControllerAddress)
  /// The socket, its folder or the process behind it belongs to another user; nothing was sent.
  case untrusted(reason: String, hint: String)
  /// The controller's certificate is not the confirmed one; nothing was sent. `confirmed` is `nil` if none is.
  case certificate(
    ControllerAddress, found: CertificateFingerprint, confirmed: CertificateFingerprint?)
  /// Any other failure: an unknown host name, a timeout, an early end, too many bytes, no HTTP; with the reason.
  case broken(String)
}

/// Where a controller listens.
package enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// The path of a Unix socket, at most 107 bytes.
  case socket(String)
  case port(host: String, Int)

  package var description: String {
    switch self {
    case .socket(let path): path
    case .port(let host, let port): "\(host):\(port)"
    }
  }
}

/// Why there is no answer.
package enum RemoteFailure: Error, Sendable, Hashable {
  /// Nobody listens there.
  case notRunning(RemoteAddress)
  /// The socket, its folder or the process behind it is not this user's; nothing was sent.
  case untrusted(reason: String, hint: String)
  /// The connection ended or said something that is not HTTP, with the reason.
  case broken(String)
}

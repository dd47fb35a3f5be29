/// The reason why a projector gave no answer.
package enum LinkFailure: Error, Equatable, Sendable {
  /// The connection failed, for this reason of the system.
  case noConnection(String)
  /// The host did not accept the connection within this number of seconds.
  case connectionTimeout(Int)
  /// The projector accepted the connection, but sent no greeting.
  case noGreeting
  /// The host sent this text, which is not PJLink.
  case notPJLink(String)
  /// The projector did not answer this command.
  case noReply(String)
  /// The projector closed the connection before it answered.
  case disconnected
  /// The projector sends far more than it is asked for.
  case flood
  /// The projector asks for a password, but the options have none.
  case passwordMissing
  /// The projector refused the password.
  case wrongPassword
  /// The projector refused SHA-256, or did not answer to it in time.
  case noSHA256
  /// The device was closed.
  case cancelled

  /// Whether every further attempt fails until the options change.
  package var isFinal: Bool {
    switch self {
    case .passwordMissing, .wrongPassword: true
    default: false
    }
  }

  /// Whether a new connection is tried at once, because only this connection may have failed.
  var isWorthANewConnection: Bool {
    switch self {
    case .noReply, .disconnected: true
    default: false
    }
  }
}

import Devices
import PJLink

extension LinkFailure {
  /// Returns the error for the user.
  ///
  /// - Parameter hostAndPort: The host and port of the projector.
  func error(at hostAndPort: String) -> DeviceError {
    DeviceError(code, message(at: hostAndPort), hint: hint)
  }

  private var code: DeviceError.Code {
    switch self {
    case .passwordMissing, .wrongPassword: .refused
    case .cancelled: .cancelled
    default: .unavailable
    }
  }

  private func message(at hostAndPort: String) -> String {
    switch self {
    case .noConnection(let reason): "there is no connection to \(hostAndPort): \(reason)"
    case .connectionTimeout(let seconds): "\(hostAndPort) did not answer within \(seconds) s"
    case .noGreeting: "\(hostAndPort) accepts connections, but does not answer"
    case .notPJLink(let text): "\(hostAndPort) does not speak PJLink; it sent \"\(text)\""
    case .noReply(let command): "the projector did not answer \(command)"
    case .disconnected: "the projector closed the connection without an answer"
    case .flood: "the projector sends far more than it is asked for"
    case .passwordMissing: "the projector asks for a password, and none is configured"
    case .wrongPassword: "the projector refuses the password"
    case .noSHA256: "the projector does not answer to SHA-256"
    case .cancelled: "the device was closed before this was done"
    }
  }

  private var hint: String? {
    switch self {
    case .noConnection, .connectionTimeout:
      "Is it plugged in and in the network, and is PJLink (network standby) on in its menu? "
        + "Check the options \"host\" and \"port\"."
    case .noGreeting:
      "Another program may hold its only connection; close that one, or restart the projector."
    case .notPJLink: "Check the options \"host\" and \"port\"."
    case .noReply, .disconnected, .flood:
      "The plugin asks again by itself. If that does not help, unplug the projector for a minute."
    case .passwordMissing:
      "Set the option \"password\" to the PJLink password of its menu, or turn the password off there."
    case .wrongPassword:
      "Set the option \"password\" to the PJLink password of its menu. The plugin does not log in again until then."
    case .noSHA256: "Set the option \"authentication\" to \"auto\" to allow MD5."
    case .cancelled: nil
    }
  }
}

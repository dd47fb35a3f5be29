import Devices
import MQTTClient

/// The reason why there is no connection to a broker.
struct BrokerFailure: Error, Sendable, Hashable {
  /// The description of the failure, with the broker's host and port.
  let message: String
  let hint: String
  /// Whether the broker refused the login or the connection, or the certificate file cannot be read. Commands then fail
  /// at once, because another attempt would fail too.
  let isRefusal: Bool

  init(_ message: String, hint: String, isRefusal: Bool = false) {
    self.message = message
    self.hint = hint
    self.isRefusal = isRefusal
  }

  /// - Parameter broker: The broker of the lost connection.
  init(_ failure: MQTTFailure, of broker: BrokerAddress) {
    let place = "the broker at \(broker.hostAndPort)"
    switch failure {
    case .noLibrary(let problem): self.init(problem, hint: MosquittoLibrary.hint)
    case .certificateFile(let file, let problem):
      self.init(
        "the certificate file \(file) of \(place) \(problem)",
        hint: "Correct the option \"broker.caFile\".", isRefusal: true)
    case .refused(let code, let reason):
      self.init(
        "\(place) refuses the connection: \(reason)",
        hint: code == 4 || code == 5
          ? "Check \"user\" and \"password\" in the option \"broker\"."
          : "Check the broker's log.",
        // 3: the broker is not ready yet.
        isRefusal: code != 3)
    case .disconnected(let reason, let isReported):
      self.init(
        "there is no connection to \(place): \(reason)",
        hint: Self.hint(isReported ? broker.tls : nil))
    }
  }

  private static func hint(_ failed: BrokerAddress.TLS?) -> String {
    guard let failed else {
      return "Check that the broker runs, and \"host\" and \"port\" in the option \"broker\"."
    }
    return failed.caFile == nil
      ? "Check that the broker's certificate names this host. If your own authority signed it, set "
        + "\"broker.caFile\" to a file with the authority's certificate."
      : "Check that the broker's certificate is signed by \"broker.caFile\" and names this host."
  }

  var error: DeviceError {
    DeviceError(isRefusal ? .refused : .unavailable, message, hint: hint)
  }
}

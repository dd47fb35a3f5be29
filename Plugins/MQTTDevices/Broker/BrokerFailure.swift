import Devices

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

  var error: DeviceError {
    DeviceError(isRefusal ? .refused : .unavailable, message, hint: hint)
  }
}

/// Why a command was not carried out.
public struct DeviceError: Error, Sendable, Hashable {
  /// What kind of failure it is; who asked decides by it what to do.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The device cannot do this, or not with this argument.
    case unsupported, invalid
    /// Not in the present state: warming, no disc, off. It may work later.
    case notNow
    /// The device said no, or reported a fault.
    case refused, failed
    /// Nothing answers: the plugin is down, the device is unplugged.
    case unavailable
    /// Accepted, but the state that shows it as done did not come in time; or no answer at all.
    case timeout
    /// A newer command took its place.
    case cancelled
  }

  public var code: Code
  /// What happened, without the device's name: "the lamp is cooling".
  public var message: String
  /// What to do next.
  public var hint: String?
  /// The device.
  public var device: DeviceID?
  /// How long to wait before the same command may work, when the device knows.
  public var retryAfter: Duration?

  public init(
    _ code: Code, _ message: String, hint: String? = nil, device: DeviceID? = nil,
    retryAfter: Duration? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.device = device
    self.retryAfter = retryAfter
  }
}

extension DeviceError: CustomStringConvertible {
  public var description: String {
    (device.map { "\($0): " } ?? "") + message + (hint.map { " (\($0))" } ?? "")
  }
}

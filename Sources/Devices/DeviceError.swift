/// The reason why a command was not performed.
public struct DeviceError: Error, Sendable, Hashable {
  /// The kind of the failure, by which the caller decides.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The device cannot do this, or not with this argument.
    case unsupported, invalid
    /// Not in the present state: warming, no disc, off. It may work later.
    case notNow
    /// The device refused, or reported a fault.
    case refused, failed
    /// Nothing answers: the plugin is down, the device is unplugged.
    case unavailable
    /// Accepted, but the settled state did not come in time; or no answer came at all.
    case timeout
    /// A newer command took its place.
    case cancelled
  }

  public var code: Code
  /// The event, without the device's name: "the lamp is cooling".
  public var message: String
  /// The next action for the user.
  public var hint: String?
  /// The device that failed; `nil` before a device is chosen.
  public var device: DeviceID?
  /// The time after which the same command may work, if the device knows it.
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

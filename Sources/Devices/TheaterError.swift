import JSON

/// A failed operation of the theater, in one shape for every front end.
public struct TheaterError: Error, Sendable, Hashable {
  /// The kind of failure, for programs.
  public enum Code: String, Sendable, Hashable {
    /// No such activity, scene, film, device, run.
    case notFound
    /// The request is malformed or contradicts the configuration.
    case invalid
    /// The requesting user may not do this.
    case forbidden
    /// Impossible in the present state: nothing plays, no amplifier.
    case notNow
    /// A device refused, failed or did not answer.
    case deviceFailed
    /// A newer request took its place.
    case cancelled
  }

  public var code: Code
  /// The description of the failure; one clause for a person, without a full stop.
  public var message: String
  /// The next action.
  public var hint: String?
  /// The device that failed; `nil` if the error does not concern one.
  public var device: DeviceID?
  /// The id of the plan's step: `3`, or `2.1` for the first member of the second one.
  public var step: String?

  public init(
    _ code: Code, _ message: String, hint: String? = nil, device: DeviceID? = nil,
    step: String? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.device = device
    self.step = step
  }

  /// Wraps the error of a device, with the step in which it occurred.
  public init(_ error: DeviceError, device: DeviceID, step: String? = nil) {
    let code: Code =
      switch error.code {
      case .cancelled: .cancelled
      case .notNow: .notNow
      case .invalid, .unsupported: .invalid
      case .refused, .failed, .unavailable, .timeout: .deviceFailed
      }
    self.init(
      code, error.message, hint: error.hint, device: error.device ?? device, step: step)
  }

  /// `{"code": …, "message": …, "hint": …, "device": …, "step": …}`.
  public var json: JSON {
    var object: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
    if let hint { object["hint"] = .string(hint) }
    if let device { object["device"] = .string(device.name) }
    if let step { object["step"] = .string(step) }
    return .object(object)
  }
}

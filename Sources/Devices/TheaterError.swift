import JSON

/// What a person is told when something did not work: one shape for every front end.
package struct TheaterError: Error, Sendable, Hashable {
  /// What kind of failure it is, for programs.
  package enum Code: String, Sendable, Hashable {
    /// No such activity, scene, film, device, run.
    case notFound
    /// The request itself makes no sense.
    case invalid
    /// Not for this person.
    case forbidden
    /// Not in the present state: nothing plays, no amplifier.
    case notNow
    /// A device refused, failed or did not answer.
    case deviceFailed
    /// A newer request took its place.
    case cancelled
  }

  package var code: Code
  package var message: String
  /// What to do next.
  package var hint: String?
  package var device: DeviceID?
  /// The step of the scene, counted from 1.
  package var step: Int?

  package init(
    _ code: Code, _ message: String, hint: String? = nil, device: DeviceID? = nil, step: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.device = device
    self.step = step
  }

  /// What a device said, with the step in which it said it.
  package init(_ error: DeviceError, device: DeviceID, step: Int? = nil) {
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
  package var json: JSON {
    var object: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
    if let hint { object["hint"] = .string(hint) }
    if let device { object["device"] = .string(device.name) }
    if let step { object["step"] = .integer(step) }
    return .object(object)
  }
}

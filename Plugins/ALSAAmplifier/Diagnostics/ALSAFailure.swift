import CALSA
import Devices

/// A failed call of libasound.
struct ALSAFailure: Error, Equatable {
  /// The failed action.
  enum Step: Int32, Sendable {
    case none, open, access, format, channels, rate, buffer, parameters, prepare, write, resample
  }

  /// The failed action; `none` for no failure.
  var step: Step
  /// The `errno`, positive; 0 for no failure.
  var code: Int32

  /// Throws unless `result` is non-negative.
  static func check(_ result: Int32, _ step: Step) throws(ALSAFailure) {
    if result < 0 { throw ALSAFailure(step: step, code: -result) }
  }

  /// libasound's text for the code.
  var reason: String { String(cString: snd_strerror(-code)) }
}

/// The message and hint for a failed call.
struct FailureExplanation: Equatable {
  /// The description of the failure.
  var message: String
  /// The next step for the user.
  var hint: String

  /// Explains why `device` cannot be used.
  ///
  /// - Parameters:
  ///   - isSilent: Whether sound already goes on silently, so that the hint does not propose it.
  ///   - holders: Lists the processes that hold the device; called only if it is busy.
  init(
    _ failure: ALSAFailure, device: String, isSilent: Bool = false,
    holders: () -> [PCMHolder] = { PCMHolder.all() }
  ) {
    let listing = "`theater audio devices` lists what this machine has"
    switch (failure.step, failure.code) {
    case (_, EBUSY):
      let names = holders().map(\.description).joined(separator: ", ")
      message = "the sound device \(device) is in use" + (names.isEmpty ? "" : " by \(names)")
      hint = "stop that program, or set \"device\" to a PCM that several can share, as \"default\""
    case (.open, ENOENT):
      message = "there is no sound device \(device)"
      hint =
        "\(listing); set \"device\" to one of them"
        + (isSilent ? "" : ", or \"whenMissing\" to \"silent\"")
    case (_, ENODEV), (_, ENXIO):
      message = "the sound device \(device) is not connected"
      hint = "plug it in and switch it on; it is taken as soon as it is back"
    case (_, EACCES), (_, EPERM):
      message = "this user may not use the sound device \(device)"
      hint = "`sudo usermod -aG audio $USER`, then log in again"
    case (_, ECONNREFUSED), (_, EIO), (_, ECONNRESET):
      message = "the sound server behind \(device) does not answer (\(failure.reason))"
      hint = "see that PulseAudio or PipeWire runs for this user; it is taken as soon as it does"
    case (.resample, _):
      message = "\(device) does not run at the source's rate, and nothing here can convert it"
      hint = "`sudo apt install libswresample4`"
    case (.format, _), (.channels, _), (.rate, _), (.access, _), (.buffer, _), (.parameters, _):
      message = "\(device) takes none of the formats that could be offered (\(failure.reason))"
      hint =
        "set \"device\" to a PCM that converts, as \"default\""
        + (device.hasPrefix("hw:") ? " or \"plug\(device)\"" : "")
    default:
      message = "the sound device \(device) failed (\(failure.reason))"
      hint = listing
    }
  }

  /// Returns the error of a command that needed the device.
  func error(_ code: DeviceError.Code) -> DeviceError { DeviceError(code, message, hint: hint) }
}

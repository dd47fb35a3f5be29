import CALSA
import Devices

/// A failed call in the words of somebody who has to mend it.
struct Explanation: Equatable {
  /// What happened.
  var message: String
  /// What to do next.
  var hint: String

  /// Explains why `device` cannot be used; `holders` are asked for only when it is busy.
  ///
  /// - Parameter isSilent: Whether sound goes on unheard already, so that nobody is told to choose
  ///   that.
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
      hint = "set \"device\" to a PCM that converts, as \"default\" or \"plug\(device)\""
    default:
      message = "the sound device \(device) failed (\(failure.reason))"
      hint = listing
    }
  }

  /// The error of a command that needed the device.
  func error(_ code: DeviceError.Code) -> DeviceError { DeviceError(code, message, hint: hint) }
}

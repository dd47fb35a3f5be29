import Devices
import Synchronization

/// The PCM in other hands: an input whose player has it for itself, as long as it is selected.
extension SoundAmplifier {
  /// Closes the PCM if the selected input's player is to have it.
  func givePCM() async {
    let engine = state.withLock { state -> SoundEngine? in
      guard state.isLending, state.hasPCM else { return nil }
      state.hasPCM = false
      return state.engine
    }
    _ = await engine?.power(false)
    reportLending()
  }

  /// Opens the PCM again if it was in other hands and is not wanted there any more.
  func takeBackPCM() async {
    let engine = state.withLock { state -> SoundEngine? in
      guard !state.isLending, !state.hasPCM, state.model.power == .on else { return nil }
      state.hasPCM = true
      return state.engine
    }
    reportLending()
    _ = await engine?.takeBack()
  }

  /// Tells who has the PCM.
  func reportLending() {
    reporter.take(borrower: state.withLock { $0.isLending ? $0.model.input : nil })
  }
}

extension DeviceError {
  static let noInputLeft = DeviceError(
    .invalid, "there are \(AmplifierModel.inputLimit) inputs already",
    hint: "use one of their names, or restart the amplifier after changing the cables")
}

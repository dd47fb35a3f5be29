/// Typed calls for Swift callers: `try await amp.setVolume(40)`.
///
/// Each waits until the state shows the command as done.
extension Device {
  /// Carries out a typed command of this device's role.
  @discardableResult
  public func perform<Typed: RoleCommand>(_ command: Typed, until: Completion = .settled)
    async throws(DeviceError) -> Confirmation
  {
    guard Typed.role == role else {
      throw DeviceError(
        .unsupported, "a \(role.title) is not told what a \(Typed.role.title) is", device: id)
    }
    let checked: Command
    do {
      checked = try command.checked()
    } catch {
      throw DeviceError(.invalid, error.message, hint: error.hint, device: id)
    }
    return try await perform(checked, until: until)
  }

  /// Sets an amplifier's volume, 0 to 100 %.
  public func setVolume(_ volume: Int) async throws(DeviceError) {
    try await perform(AmplifierCommand.volume(volume))
  }
  /// Makes an amplifier hear an input.
  public func selectInput(_ name: String) async throws(DeviceError) {
    try await perform(AmplifierCommand.input(name))
  }
  /// Sets the lights' brightness, 0 to 100 %.
  public func dim(to brightness: Int) async throws(DeviceError) {
    try await perform(LightsCommand.dim(brightness))
  }
  /// Tunes a tuner to an FM frequency, 76 to 108 MHz.
  public func tune(fm megahertz: Double) async throws(DeviceError) {
    try await perform(TunerCommand.fm(megahertz))
  }
}

/// The amplifier's ends of its cables.
public protocol SoundSink: Sendable {
  /// Opens the amplifier's end of a new cable for an input.
  func openSocket(input: String) async throws(DeviceError) -> CableSocket

  /// Makes the amplifier lend its PCM to the player at `input`: while that input is selected the
  /// amplifier keeps it closed.
  ///
  /// - Returns: The PCM's name for ALSA.
  func lend(input: String) async throws(DeviceError) -> String
}

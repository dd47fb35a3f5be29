/// The player's end of a cable.
public protocol SoundSource: Sendable {
  /// Connects the player's output to an amplifier's socket.
  func plug(into socket: CableSocket) async throws(DeviceError)
  /// Makes the player play on a PCM that it was lent.
  func plug(pcm: String) async throws(DeviceError)
  /// Makes the player close the PCM that it was lent; it has done so when this returns.
  func unplug() async throws(DeviceError)
}

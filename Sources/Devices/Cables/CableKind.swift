/// The path of sound from a player to an amplifier.
public enum CableKind: String, Sendable, Hashable, CaseIterable {
  /// Samples over a Unix socket, clocked by credit (docs/cable-protocol.md).
  case pcm
  /// An ALSA PCM that the amplifier lends to the player, which plays on it by itself
  /// (docs/cable-protocol.md).
  case alsa
  /// HDMI or an analogue wire: always connected.
  case wired

  /// The kind by which two ends are joined: samples where both take them, a lent PCM last.
  public static func joining(_ source: [CableKind], _ sink: [CableKind]) -> CableKind? {
    [.pcm, .wired, .alsa].first { source.contains($0) && sink.contains($0) }
  }
}

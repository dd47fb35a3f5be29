/// The limits that both sides keep (docs/plugin-protocol.md, Limits).
public enum ProtocolLimits {
  /// A line's longest length in bytes, without its newline.
  public static let longestLine = 1 << 20
  /// How much may wait to be written before the peer counts as stuck, in bytes.
  public static let largestBacklog = 4 << 20
}

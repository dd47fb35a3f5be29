// Compiled by Scripts/fuzz in place of swift-crypto.

public enum SHA256 {
  /// Returns 32 bytes that depend on the data.
  public static func hash(data: [UInt8]) -> [UInt8] { digest(data, count: 32) }
}

public enum Insecure {
  public enum MD5 {
    /// Returns 16 bytes that depend on the data.
    public static func hash(data: [UInt8]) -> [UInt8] { digest(data, count: 16) }
  }
}

private func digest(_ data: [UInt8], count: Int) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: count)
  for (index, byte) in data.enumerated() { digest[index % count] ^= byte }
  return digest
}

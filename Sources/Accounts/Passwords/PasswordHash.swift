/// A hashed password as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
public struct PasswordHash: Hashable, Sendable, Redacted {
  /// The stored string.
  public let text: String

  /// Takes a stored string.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether it was made with `parameters`; otherwise the next login replaces it.
  func wasMade(with parameters: Argon2Parameters) -> Bool {
    text.hasPrefix(parameters.prefix)
  }
}

/// The cost of a password hash.
public struct Argon2Parameters: Hashable, Sendable {
  /// Memory of one hash, in KiB.
  public let memoryKiB: UInt32
  /// Passes over the memory.
  public let passes: UInt32
  /// Lanes that could be computed in parallel; one thread computes them.
  public let lanes: UInt32

  /// The first choice of the OWASP Password Storage Cheat Sheet below 46 MiB: 19 MiB, two passes,
  /// one lane.
  public static let standard = Argon2Parameters(memoryKiB: 19_456, passes: 2, lanes: 1)

  /// - Parameters:
  ///   - memoryKiB: at least 8 for each lane.
  ///   - passes: at least 1.
  ///   - lanes: at least 1; computed by one thread in any case.
  public init(memoryKiB: UInt32, passes: UInt32, lanes: UInt32) {
    self.memoryKiB = memoryKiB
    self.passes = passes
    self.lanes = lanes
  }

  fileprivate var prefix: String { "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=\(lanes)$" }
}

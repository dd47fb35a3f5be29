import JSON

/// The source of secrets and identities; tests use a predictable one.
public struct RandomSource: Sendable {
  private let fill: @Sendable (Int) -> [UInt8]

  /// - Parameter fill: Returns the given number of bytes.
  public init(_ fill: @escaping @Sendable (Int) -> [UInt8]) {
    self.fill = fill
  }

  /// The operating system's generator for secrets.
  public static let system = RandomSource { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// `count` random bytes.
  func bytes(_ count: Int) -> [UInt8] { fill(count) }

  /// `bytes` random bytes as twice as many hexadecimal digits.
  func hexadecimal(bytes: Int) -> String { Hexadecimal.text(self.bytes(bytes)) }
}

/// The version of the plugin protocol. Plugins of another major version are refused; a newer minor
/// version only adds what older readers ignore.
public struct ProtocolVersion: Sendable, Hashable, CustomStringConvertible {
  public let major: Int
  public let minor: Int

  /// What this build speaks.
  public static let current = ProtocolVersion(major: 1, minor: 0)

  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `1.0`.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  public var description: String { "\(major).\(minor)" }
  /// Whether both sides understand each other.
  public func isCompatible(with other: ProtocolVersion) -> Bool { major == other.major }
}

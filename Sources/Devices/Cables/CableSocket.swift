/// The amplifier's end of a new cable.
public struct CableSocket: Sendable, Hashable {
  /// The Unix socket on which the amplifier waits.
  public let path: String
  /// Opens it once. A secret: it appears in no log and no event.
  public let token: String

  public init(path: String, token: String) {
    self.path = path
    self.token = token
  }
}

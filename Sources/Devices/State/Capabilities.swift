/// The abilities of a device beyond the commands common to its role.
public struct Capabilities: Sendable, Hashable {
  /// Names from the roles' definitions: `stop`, `seek`, `levels`.
  public var names: Set<String>
  /// Whether the device reports its state; when not, values are assumed from accepted commands.
  public var reportsState: Bool
  /// The kinds of cable that its end takes, best first: `pcm`, `alsa`, `wired`.
  public var cables: [CableKind]

  public init(names: Set<String> = [], reportsState: Bool = true, cables: [CableKind] = []) {
    self.names = names
    self.reportsState = reportsState
    self.cables = cables
  }
}

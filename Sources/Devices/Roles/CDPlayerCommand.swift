import JSON

/// What the CD player can be told.
public enum CDPlayerCommand: RoleCommand {
  case on
  case off
  /// Plays an item, or goes on.
  case play(PlayRequest)
  case pause
  case stop
  case eject
  /// Goes to a position in seconds.
  case seek(Double)
  case next
  case previous

  public enum Name: String, CaseIterable, Sendable {
    case on, off, play, pause, stop, eject, seek, next, previous
  }
  public static let role = Role.cdPlayer
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on: DiscTransport.row(on: .on)
    case .off: DiscTransport.row(off: .off)
    case .play: DiscTransport.row(play: { .play($0) })
    case .pause: DiscTransport.row(pause: .pause)
    case .stop: DiscTransport.row(stop: .stop)
    case .eject: DiscTransport.row(eject: .eject)
    case .seek: DiscTransport.row(seek: { .seek($0) })
    case .next: DiscTransport.row(next: .next)
    case .previous: DiscTransport.row(previous: .previous)
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .play(let request): .init(.play, request.json)
    case .pause: .init(.pause)
    case .stop: .init(.stop)
    case .eject: .init(.eject)
    case .seek(let position): .init(.seek, .number(position))
    case .next: .init(.next)
    case .previous: .init(.previous)
    }
  }
}

import JSON

/// What the DVD player can be told.
public enum DVDPlayerCommand: RoleCommand {
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
  /// Sends every channel of the film.
  case surroundAudio
  /// Sends two channels.
  case twoChannelAudio

  public enum Name: String, CaseIterable, Sendable {
    case on, off, play, pause, stop, eject, seek, next, previous, surroundAudio, twoChannelAudio
  }
  public static let role = Role.dvdPlayer
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
    case .surroundAudio:
      .plain(
        .surroundAudio, settled: .value(.audio, "surround"),
        help: "Sends every channel of the film.")
    case .twoChannelAudio:
      .plain(.twoChannelAudio, settled: .value(.audio, "twoChannel"), help: "Sends two channels.")
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
    case .surroundAudio: .init(.surroundAudio)
    case .twoChannelAudio: .init(.twoChannelAudio)
    }
  }
}

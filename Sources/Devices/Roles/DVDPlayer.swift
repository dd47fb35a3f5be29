import JSON

/// A DVD player.
public protocol DVDPlayer: Switchable, PlaybackControl, SeekControl, TrayControl {}

extension DVDPlayer {
  public var role: Role { .dvdPlayer }

  /// Sends every channel of the film.
  public func setSurroundAudio() async throws(DeviceError) { try await perform("surroundAudio") }
  /// Sends two channels.
  public func setTwoChannelAudio() async throws(DeviceError) {
    try await perform("twoChannelAudio")
  }
}

/// A DVD player that passes its calls on to a device of the role `dvdPlayer`.
package final class DVDPlayerConnection: DVDPlayer, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let dvdPlayer = RoleDefinition(
    "DVD player", DVDPlayerCommand.self, offOrder: 1,
    [.power(of: "player"), .playback(of: .films), .tray, .seeking, .audio])
}

extension DeviceTrait {
  /// The channels of a film's sound.
  static let audio = DeviceTrait(
    .audio,
    commands: [
      CommandSpec(
        "surroundAudio", settled: .value(.audio, "surround"),
        help: "Sends every channel of the film."),
      CommandSpec(
        "twoChannelAudio", settled: .value(.audio, "twoChannel"), help: "Sends two channels."),
    ],
    states: [StateSpec(.audio, .words(["surround", "twoChannel"]))]
  ) { restoration in
    restoration.missing(.audio).map {
      [.init(.setting, $0 == "surround" ? "surroundAudio" : "twoChannelAudio")]
    } ?? []
  }
}

/// The commands of the DVD player.
public enum DVDPlayerCommand: RoleCommand {
  case on
  case off
  /// Plays an item, or resumes.
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

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable {
    case on, off, play, pause, stop, eject, seek, next, previous, surroundAudio, twoChannelAudio
  }
  public static let role = Role.dvdPlayer

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .play: self = .play(PlayRequest(argument))
    case .pause: self = .pause
    case .stop: self = .stop
    case .eject: self = .eject
    case .seek:
      guard let position = argument?.number else { return nil }
      self = .seek(position)
    case .next: self = .next
    case .previous: self = .previous
    case .surroundAudio: self = .surroundAudio
    case .twoChannelAudio: self = .twoChannelAudio
    }
  }

  /// The command as name and argument; positions are in seconds.
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

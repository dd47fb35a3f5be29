import JSON

/// A CD player.
public protocol CDPlayer: Switchable, PlaybackControl, SeekControl, TrayControl {}

extension CDPlayer {
  public var role: Role { .cdPlayer }
}

/// A CD player that passes its calls on to a device of the role `cdPlayer`.
package final class CDPlayerConnection: CDPlayer, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let cdPlayer = RoleDefinition(
    "CD player", CDPlayerCommand.self, offOrder: 2,
    [.power(of: "player"), .playback(of: .songs), .tray, .seeking])
}

/// The commands of the CD player.
public enum CDPlayerCommand: RoleCommand {
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

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable {
    case on, off, play, pause, stop, eject, seek, next, previous
  }
  public static let role = Role.cdPlayer

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
    }
  }
}

import Devices

/// Single devices, within the limits of the session's user.
///
/// A device of a session throws `.refused` for commands that the user may not give, such as a volume above the
/// user's limit. It is looked up by its name at each call, so it stays valid when the device is replaced. A name of no
/// device that the user may see stands for a missing one, which throws `.unavailable` at the first command.
extension TheaterSession {
  /// The devices that the user may see, in the order of the configuration.
  public var devices: [any Device] {
    theater.devices(for: principal).map { device($0.role, $0.id) }
  }

  /// The first amplifier.
  public var amp: any Amplifier { amplifier(first(.amplifier)) }
  /// The first radio tuner.
  public var tuner: any Tuner { tuner(first(.tuner)) }
  /// The first DVD player.
  public var dvd: any DVDPlayer { dvdPlayer(first(.dvdPlayer)) }
  /// The first CD player.
  public var cd: any CDPlayer { cdPlayer(first(.cdPlayer)) }
  /// The first projector.
  public var projector: any Projector { projector(first(.projector)) }
  /// The first lights.
  public var lights: any TheaterLights { lights(first(.lights)) }
  /// The first screen.
  public var screen: any Screen { screen(first(.screen)) }
  /// The first popcorn popper.
  public var popper: any PopcornPopper { popcornPopper(first(.popcornPopper)) }

  /// The amplifier of this name.
  public func amplifier(_ id: DeviceID) -> any Amplifier {
    AmplifierConnection(device(.amplifier, id))
  }
  /// The radio tuner of this name.
  public func tuner(_ id: DeviceID) -> any Tuner { TunerConnection(device(.tuner, id)) }
  /// The DVD player of this name.
  public func dvdPlayer(_ id: DeviceID) -> any DVDPlayer {
    DVDPlayerConnection(device(.dvdPlayer, id))
  }
  /// The CD player of this name.
  public func cdPlayer(_ id: DeviceID) -> any CDPlayer {
    CDPlayerConnection(device(.cdPlayer, id))
  }
  /// The projector of this name.
  public func projector(_ id: DeviceID) -> any Projector {
    ProjectorConnection(device(.projector, id))
  }
  /// The lights of this name.
  public func lights(_ id: DeviceID) -> any TheaterLights {
    TheaterLightsConnection(device(.lights, id))
  }
  /// The screen of this name.
  public func screen(_ id: DeviceID) -> any Screen { ScreenConnection(device(.screen, id)) }
  /// The popcorn popper of this name.
  public func popcornPopper(_ id: DeviceID) -> any PopcornPopper {
    PopcornPopperConnection(device(.popcornPopper, id))
  }

  private func device(_ role: Role, _ id: DeviceID) -> SessionDevice {
    SessionDevice(id, role, in: theater, for: principal)
  }

  private func first(_ role: Role) -> DeviceID {
    theater.devices(for: principal).first { $0.role == role }?.id ?? DeviceID(role.rawValue)
  }
}

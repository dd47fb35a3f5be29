import JSON

/// What the amplifier can be told.
public enum AmplifierCommand: RoleCommand {
  case on
  case off
  /// Hears the input of this name; inputs are named by the cables in `devices.json`.
  case input(String)
  case stereo
  case surround
  /// Volume in %, 0 to 100; see `VolumeCurve` for what it means in decibels.
  case volume(Int)
  case mute
  case unmute

  public enum Name: String, CaseIterable, Sendable {
    case on, off, input, stereo, surround, volume, mute, unmute
  }
  public static let role = Role.amplifier
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on:
      .plain(
        .on, settled: .value(.power, "on"), longest: .seconds(30),
        help: "Turns the amplifier on and takes the sound device.")
    case .off:
      .plain(
        .off, settled: .value(.power, "off"), longest: .seconds(30), manner: .urgent,
        help: "Turns the amplifier off and releases the sound device.")
    case .input:
      .text(
        "an input (dvd, cd, tuner …)", settled: .argument(.input), manner: .setting(.input),
        help: "Hears this input: the name that its cable has in devices.json."
      ) { .input($0) }
    case .stereo:
      .plain(.stereo, settled: .value(.mode, "stereo"), help: "Plays everything on two speakers.")
    case .surround:
      .plain(.surround, settled: .value(.mode, "surround"), help: "Plays on every speaker.")
    case .volume:
      .integer(
        ArgumentShape.percentRange, unit: "%", settled: .argument(.volume),
        manner: .setting(.volume),
        permission: .play, help: "Sets the volume, 0 to 100 %."
      ) { .volume($0) }
    case .mute:
      .plain(
        .mute, settled: .value(.muted, true), manner: .urgent, permission: .play,
        help: "Silences the speakers; the volume is kept.")
    case .unmute:
      .plain(
        .unmute, settled: .value(.muted, false), permission: .play,
        help: "Lets the speakers sound again.")
    }
  }

  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .input(let name): .init(.input, .string(name))
    case .stereo: .init(.stereo)
    case .surround: .init(.surround)
    case .volume(let volume): .init(.volume, .integer(volume))
    case .mute: .init(.mute)
    case .unmute: .init(.unmute)
    }
  }
}

/// How loud a volume is, the same for software, hardware and simulation.
public enum VolumeCurve {
  /// The factor by which samples are multiplied at `volume` %: (v / 100)³; 0 is silence.
  public static func gain(_ volume: Int) -> Double {
    let part = Double(min(max(volume, 0), 100)) / 100
    return part * part * part
  }
}

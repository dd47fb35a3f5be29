import JSON

/// A device that plays the sound of one of its inputs.
public protocol InputSelecting: Device {}

extension InputSelecting {
  /// Selects an input, by the name of its cable in `devices.json`: "dvd".
  public func selectInput(_ name: String) async throws(DeviceError) {
    try await perform("input", .string(name))
  }
}

/// A device that plays on two or on all of its speakers.
public protocol SoundModeControl: Device {}

extension SoundModeControl {
  /// Plays everything on two speakers.
  public func setStereoSound() async throws(DeviceError) { try await perform("stereo") }
  /// Plays on every speaker.
  public func setSurroundSound() async throws(DeviceError) { try await perform("surround") }
}

/// A device with a volume.
public protocol VolumeControl: Device {}

extension VolumeControl {
  /// Sets the volume, 0 to 100 %; see `VolumeCurve` for the loudness.
  public func setVolume(_ volume: Int) async throws(DeviceError) {
    try await perform("volume", .integer(volume))
  }
  /// Silences the speakers and keeps the volume.
  public func mute() async throws(DeviceError) { try await perform("mute") }
  /// Ends `mute`.
  public func unmute() async throws(DeviceError) { try await perform("unmute") }
}

/// The loudness of a volume, the same for software, hardware and simulation.
public enum VolumeCurve {
  /// The factor by which samples are multiplied at `volume` %: (v / 100)³; 0 is silence.
  public static func gain(_ volume: Int) -> Double {
    let part = Double(min(max(volume, 0), 100)) / 100
    return part * part * part
  }
}

extension DeviceTrait {
  /// The selected input.
  static let input = DeviceTrait(
    .input,
    commands: [
      CommandSpec(
        "input",
        .required(.text(longest: ArgumentShape.longestName, what: "an input (dvd, cd, tuner …)")),
        settled: .argument(.input), manner: .setting(.input),
        help: "Selects an input, by the name of its cable in devices.json.")
    ],
    // Each activity selects its own input.
    states: [StateSpec(.input, .name(of: "an input"), retention: .whileRunning)]
  ) { restoration in
    restoration.missing(.input).map { [.init(.source, "input", $0)] } ?? []
  }

  /// Two speakers, or all of them.
  static let soundMode = DeviceTrait(
    .soundMode,
    commands: [
      CommandSpec(
        "stereo", settled: .value(.mode, "stereo"), help: "Plays everything on two speakers."),
      CommandSpec(
        "surround", settled: .value(.mode, "surround"), help: "Plays on every speaker."),
    ],
    states: [StateSpec(.mode, .words(["stereo", "surround"]))]
  ) { restoration in
    restoration.missing(.mode)?.string.map { [.init(.setting, $0)] } ?? []
  }

  /// The volume, and the levels of the sound.
  static let volume = DeviceTrait(
    .volume,
    commands: [
      CommandSpec(
        "volume", .required(.percent), settled: .argument(.volume), manner: .setting(.volume),
        permission: .play, help: "Sets the volume, 0 to 100 %.")
    ],
    states: [StateSpec(.volume, .argument(.percent))], capabilities: ["levels"]
  ) { restoration in
    guard let wanted = restoration.missing(.volume)?.integer else { return [] }
    let volume = restoration.loudest.map { min($0, wanted) } ?? wanted
    return restoration.state.volume == volume
      ? [] : [.init(.setting, "volume", .integer(volume))]
  }

  /// Silence that keeps the volume.
  static let mute = DeviceTrait(
    .mute,
    commands: [
      CommandSpec(
        "mute", settled: .value(.muted, true), manner: .urgent, permission: .play,
        help: "Silences the speakers; the volume is kept."),
      CommandSpec(
        "unmute", settled: .value(.muted, false), permission: .play,
        help: "Lets the speakers sound again."),
    ],
    states: [StateSpec(.muted, .truth)]
  ) { restoration in
    restoration.missing(.muted)?.bool.map {
      [$0 ? .init(.silence, "mute") : .init(.sound, "unmute")]
    } ?? []
  }
}

extension Command {
  /// The volume in % that the command sets; `nil` for any other command.
  package var volume: Int? { spec.settled == .argument(.volume) ? argument?.integer : nil }

  /// Whether the command ends `mute`.
  package var unmutes: Bool { spec.settled == .value(.muted, false) }

  /// Whether the command may let another source be heard: it turns the device on, unmutes it or selects an input.
  package var letsBeHeard: Bool { turnsOn || unmutes || spec.settled == .argument(.input) }

  /// The same command with a volume of at most `limit` %; other commands stay as they are.
  package func withVolume(atMost limit: Int) -> Command {
    guard let volume, volume > limit else { return self }
    return Command(role: role, spec: spec, argument: .integer(max(0, limit)))
  }
}

extension Role {
  /// The command that sets a volume, 0 to 100 %; `nil` if devices of this role have none.
  package func volumeCommand(_ volume: Int) -> Command? {
    guard let spec = commands.first(where: { $0.settled == .argument(.volume) }) else { return nil }
    return try? Command(spec.name, argument: .integer(volume), role: self)
  }

  /// The command that silences a device and keeps its volume; `nil` if devices of this role have none.
  package var muteCommand: Command? {
    commands.first { $0.settled == .value(.muted, true) }.map {
      Command(role: self, spec: $0, argument: nil)
    }
  }
}

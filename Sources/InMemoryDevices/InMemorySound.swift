import Devices
import JSON
import Platform

/// An amplifier in memory. It begins turned off, in stereo, at 40 %.
public final class InMemoryAmplifier: Amplifier, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(
      id,
      state: [.power: "off", .input: .null, .mode: "stereo", .volume: 40, .muted: false],
      capabilities: Capabilities(cables: [.wired]), clock: clock
    ) { (command: AmplifierCommand, _) in
      switch command {
      case .on: [.power: "on"]
      case .off: [.power: "off"]
      case .input(let name): [.input: .string(name)]
      case .stereo: [.mode: "stereo"]
      case .surround: [.mode: "surround"]
      case .volume(let volume): [.volume: .integer(volume)]
      case .mute: [.muted: true]
      case .unmute: [.muted: false]
      }
    }
  }
}

/// A tuner in memory. It begins turned off, on FM between stations.
public final class InMemoryTuner: Tuner, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameters:
  ///   - id: The name, unique in its theater.
  ///   - stations: The stations that can be chosen by their titles.
  public init(
    _ id: DeviceID, stations: [CatalogueItem] = [], clock: any TheaterClock = SystemClock()
  ) {
    memory = InMemoryDevice(
      id, items: stations,
      state: [
        .power: "off", .band: "fm", .frequency: .null, .station: .null,
        .playback: Playback(.stopped).json,
      ],
      capabilities: Capabilities(cables: [.wired]), clock: clock
    ) { (command: TunerCommand, state) -> [StateKey: JSON] in
      // A frequency is no item of the list.
      let dial = Playback(state.playback?.status ?? .stopped).json
      return switch command {
      case .on: [.power: "on", .playback: Playback(.playing).json]
      case .off: [.power: "off", .playback: Playback(.stopped).json]
      case .am(let kilohertz): Self.tuned(to: kilohertz, [.band: "am"], dial)
      case .fm(let megahertz): Self.tuned(to: megahertz, [.band: "fm"], dial)
      case .frequency(let frequency): Self.tuned(to: frequency, [:], dial)
      case .station(let name):
        [
          .station: .string(name), .frequency: .null,
          .playback: Playback(.playing, item: name).json,
        ]
      }
    }
  }

  private static func tuned(
    to frequency: Double?, _ band: [StateKey: JSON], _ playback: JSON
  ) -> [StateKey: JSON] {
    guard let frequency else { return band }
    return band.merging(
      [.frequency: .number(frequency), .station: .null, .playback: playback]
    ) { $1 }
  }
}

/// A DVD player in memory. It begins turned off. A film plays until it is stopped or another report
/// of its playback comes from outside.
public final class InMemoryDVDPlayer: DVDPlayer, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameters:
  ///   - id: The name, unique in its theater.
  ///   - films: The films in the player.
  public init(
    _ id: DeviceID, films: [CatalogueItem], clock: any TheaterClock = SystemClock()
  ) {
    let disc = InMemoryDisc(items: films)
    memory = InMemoryDevice(
      id, items: films, state: disc.state.merging([.audio: "surround"]) { $1 },
      capabilities: disc.capabilities, clock: clock
    ) { (command: DVDPlayerCommand, state) throws(DeviceError) in
      switch command {
      case .on: [.power: "on"]
      case .off: disc.stopped([.power: "off"])
      case .play(let request): try disc.play(request, in: state)
      case .pause: disc.paused(in: state)
      case .stop: disc.stopped([:])
      case .eject: disc.stopped([.tray: "open"])
      case .seek(let position): disc.seek(to: position, in: state)
      case .next: disc.skip(by: 1, in: state)
      case .previous: disc.skip(by: -1, in: state)
      case .surroundAudio: [.audio: "surround"]
      case .twoChannelAudio: [.audio: "twoChannel"]
      }
    }
  }
}

/// A CD player in memory. It begins turned off. A song plays until it is stopped or another report of
/// its playback comes from outside.
public final class InMemoryCDPlayer: CDPlayer, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameters:
  ///   - id: The name, unique in its theater.
  ///   - songs: The songs of the disc, in their order.
  public init(
    _ id: DeviceID, songs: [CatalogueItem], clock: any TheaterClock = SystemClock()
  ) {
    let disc = InMemoryDisc(items: songs)
    memory = InMemoryDevice(
      id, items: songs, state: disc.state, capabilities: disc.capabilities, clock: clock
    ) { (command: CDPlayerCommand, state) throws(DeviceError) in
      switch command {
      case .on: [.power: "on"]
      case .off: disc.stopped([.power: "off"])
      case .play(let request): try disc.play(request, in: state)
      case .pause: disc.paused(in: state)
      case .stop: disc.stopped([:])
      case .eject: disc.stopped([.tray: "open"])
      case .seek(let position): disc.seek(to: position, in: state)
      case .next: disc.skip(by: 1, in: state)
      case .previous: disc.skip(by: -1, in: state)
      }
    }
  }
}

import Devices
import Platform

/// An amplifier in memory. It begins turned off, in stereo, at 40 %.
public final class InMemoryAmplifier: Amplifier, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, AmplifierModel(), cables: [.wired], clock: clock)
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
    memory = InMemoryDevice(id, TunerModel(), items: stations, cables: [.wired], clock: clock)
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
    memory = InMemoryDevice(
      id, DiscPlayerModel<DVDPlayerCommand>(films.map { DiscItem($0) }), items: films,
      cables: [.wired], clock: clock)
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
    memory = InMemoryDevice(
      id, DiscPlayerModel<CDPlayerCommand>(songs.map { DiscItem($0) }), items: songs,
      cables: [.wired], clock: clock)
  }
}

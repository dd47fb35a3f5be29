import Devices
import Platform

/// Lights in memory. They begin turned off.
public final class InMemoryLights: TheaterLights, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, LightsModel(), clock: clock)
  }
}

/// A screen in memory. It begins rolled up and moves at once.
public final class InMemoryScreen: Screen, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, ScreenModel(), clock: clock)
  }
}

/// A projector in memory. It begins turned off; its lamp warms and cools at once.
public final class InMemoryProjector: Projector, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, ProjectorModel(), clock: clock)
  }
}

/// A popcorn popper in memory. It begins turned off; popping lasts until it is turned off.
public final class InMemoryPopcornPopper: PopcornPopper, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, PopcornPopperModel(), clock: clock)
  }
}

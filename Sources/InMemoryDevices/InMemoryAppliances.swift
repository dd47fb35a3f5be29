import Devices
import JSON
import Platform

/// Lights in memory. They begin turned off.
public final class InMemoryLights: TheaterLights, DeviceConnection {
  /// The device itself, to change it from outside.
  public let memory: InMemoryDevice
  /// `memory`.
  public var device: any Device { memory }

  /// - Parameter id: The name, unique in its theater.
  public init(_ id: DeviceID, clock: any TheaterClock = SystemClock()) {
    memory = InMemoryDevice(id, state: [.power: "off", .brightness: 0], clock: clock) {
      (command: LightsCommand, _) in
      switch command {
      case .on: [.power: "on", .brightness: 100]
      case .off: [.power: "off", .brightness: 0]
      case .dim(let brightness):
        [.power: brightness > 0 ? "on" : "off", .brightness: .integer(brightness)]
      }
    }
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
    memory = InMemoryDevice(
      id, state: [.position: "up"], capabilities: Capabilities(names: ["stop"]), clock: clock
    ) { (command: ScreenCommand, _) in
      switch command {
      case .up: [.position: "up"]
      case .down: [.position: "down"]
      case .stop: [:]
      }
    }
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
    memory = InMemoryDevice(id, state: [.power: "off", .picture: "wideScreen"], clock: clock) {
      (command: ProjectorCommand, _) in
      switch command {
      case .on: [.power: "on"]
      case .off: [.power: "off"]
      case .tvMode: [.picture: "tv"]
      case .wideScreenMode: [.picture: "wideScreen"]
      }
    }
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
    memory = InMemoryDevice(id, state: [.power: "off", .popping: "idle"], clock: clock) {
      (command: PopcornPopperCommand, _) in
      switch command {
      case .on: [.power: "on"]
      case .off: [.power: "off", .popping: "idle"]
      case .pop: [.popping: "popping"]
      }
    }
  }
}

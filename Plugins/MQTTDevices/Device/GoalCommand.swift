import Devices
import PluginKit

/// A command of one of the plugin's roles.
protocol GoalCommand: RoleCommand {
  /// Returns the state that the command shall reach.
  ///
  /// - Throws: `unsupported` for commands beyond on and off of a projector or amplifier.
  func goal() throws(DeviceError) -> Goal
  /// Reads the options that only this role's devices have. By default there are none, and the device is a plug.
  static func applianceOptions(from reader: OptionReader) throws(DeviceError) -> ApplianceOptions
}

/// The kind and the model of an appliance, according to the device's options.
struct ApplianceOptions {
  let kind: ApplianceKind
  /// Makes the model of a device with this profile.
  let model: (_ profile: any DeviceProfile) -> any ApplianceModel
}

extension GoalCommand {
  static func applianceOptions(from reader: OptionReader) throws(DeviceError) -> ApplianceOptions {
    ApplianceOptions(kind: .plug) { _ in PowerModel() }
  }
}

extension LightsCommand: GoalCommand {
  static func applianceOptions(from reader: OptionReader) throws(DeviceError) -> ApplianceOptions {
    let hasDimmer = try reader.flag("dimmer", or: true)
    return ApplianceOptions(kind: hasDimmer ? .dimmer : .plug) { profile in
      LightsModel(hasDimmer: hasDimmer) { profile.reportedBrightness(for: $0) }
    }
  }

  func goal() -> Goal {
    switch self {
    case .on: .brightness(100)
    case .off, .dim(0): .power(false)
    case .dim(let brightness): .brightness(brightness)
    }
  }
}

/// The drive of a screen.
enum ScreenDrive: String, CaseIterable, Sendable {
  /// A motor with end stops.
  case cover
  /// A plug: the screen is down while the plug is on.
  case plug = "switch"
}

extension ScreenCommand: GoalCommand {
  static func applianceOptions(from reader: OptionReader) throws(DeviceError) -> ApplianceOptions {
    let drive: ScreenDrive = try reader.choice("drive", or: .cover)
    let travel = Duration.seconds(try reader.number("travel", in: 1...110, or: 20))
    let isInverted = try reader.flag("inverted", or: false)
    let inversion = CoverInversion(
      positions: try reader.flag("invertedPositions", or: isInverted),
      commands: try reader.flag("invertedCommands", or: isInverted))
    return ApplianceOptions(kind: drive == .cover ? .cover : .plug) { profile in
      guard drive == .cover, profile.reportsState else {
        return TimedScreenModel(
          travel: travel, isInverted: inversion.commands, hasPlug: drive == .plug)
      }
      return CoverModel(travel: travel, inversion: inversion)
    }
  }

  func goal() -> Goal {
    switch self {
    case .up: .end(.up)
    case .down: .end(.down)
    case .stop: .standstill
    }
  }
}

extension PopcornPopperCommand: GoalCommand {
  static func applianceOptions(from reader: OptionReader) throws(DeviceError) -> ApplianceOptions {
    let popTime = Duration.seconds(try reader.number("popTime", in: 5...900, or: 180))
    return ApplianceOptions(kind: .plug) { _ in PopperModel(popTime: popTime) }
  }

  func goal() -> Goal {
    switch self {
    case .on: .power(true)
    case .off: .power(false)
    case .pop: .load
    }
  }
}

extension ProjectorCommand: GoalCommand {
  func goal() throws(DeviceError) -> Goal {
    switch self {
    case .on: .power(true)
    case .off: .power(false)
    case .tvMode, .wideScreenMode: throw .noSuchCommand
    }
  }
}

extension AmplifierCommand: GoalCommand {
  func goal() throws(DeviceError) -> Goal {
    switch self {
    case .on: .power(true)
    case .off: .power(false)
    case .input, .stereo, .surround, .volume, .mute, .unmute: throw .noSuchCommand
    }
  }
}

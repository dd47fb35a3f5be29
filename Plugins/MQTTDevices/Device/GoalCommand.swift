import Devices

/// A command of one of the plugin's roles.
protocol GoalCommand: RoleCommand {
  /// The state that the command leads to.
  ///
  /// - Throws: `unsupported` for commands beyond on and off of a projector or amplifier.
  func goal() throws(DeviceError) -> Goal
}

extension LightsCommand: GoalCommand {
  func goal() -> Goal {
    switch self {
    case .on: .brightness(100)
    case .off, .dim(0): .power(false)
    case .dim(let brightness): .brightness(brightness)
    }
  }
}

extension ScreenCommand: GoalCommand {
  func goal() -> Goal {
    switch self {
    case .up: .end(.up)
    case .down: .end(.down)
    case .stop: .standstill
    }
  }
}

extension PopcornPopperCommand: GoalCommand {
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

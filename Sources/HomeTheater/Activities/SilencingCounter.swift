import Devices
import Synchronization

/// Counts the commands that silence each device: pause, stop, off, eject, mute.
///
/// A command that lets a device be heard may have to wait until an amplifier is turned down. If the count has risen
/// meanwhile, a later command has silenced the device, and the waiting command is not sent any more.
final class SilencingCounter: Sendable {
  private let counts = Mutex<[DeviceID: Int]>([:])

  /// Counts a command for a device, if it silences the device.
  func record(_ command: Command, for device: DeviceID) {
    guard command.silences else { return }
    counts.withLock { $0[device, default: 0] += 1 }
  }

  /// Returns the number of commands so far that silence a device.
  func count(for device: DeviceID) -> Int { counts.withLock { $0[device] ?? 0 } }
}

extension Command {
  /// Whether the device makes no sound after the command.
  fileprivate var silences: Bool { spec.manner == .urgent || spec.effect == .releases }
}

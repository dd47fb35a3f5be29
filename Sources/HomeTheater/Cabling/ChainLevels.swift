import Devices
import JSON
import Synchronization

/// Sets the first amplifier of each chain to the level of its cable whenever it has turned on, in place of the volume
/// with which it turns on.
final class ChainLevels: Sendable {
  private let directory: DeviceDirectory
  private let log: @Sendable (String) -> Void
  /// The amplifiers that a command turns on; their level belongs to the command.
  private let turningOn = Mutex<Set<DeviceID>>([])

  init(directory: DeviceDirectory, log: @escaping @Sendable (String) -> Void) {
    self.directory = directory
    self.log = log
  }

  /// Called before a command is sent.
  func willSend(_ command: Command, to device: any Device) {
    guard command.turnsOn, directory.plan.chain(from: device.id) != nil,
      directory.snapshot(of: device.id)?.state.power == .off
    else { return }
    turningOn.withLock { _ = $0.insert(device.id) }
  }

  /// Called when a command has failed.
  func didFail(_ device: any Device) { turningOn.withLock { _ = $0.remove(device.id) } }

  /// Sets the level after a command has turned an amplifier on, before the next step of a scene.
  func didSend(_ command: Command, to device: any Device) async {
    guard command.turnsOn, let level = directory.plan.chain(from: device.id)?.level else { return }
    await set(level, on: device)
  }

  /// Sets the level of an amplifier that has been turned on at the device, or whose plugin has started anew:
  /// then it gets no louder than it was.
  ///
  /// - Parameter before: The snapshot before; `nil` for the first one. An amplifier that is on at the start keeps its
  ///   volume.
  func observe(_ snapshot: DeviceSnapshot, after before: DeviceSnapshot?, of device: any Device) {
    guard let level = directory.plan.chain(from: device.id)?.level, snapshot.isReachable,
      snapshot.state.power == .on, let before
    else { return }
    if before.state.power == .off {
      if turningOn.withLock({ $0.remove(device.id) }) != nil { return }
      Task { await set(level, on: device) }
    } else if before.generation > 0, before.generation != snapshot.generation {
      Task { await set(min(level, before.state.volume ?? level), on: device) }
    }
  }

  private func set(_ level: Int, on device: any Device) async {
    guard let command = try? Command(["volume": .integer(level)], role: device.role) else { return }
    do throws(DeviceError) {
      _ = try await device.perform(command, until: .accepted)
    } catch {
      log("\(device.id): the level \(level) % of its cable could not be set: \(error.message)")
    }
  }
}

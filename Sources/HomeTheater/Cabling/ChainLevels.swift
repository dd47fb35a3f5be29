import Devices
import JSON

/// Sets the first amplifier of each chain to the level of its cable whenever it has turned on, or its plugin has
/// started anew, in place of the volume with which it turns on.
final class ChainLevels: Sendable {
  private let directory: DeviceDirectory
  private let log: @Sendable (String) -> Void

  init(directory: DeviceDirectory, log: @escaping @Sendable (String) -> Void) {
    self.directory = directory
    self.log = log
  }

  /// - Parameter before: The snapshot before; `nil` for the first one. An amplifier that is on at the start keeps its
  ///   volume, because a start makes nothing louder.
  func observe(_ snapshot: DeviceSnapshot, after before: DeviceSnapshot?, of device: any Device) {
    guard let level = directory.plan.chain(from: device.id)?.level, snapshot.isReachable,
      snapshot.state.power == .on, let before,
      before.state.power == .off
        || before.generation != snapshot.generation && before.generation > 0,
      let command = try? Command(["volume": .integer(level)], role: device.role)
    else { return }
    Task { [log] in
      do throws(DeviceError) {
        _ = try await device.perform(command, until: .accepted)
      } catch {
        log("\(device.id): the level \(level) % of its cable could not be set: \(error.message)")
      }
    }
  }
}

import Devices
import Synchronization

/// The devices of one plugin process with their proxies: those that it serves, and those that it is
/// still closing.
final class DeviceTable: Sendable {
  struct Entry: Sendable {
    let device: HostedDevice
    let proxy: DeviceProxy
  }

  private let entries = Mutex<[DeviceID: Entry]>([:])

  init(_ entries: [Entry]) { insert(entries) }

  subscript(id: DeviceID) -> Entry? { entries.withLock { $0[id] } }

  /// The texts of all devices' secrets.
  var secrets: [String] { entries.withLock { $0.values.flatMap(\.device.secrets) } }

  func insert(_ new: [Entry]) {
    entries.withLock { entries in for entry in new { entries[entry.device.id] = entry } }
  }

  func remove(_ ids: [DeviceID]) {
    entries.withLock { entries in for id in ids { entries[id] = nil } }
  }
}

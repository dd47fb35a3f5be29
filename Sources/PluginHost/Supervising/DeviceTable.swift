import Devices
import Synchronization

/// The devices of one plugin process with their proxies: those that it serves, and those that it is
/// still closing. It also keeps the names of those that were closed.
final class DeviceTable: Sendable {
  struct Entry: Sendable {
    let device: HostedDevice
    let proxy: DeviceProxy
  }

  private struct State {
    var entries: [DeviceID: Entry] = [:]
    var closed: Set<DeviceID> = []
  }
  private let state = Mutex(State())

  init(_ entries: [Entry]) { insert(entries) }

  subscript(id: DeviceID) -> Entry? { state.withLock { $0.entries[id] } }

  /// The texts of all devices' secrets.
  var secrets: [String] { state.withLock { $0.entries.values.flatMap(\.device.secrets) } }

  /// Whether a device of this name was closed here.
  func hasClosed(_ id: DeviceID) -> Bool { state.withLock { $0.closed.contains(id) } }

  func insert(_ new: [Entry]) {
    state.withLock { state in for entry in new { state.entries[entry.device.id] = entry } }
  }

  /// Removes devices that were closed.
  func remove(_ ids: [DeviceID]) {
    state.withLock { state in
      for id in ids { state.entries[id] = nil }
      state.closed.formUnion(ids)
    }
  }
}

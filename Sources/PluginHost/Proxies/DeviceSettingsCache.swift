import Devices
import Synchronization

/// The settings of all devices that outlive a restart of the controller, and which of them have changed since they
/// were written.
package final class DeviceSettingsCache: Sendable {
  /// Settings by device; settings without values are to be removed from the store.
  package typealias Table = [DeviceID: DeviceSettings]

  private struct State {
    var table: Table = [:]
    var changed: Set<DeviceID> = []
    var isLoaded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())
  /// An element after each change, for one reader; of several that wait only one is kept.
  package let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// Settings that are loaded later.
  package init() {
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Loaded settings.
  package convenience init(_ table: Table) {
    self.init()
    load(table)
  }

  /// Takes what the store holds, once; has no effect after that.
  package func load(_ stored: Table) {
    let waiters = state.withLock { state in
      guard !state.isLoaded else { return [CheckedContinuation<Void, Never>]() }
      state.isLoaded = true
      state.table = stored
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until the settings are loaded.
  package func waitUntilLoaded() async {
    if state.withLock({ $0.isLoaded }) { return }
    await withCheckedContinuation { waiter in
      let isLoaded = state.withLock { state in
        if !state.isLoaded { state.waiters.append(waiter) }
        return state.isLoaded
      }
      if isLoaded { waiter.resume() }
    }
  }

  /// The settings of a device; `nil` without any.
  package subscript(id: DeviceID) -> DeviceSettings? { state.withLock { $0.table[id] } }

  /// Records new settings of a device.
  package func record(_ settings: DeviceSettings, of device: DeviceID) {
    state.withLock { state in
      state.table[device] = settings
      state.changed.insert(device)
    }
    change.yield()
  }

  /// Removes the settings of all devices but these: a device that is configured later under the name
  /// of a removed one is another device.
  package func removeAll(except devices: some Sequence<DeviceID>) {
    let kept = Set(devices)
    let hasChanged = state.withLock { state in
      let removed = state.table.filter { !kept.contains($0.key) && !$0.value.values.isEmpty }
      for (id, settings) in removed {
        state.table[id] = DeviceSettings(role: settings.role, values: [:])
        state.changed.insert(id)
      }
      return !removed.isEmpty
    }
    if hasChanged { change.yield() }
  }

  /// Returns the settings that have changed since the last call.
  package func takeChanges() -> Table {
    state.withLock { state in
      defer { state.changed = [] }
      return state.table.filter { state.changed.contains($0.key) }
    }
  }

  /// Makes `takeChanges` return these devices again: they could not be written.
  package func markChanged(_ devices: some Sequence<DeviceID>) {
    state.withLock { $0.changed.formUnion(devices) }
    change.yield()
  }
}

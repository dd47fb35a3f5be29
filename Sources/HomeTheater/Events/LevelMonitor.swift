import Devices
import JSON
import Synchronization

/// The newest levels of each amplifier's sound. The amplifiers measure them only while there is a
/// subscriber.
///
/// Levels are no events: they have no id, and only the newest ones of each amplifier are kept.
package final class LevelMonitor: Sendable {
  /// The newest levels of an amplifier.
  package struct Entry: Sendable {
    /// Rises by one with each report.
    package let sequence: Int
    /// The amplifier.
    package let device: DeviceID
    /// The levels in dBFS.
    package let levels: SoundLevels

    /// `{"device": …, "peak": […], "rms": […]}`, in dBFS.
    package var json: JSON {
      var object: JSONObject = ["device": .string(device.name)]
      for (key, value) in levels.json { object[key] = value }
      return .object(object)
    }
  }

  private struct State {
    var newest: [DeviceID: Entry] = [:]
    var sequence = 0
    var subscribers: [Int: @Sendable () -> Void] = [:]
    var nextKey = 0
  }

  /// A device that measures levels.
  private typealias Measured = (device: any Device, meter: any LevelMeter)

  private struct Metering {
    var devices: [Measured] = []
    var isOn = false
  }

  private let state = Mutex(State())
  /// Held while level receivers are set or removed. Reports, which may arrive meanwhile, do not take this lock.
  private let metering = Mutex(Metering())

  /// Observes these devices in place of the earlier ones.
  func apply(_ devices: some Collection<any Device>) {
    metering.withLock { metering in
      let devices = devices.compactMap { device in
        device.facet((any LevelMeter).self).map { (device: device, meter: $0) }
      }
      let (old, isOn) = (metering.devices, metering.isOn)
      metering.devices = devices
      guard isOn else { return }
      for each in old where !devices.contains(where: { $0.device === each.device }) {
        each.meter.setLevelReceiver(nil)
      }
      for each in devices where !old.contains(where: { $0.device === each.device }) {
        observe(each)
      }
    }
    let names = Set(devices.map(\.id))
    state.withLock { state in state.newest = state.newest.filter { names.contains($0.key) } }
  }

  /// Subscribes to the levels from now on, until the subscription is deallocated.
  ///
  /// - Parameter signal: Called after each report, on its thread; must not wait.
  package func subscribe(_ signal: @escaping @Sendable () -> Void) -> LevelSubscription {
    let (key, sequence) = state.withLock { state in
      state.nextKey += 1
      state.subscribers[state.nextKey] = signal
      return (state.nextKey, state.sequence)
    }
    updateMetering()
    return LevelSubscription(monitor: self, key: key, sequence: sequence)
  }

  fileprivate func unsubscribe(_ key: Int) {
    state.withLock { state in
      state.subscribers[key] = nil
      if state.subscribers.isEmpty { state.newest = [:] }
    }
    updateMetering()
  }

  fileprivate func entries(after sequence: Int) -> [Entry] {
    state.withLock { $0.newest.values.filter { $0.sequence > sequence } }
      .sorted { $0.sequence < $1.sequence }
  }

  /// Sets the level receivers while there is a subscriber, and removes them after the last one.
  private func updateMetering() {
    metering.withLock { metering in
      let isWanted = state.withLock { !$0.subscribers.isEmpty }
      guard isWanted != metering.isOn else { return }
      metering.isOn = isWanted
      for each in metering.devices {
        if isWanted { observe(each) } else { each.meter.setLevelReceiver(nil) }
      }
    }
  }

  private func observe(_ measured: Measured) {
    measured.meter.setLevelReceiver { [weak self, id = measured.device.id] in
      self?.record($0, of: id)
    }
  }

  private func record(_ levels: SoundLevels, of device: DeviceID) {
    let subscribers = state.withLock { state in
      guard !state.subscribers.isEmpty else { return [@Sendable () -> Void]() }
      state.sequence += 1
      state.newest[device] = Entry(sequence: state.sequence, device: device, levels: levels)
      return Array(state.subscribers.values)
    }
    for signal in subscribers { signal() }
  }
}

/// A subscription to the levels of all amplifiers. It ends when it is deallocated.
package final class LevelSubscription: Sendable {
  private let monitor: LevelMonitor
  private let key: Int
  private let sequence: Mutex<Int>

  fileprivate init(monitor: LevelMonitor, key: Int, sequence: Int) {
    self.monitor = monitor
    self.key = key
    self.sequence = Mutex(sequence)
  }

  deinit { monitor.unsubscribe(key) }

  /// Returns the newest levels of each amplifier that has reported since the last call.
  package func drain() -> [LevelMonitor.Entry] {
    sequence.withLock { sequence in
      let entries = monitor.entries(after: sequence)
      sequence = entries.last?.sequence ?? sequence
      return entries
    }
  }
}

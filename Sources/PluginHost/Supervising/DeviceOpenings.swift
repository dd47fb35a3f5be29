import Devices
import Platform

/// The progress of opening each device of a process, with the retry times of refused devices.
struct DeviceOpenings: Sendable {
  private enum Progress {
    case asked
    case open
    /// Tried again at this time; without one, when the configuration has changed. After a timeout the
    /// process may open it still.
    case refused(retryAt: Duration?, mayBeOpen: Bool)
    /// The process was asked to close it, or ends with it.
    case closing
  }

  private var progress: [DeviceID: Progress] = [:]
  private var delays: [DeviceID: RetryDelay] = [:]

  init(devices: [DeviceID]) { request(devices) }

  /// Whether every device was answered for at least once.
  var areAnswered: Bool {
    progress.values.allSatisfy { if case .asked = $0 { false } else { true } }
  }

  /// Whether at least one device is open.
  var hasOpen: Bool {
    progress.values.contains { if case .open = $0 { true } else { false } }
  }

  /// Whether the process still has to close a device.
  var isClosing: Bool {
    progress.values.contains { if case .closing = $0 { true } else { false } }
  }

  /// When the next device is to be tried again.
  var nextRetry: Duration? {
    progress.values.compactMap { if case .refused(let time, _) = $0 { time } else { nil } }.min()
  }

  /// Records that the process is asked to open the devices, now or when it is up.
  mutating func request(_ devices: [DeviceID]) {
    for device in devices { progress[device] = .asked }
  }

  /// Records that a device is open.
  mutating func recordOpened(_ device: DeviceID) {
    guard case .asked = progress[device] else { return }
    progress[device] = .open
    delays[device] = nil
  }

  /// Records a refusal. Invalid options and unsupported devices are not tried again, other errors are.
  mutating func recordRefused(
    _ device: DeviceID, _ error: DeviceError, at now: Duration, random: Double
  ) {
    guard case .asked = progress[device] else { return }
    switch error.code {
    case .invalid, .unsupported: progress[device] = .refused(retryAt: nil, mayBeOpen: false)
    default:
      let wait = delays[device, default: RetryDelay()].next(random: random)
      progress[device] = .refused(retryAt: now + wait, mayBeOpen: error.code == .timeout)
    }
  }

  /// Forgets devices that the process does not hold.
  mutating func remove(_ devices: [DeviceID]) {
    for device in devices {
      progress[device] = nil
      delays[device] = nil
    }
  }

  /// Begins to close devices, and forgets those that the process has refused.
  ///
  /// - Returns: The devices that the process has to close.
  mutating func close(_ devices: [DeviceID]) -> [DeviceID] {
    let held = devices.filter { device in
      switch progress[device] {
      case .asked, .open, .closing: true
      case .refused(_, let mayBeOpen): mayBeOpen
      case nil: false
      }
    }
    remove(devices)
    for device in held { progress[device] = .closing }
    return held
  }

  /// Records that the process has closed a device.
  mutating func recordClosed(_ device: DeviceID) {
    if case .closing = progress[device] { progress[device] = nil }
  }

  /// Records the end of the process, which holds no device any more.
  mutating func recordProcessEnd() {
    progress = progress.filter { if case .closing = $0.value { false } else { true } }
  }

  /// Returns the devices whose retry is due. They count as asked from now on.
  mutating func retryDue(at now: Duration) -> [DeviceID] {
    var due: [DeviceID] = []
    for (device, state) in progress {
      guard case .refused(let time?, _) = state, time <= now else { continue }
      due.append(device)
      progress[device] = .asked
    }
    return due.sorted()
  }
}

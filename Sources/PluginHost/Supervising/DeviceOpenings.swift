import Devices

/// How far each device of a process is open, with the times at which refused ones are tried again.
struct DeviceOpenings: Sendable {
  private enum Progress {
    case asked
    case open
    /// Tried again at this time; without one, when the configuration has changed.
    case refused(retryAt: Duration?)
    /// The process was asked to close it, or ends with it.
    case closing
  }

  private var progress: [DeviceID: Progress] = [:]
  private var backoffs: [DeviceID: Backoff] = [:]

  init(devices: [DeviceID]) { ask(devices) }

  /// Whether every device was answered for at least once.
  var areAnswered: Bool {
    progress.values.allSatisfy { if case .asked = $0 { false } else { true } }
  }

  /// Whether at least one device is open.
  var hasOpen: Bool {
    progress.values.contains { if case .open = $0 { true } else { false } }
  }

  /// Whether the process still has to let go of a device.
  var isClosing: Bool {
    progress.values.contains { if case .closing = $0 { true } else { false } }
  }

  /// When the next device is to be tried again.
  var nextRetry: Duration? {
    progress.values.compactMap { if case .refused(let time) = $0 { time } else { nil } }.min()
  }

  /// The process is asked to open the devices, now or when it is up.
  mutating func ask(_ devices: [DeviceID]) {
    for device in devices { progress[device] = .asked }
  }

  mutating func opened(_ device: DeviceID) {
    guard case .asked = progress[device] else { return }
    progress[device] = .open
    backoffs[device] = nil
  }

  /// Options that the plugin calls wrong stay wrong; everything else may pass.
  mutating func refused(_ device: DeviceID, _ error: DeviceError, at now: Duration, random: Double)
  {
    guard case .asked = progress[device] else { return }
    switch error.code {
    case .invalid, .unsupported: progress[device] = .refused(retryAt: nil)
    default:
      let wait = backoffs[device, default: Backoff()].next(random: random)
      progress[device] = .refused(retryAt: now + wait)
    }
  }

  /// Forgets devices that the process does not hold.
  mutating func remove(_ devices: [DeviceID]) {
    for device in devices {
      progress[device] = nil
      backoffs[device] = nil
    }
  }

  /// Begins to close devices, and forgets those that were refused.
  ///
  /// - Returns: The devices that the process has to close.
  mutating func close(_ devices: [DeviceID]) -> [DeviceID] {
    let held = devices.filter { device in
      switch progress[device] {
      case .asked, .open, .closing: true
      case .refused, nil: false
      }
    }
    remove(devices)
    for device in held { progress[device] = .closing }
    return held
  }

  /// The process has closed a device.
  mutating func closed(_ device: DeviceID) {
    if case .closing = progress[device] { progress[device] = nil }
  }

  /// The process has ended, and holds no device any more.
  mutating func processEnded() {
    progress = progress.filter { if case .closing = $0.value { false } else { true } }
  }

  /// The devices whose time has come; they count as asked from now on.
  mutating func takeDue(at now: Duration) -> [DeviceID] {
    var due: [DeviceID] = []
    for (device, state) in progress {
      guard case .refused(let time?) = state, time <= now else { continue }
      due.append(device)
      progress[device] = .asked
    }
    return due.sorted()
  }
}

/// How long to wait before the next try: 0.5 s, doubled each time up to 60 s, spread by jitter so
/// that several plugins that fell together do not start together.
package struct Backoff: Sendable, Hashable {
  /// The first wait.
  package static let shortest = Duration.milliseconds(500)
  /// The longest wait.
  package static let longest = Duration.seconds(60)
  /// How far jitter moves a wait, as a part of it, up or down.
  package static let spread = 0.2

  /// The tries since the last success.
  package private(set) var tries = 0

  package init() {}

  /// The wait before the next try.
  ///
  /// - Parameter random: 0 to 1, evenly spread.
  package mutating func next(random: Double) -> Duration {
    let doubled = Self.shortest * Double(1 << min(tries, 7))
    tries += 1
    let factor = 1 + Self.spread * (2 * random - 1)
    return min(min(doubled, Self.longest) * factor, Self.longest)
  }

  /// Begins again with the shortest wait.
  package mutating func reset() { tries = 0 }
}

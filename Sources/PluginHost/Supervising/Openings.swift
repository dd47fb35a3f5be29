import Devices

/// Which devices of a process are open, and when those that were refused are tried again.
struct Openings: Sendable {
  private enum Standing {
    case asked
    case open
    /// Tried again at this time; without one, when the configuration has changed.
    case refused(retryAt: Duration?)
  }

  private var standings: [DeviceID: Standing] = [:]
  private var backoffs: [DeviceID: Backoff] = [:]

  init(devices: [DeviceID]) {
    for device in devices { standings[device] = .asked }
  }

  /// Whether every device was answered for at least once.
  var areAnswered: Bool {
    standings.values.allSatisfy { if case .asked = $0 { false } else { true } }
  }

  /// Whether at least one device is open.
  var hasOpen: Bool {
    standings.values.contains { if case .open = $0 { true } else { false } }
  }

  /// When the next device is to be tried again.
  var nextRetry: Duration? {
    standings.values.compactMap { if case .refused(let time) = $0 { time } else { nil } }.min()
  }

  mutating func opened(_ device: DeviceID) {
    standings[device] = .open
    backoffs[device] = nil
  }

  /// Options that the plugin calls wrong stay wrong; everything else may pass.
  mutating func refused(_ device: DeviceID, _ error: DeviceError, at now: Duration, random: Double)
  {
    switch error.code {
    case .invalid, .unsupported: standings[device] = .refused(retryAt: nil)
    default:
      let wait = backoffs[device, default: Backoff()].next(random: random)
      standings[device] = .refused(retryAt: now + wait)
    }
  }

  /// The devices whose time has come; they count as asked from now on.
  mutating func takeDue(at now: Duration) -> [DeviceID] {
    var due: [DeviceID] = []
    for (device, standing) in standings {
      guard case .refused(let time?) = standing, time <= now else { continue }
      due.append(device)
      standings[device] = .asked
    }
    return due.sorted()
  }
}

import Devices
import JSON

/// Lights that fade.
package struct LightsModel: DeviceModel {
  /// The time of a fade from 0 to 100 %.
  private let fade: Duration
  private var from = 0.0
  private var target = 0
  private var started = Duration.zero
  private var ends = Duration.zero
  /// The time of the next report of a fade; real dimmers also report a few times a second.
  package private(set) var due: Duration?

  private static let reportInterval = Duration.milliseconds(200)

  package init(fade: Duration = .zero) { self.fade = fade }

  package func values(at now: Duration) -> [StateKey: JSON] {
    let brightness = brightness(at: now)
    // Power is on as soon as the target is above 0 %, and off when a fade to 0 % has ended.
    return [
      .power: target > 0 || brightness > 0 ? "on" : "off",
      .brightness: .integer(Int(brightness.rounded())),
    ]
  }

  package mutating func perform(_ command: LightsCommand, at now: Duration) -> ModelReport {
    from = brightness(at: now)
    target =
      switch command {
      case .on: 100
      case .off: 0
      case .dim(let brightness): brightness
      }
    started = now
    ends = now + fade * (abs(Double(target) - from) / 100)
    due = nextReport(after: now)
    return ModelReport(values(at: now))
  }

  package mutating func advance(to now: Duration) -> ModelReport {
    guard let due, due <= now else { return [:] }
    self.due = nextReport(after: now)
    return ModelReport(values(at: now))
  }

  private func nextReport(after now: Duration) -> Duration? {
    ends > now ? min(now + Self.reportInterval, ends) : nil
  }

  private func brightness(at now: Duration) -> Double {
    guard now < ends, ends > started else { return Double(target) }
    return from + (Double(target) - from) * ((now - started) / (ends - started))
  }
}

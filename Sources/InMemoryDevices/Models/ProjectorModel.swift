import Devices
import JSON

/// A projector whose lamp warms and cools. Meanwhile it refuses other commands and states when it
/// will accept them.
package struct ProjectorModel: DeviceModel {
  private let warmUp: Duration
  private let coolDown: Duration
  private let whenOff: WhenOff?
  private var power = Power.off
  private var picture = "wideScreen"
  /// When warming or cooling ends.
  package private(set) var due: Duration?

  package init(
    warmUp: Duration = .zero, coolDown: Duration = .zero, whenOff: WhenOff? = nil
  ) {
    self.warmUp = warmUp
    self.coolDown = coolDown
    self.whenOff = whenOff
  }

  package func values(at now: Duration) -> [StateKey: JSON] {
    [.power: .string(power.rawValue), .picture: .string(picture)]
  }

  package mutating func perform(
    _ command: ProjectorCommand, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    switch command {
    case .on: try changePower(from: .off, through: .warming, to: .on, taking: warmUp, now)
    case .off: try changePower(from: .on, through: .cooling, to: .off, taking: coolDown, now)
    case .tvMode: try setPicture("tv", now)
    case .wideScreenMode: try setPicture("wideScreen", now)
    }
  }

  package mutating func advance(to now: Duration) -> ModelReport {
    guard let due, due <= now else { return [:] }
    self.due = nil
    power = power == .warming ? .on : .off
    return [.power: .string(power.rawValue)]
  }

  private mutating func changePower(
    from old: Power, through transition: Power, to new: Power, taking time: Duration,
    _ now: Duration
  ) throws(DeviceError) -> ModelReport {
    if power != new, power != transition {
      guard power == old else { throw busy(at: now) }
      power = time > .zero ? transition : new
      due = time > .zero ? now + time : nil
    }
    return ModelReport(
      [.power: .string(power.rawValue)],
      attributes: due.map { ModelReport.progress(remaining: $0 - now, of: time) } ?? [:])
  }

  private mutating func setPicture(
    _ picture: String, _ now: Duration
  ) throws(DeviceError) -> ModelReport {
    if power == .warming || power == .cooling { throw busy(at: now) }
    guard try whenOff.accepts(at: power, of: "projector") else { return [:] }
    self.picture = picture
    return [.picture: .string(picture)]
  }

  private func busy(at now: Duration) -> DeviceError {
    DeviceError(
      .notNow, "the lamp is \(power.rawValue)", hint: "Try again when it is done.",
      retryAfter: max(.zero, (due ?? now) - now))
  }
}

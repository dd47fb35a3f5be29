import Devices
import JSON

/// A screen on a motor. It reverses at any position.
package struct ScreenModel: DeviceModel {
  /// The time from top to bottom.
  private let travel: Duration
  /// Whether the motor can stop on the way.
  private let canStop: Bool
  /// The position at which the motion began: 0 is up, 1 is down.
  private var from = 0.0
  private var target = 0.0
  private var started = Duration.zero
  /// The end of the motion; `nil` while it stands still.
  package private(set) var due: Duration?

  package init(travel: Duration = .zero, canStop: Bool = true) {
    self.travel = travel
    self.canStop = canStop
  }

  package var capabilities: Set<String> { canStop ? ["stop"] : [] }

  package func values(at now: Duration) -> [StateKey: JSON] {
    guard due == nil else { return [.position: "moving"] }
    return [.position: target == 0 ? "up" : target == 1 ? "down" : "stopped"]
  }

  package mutating func perform(
    _ command: ScreenCommand, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    switch command {
    case .up: move(to: 0, at: now)
    case .down: move(to: 1, at: now)
    case .stop:
      guard canStop else {
        throw DeviceError(
          .unsupported, "this screen cannot stop on its way", hint: "Use up or down.")
      }
      target = position(at: now)
      due = nil
    }
    return report(at: now)
  }

  package mutating func advance(to now: Duration) -> ModelReport {
    guard let due, due <= now else { return [:] }
    self.due = nil
    return report(at: now)
  }

  package mutating func adopt(_ state: DeviceState) {
    switch state[.position] {
    case "up"?: target = 0
    case "down"?: target = 1
    default: target = 0.5
    }
  }

  private mutating func move(to target: Double, at now: Duration) {
    from = position(at: now)
    self.target = target
    started = now
    let way = abs(target - from)
    due = way > 0 && travel > .zero ? now + travel * way : nil
  }

  private func position(at now: Duration) -> Double {
    guard let due, due > started, now < due else { return target }
    return from + (target - from) * ((now - started) / (due - started))
  }

  private func report(at now: Duration) -> ModelReport {
    var report = ModelReport(values(at: now))
    if let due {
      report.attributes = ModelReport.progress(remaining: due - now, of: due - now)
      report.attributes["from"] = Self.percent(from, "From")
      report.attributes["towards"] = Self.percent(target, "Towards")
    } else if target != 0, target != 1 {
      report.attributes["lowered"] = Self.percent(target, "Lowered")
    }
    return report
  }

  /// A position as an attribute: 0 % is up, 100 % is down.
  private static func percent(_ position: Double, _ label: String) -> Attribute {
    Attribute(.integer(Int((position * 100).rounded())), unit: "%", label: label)
  }
}

import Devices
import JSON

/// A popcorn popper that pops one load at a time.
package struct PopcornPopperModel: DeviceModel {
  /// The time of a load; `nil` for one that pops until the popper is turned off.
  private let popTime: Duration?
  private let whenOff: WhenOff?
  private var power = Power.off
  private var popping = "idle"
  /// When the load is done.
  package private(set) var due: Duration?

  package init(popTime: Duration? = nil, whenOff: WhenOff? = nil) {
    self.popTime = popTime
    self.whenOff = whenOff
  }

  package func values(at now: Duration) -> [StateKey: JSON] {
    [.power: .string(power.rawValue), .popping: .string(popping)]
  }

  package mutating func perform(
    _ command: PopcornPopperCommand, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    switch command {
    case .on:
      power = .on
      return [.power: "on"]
    case .off:
      power = .off
      popping = "idle"
      due = nil
      return ModelReport(values(at: now))
    case .pop:
      guard try whenOff.accepts(at: power, of: "popper") else { return [:] }
      if let due, due > now {
        throw DeviceError(
          .notNow, "a load is popping", hint: "Try again when it is done.", retryAfter: due - now)
      }
      popping = "popping"
      due = popTime.map { now + $0 }
      return [.popping: "popping"]
    }
  }

  package mutating func advance(to now: Duration) -> ModelReport {
    guard let due, due <= now else { return [:] }
    self.due = nil
    popping = "done"
    return [.popping: "done"]
  }
}

import Devices
import JSON

/// The values and attributes that were last reported to the controller. The methods return the effects that report
/// changes.
struct ReportedState: Sendable {
  private var values: [StateKey: KnownValue] = [:]
  private var attributes: [String: Attribute] = [:]

  /// Reports changed values. Reports earlier values that `new` lacks as unknown, such as the brightness of lights that
  /// were turned on with their own switch.
  mutating func report(_ new: [StateKey: KnownValue]) -> [DeviceModel.Effect] {
    var effects: [DeviceModel.Effect] = []
    for provenance in [Provenance.reported, .assumed] {
      let changed = new.filter { $0.value.provenance == provenance && values[$0.key] != $0.value }
      if !changed.isEmpty { effects.append(.report(changed.mapValues(\.value), provenance)) }
    }
    effects += reportUnknown { new[$0] == nil }
    values = new
    return effects
  }

  /// Reports changed attributes. Earlier attributes that `new` lacks keep their values.
  ///
  /// - Parameter problem: The value of the attribute `problem`, for the user; nil for no problem.
  mutating func report(
    _ new: [String: Attribute], problem: String?
  ) -> [DeviceModel.Effect] {
    var new = new
    if problem != nil || attributes["problem"] != nil {
      new["problem"] = Attribute(problem.map { .string($0) } ?? .null, label: "Problem")
    }
    let changed = new.filter { attributes[$0.key] != $0.value }
    attributes.merge(changed) { $1 }
    return changed.isEmpty ? [] : [.reportAttributes(changed)]
  }

  /// Reports all values as unknown.
  mutating func reportAllAsUnknown() -> [DeviceModel.Effect] {
    defer { values = [:] }
    return reportUnknown { _ in true }
  }

  /// Makes the next report include these keys even if their values have not changed.
  mutating func forceNextReport(of keys: [StateKey]) {
    for key in keys { values[key] = nil }
  }

  private func reportUnknown(_ isForgotten: (StateKey) -> Bool) -> [DeviceModel.Effect] {
    let forgotten = values.filter { isForgotten($0.key) && $0.value.provenance != .unknown }
    return forgotten.isEmpty ? [] : [.report(forgotten.mapValues(\.value), .unknown)]
  }
}

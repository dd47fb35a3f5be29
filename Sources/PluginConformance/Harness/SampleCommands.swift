import Devices
import JSON

extension Role {
  /// Returns the commands of the role, with arguments at both ends and inside of each range, or with existing items.
  /// Commands that end the playback come last, `off` at the very end.
  ///
  /// - Parameter restrictions: Keep the volume below its limit.
  func sampleCommands(items: [CatalogueItem], within restrictions: CheckRestrictions) -> [JSON] {
    let ending = commands.filter { $0.effect == .releases }
    let others = commands.filter { $0.effect != .releases }
    let all = (others + ending).flatMap { spec in
      let loudest = spec.settled.key == .volume ? restrictions.loudest : nil
      return spec.samples(items: Array(items.prefix(2)), atMost: loudest)
    }
    return all.filter { $0 != "off" } + all.filter { $0 == "off" }
  }
}

extension CommandSpec {
  /// Returns the command with each of its sample arguments, and without one if it may be left out.
  ///
  /// - Parameter most: The highest whole number as an argument; `nil` for that of the range.
  fileprivate func samples(items: [CatalogueItem], atMost most: Int?) -> [JSON] {
    guard let argument else { return [.string(name)] }
    let plain: [JSON] = argument.isRequired ? [] : [.string(name)]
    return plain + arguments(argument.shape, items: items, atMost: most).map { [name: $0] }
  }

  private func arguments(
    _ shape: ArgumentShape, items: [CatalogueItem], atMost most: Int?
  ) -> [JSON] {
    switch shape {
    case .integer(let range, _):
      let upper = max(range.lowerBound, min(range.upperBound, most ?? range.upperBound))
      let inside = [1, 42].map { range.lowerBound + (upper - range.lowerBound) * $0 / 100 }
      return ([range.lowerBound, upper] + inside).map { .integer($0) }
    case .number(let range, _):
      let width = range.upperBound - range.lowerBound
      // Multiples of a step that real devices have, such as tuners.
      let step = width > 100 ? 10.0 : 0.5
      let inside = [0.01, 0.42].map { ((range.lowerBound + width * $0) / step).rounded() * step }
      let inItem = effect == .seeks ? items.last?.middle : nil
      return ([inItem, range.lowerBound, range.upperBound].compactMap(\.self) + inside)
        .map { .number($0) }
    case .text: return items.map { .string($0.id) } + ["dvd"]
    case .fields:
      return items.flatMap { item -> [JSON] in
        let whole: JSONObject = ["item": .string(item.id)]
        guard let middle = item.middle else { return [.object(whole)] }
        var fromMiddle = whole
        fromMiddle["position"] = .number(middle)
        return [.object(whole), .object(fromMiddle)]
      }
    }
  }
}

extension CatalogueItem {
  /// The position in the middle, in seconds; `nil` without a duration.
  fileprivate var middle: Double? { duration.map { ($0 * 500).rounded() / 1000 } }
}

import Devices
import JSON

extension Role {
  /// Returns the commands of the role, with arguments at both ends and inside of each range, or with existing items.
  /// Commands that end the playback come last, `off` at the very end.
  func sampleCommands(items: [CatalogueItem]) -> [JSON] {
    let ending = commands.filter { $0.effect == .releases }
    let others = commands.filter { $0.effect != .releases }
    let all = (others + ending).flatMap { $0.samples(items: Array(items.prefix(2))) }
    return all.filter { $0 != "off" } + all.filter { $0 == "off" }
  }
}

extension CommandSpec {
  /// Returns the command with each of its sample arguments, and without one if it may be left out.
  fileprivate func samples(items: [CatalogueItem]) -> [JSON] {
    guard let argument else { return [.string(name)] }
    let plain: [JSON] = argument.isRequired ? [] : [.string(name)]
    return plain + arguments(argument.shape, items: items).map { [name: $0] }
  }

  private func arguments(_ shape: ArgumentShape, items: [CatalogueItem]) -> [JSON] {
    switch shape {
    case .integer(let range, _):
      let width = range.upperBound - range.lowerBound
      let inside = [1, 42].map { range.lowerBound + width * $0 / 100 }
      return ([range.lowerBound, range.upperBound] + inside).map { .integer($0) }
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

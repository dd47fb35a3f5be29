import JSON

/// A JSON pointer (RFC 6901), such as `/light/0/state`.
struct JSONPointer: Sendable, Hashable {
  /// The largest number of steps of a pointer. The JSON parser accepts no deeper nesting.
  private static let mostSteps = 64
  private let steps: [String]

  /// Parses a pointer. The empty text stands for the whole value. Returns nil if another text does not begin with "/",
  /// has an invalid escape, or has more than 64 steps.
  init?(_ text: String) {
    guard !text.isEmpty else {
      steps = []
      return
    }
    var steps: [String] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false).map(String.init) {
      let plain = part.replacing("~1", with: "").replacing("~0", with: "")
      guard !plain.contains("~") else { return nil }
      steps.append(part.replacing("~1", with: "/").replacing("~0", with: "~"))
    }
    guard steps.first == "", steps.count <= Self.mostSteps + 1 else { return nil }
    self.steps = Array(steps.dropFirst())
  }

  /// Returns the value at the pointer; nil if there is none.
  func value(in json: JSON) -> JSON? {
    var value = json
    for step in steps {
      let next = value.array.map { Self.element(step, of: $0) } ?? value[step]
      guard let next else { return nil }
      value = next
    }
    return value
  }

  private static func element(_ step: String, of array: [JSON]) -> JSON? {
    let isIndex = step == "0" || (!step.hasPrefix("0") && step.utf8.allSatisfy { 48...57 ~= $0 })
    guard isIndex, let index = Int(step), array.indices.contains(index) else { return nil }
    return array[index]
  }
}

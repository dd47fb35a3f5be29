import ArgumentParser

/// A position in a film or song on the command line.
struct SeekTarget: Hashable {
  let seconds: Double
  /// Whether it counts from the current position.
  let isRelative: Bool

  /// Reads `12:30`, `1:02:03`, `90`, `90.5`, `+30`, `-1:00`.
  init(_ text: String) throws(ValidationError) {
    let sign = text.first.flatMap { $0 == "+" ? 1.0 : $0 == "-" || $0 == "−" ? -1.0 : nil }
    guard let seconds = TimeText.seconds(String(sign == nil ? text[...] : text.dropFirst())) else {
      throw ValidationError(
        "\"\(text)\" is not a position: type 12:30, 1:02:03, 90, +30 or -30.")
    }
    self.seconds = seconds * (sign ?? 1)
    isRelative = sign != nil
  }

  init(words: [String]) throws(ValidationError) {
    let words = words.filter { $0 != "--" }
    guard words.count == 1, let word = words.first else {
      throw ValidationError("Give one position: 12:30, 1:02:03, 90, +30 or -30.")
    }
    try self.init(word)
  }
}

/// A volume, or a change of it, on the command line.
struct VolumeArgument: Hashable {
  let points: Int
  let isRelative: Bool

  /// Reads `40`, `40%`, `+5`, `-5`.
  init(words: [String]) throws(ValidationError) {
    let problem = ValidationError("Give one volume: 0 to 100, or a change such as +5 or -5.")
    let words = words.filter { $0 != "--" }
    guard words.count == 1, var text = words.first else { throw problem }
    if text.hasSuffix("%") { text.removeLast() }
    isRelative = text.hasPrefix("+") || text.hasPrefix("-")
    guard let points = Int(text), (isRelative ? -100...100 : 0...100).contains(points) else {
      throw problem
    }
    self.points = points
  }
}

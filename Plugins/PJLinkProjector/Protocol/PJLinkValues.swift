import Devices

/// The values of replies, as words.
enum PJLinkValues {
  /// `POWR`: 0 off, 1 on, 2 cooling, 3 warming; nil for anything else.
  static func power(_ text: String) -> Power? {
    switch text {
    case "0": .off
    case "1": .on
    case "2": .cooling
    case "3": .warming
    default: nil
    }
  }

  /// `AVMT`: what is muted; nil for anything else.
  static func mute(_ text: String) -> String? {
    switch text {
    case "10", "20", "30": "none"
    case "11": "video"
    case "21": "audio"
    case "31": "video and audio"
    default: nil
    }
  }

  /// `LAMP`: the hours of each lamp, from pairs of hours and on or off; nil for anything else.
  static func lampHours(_ text: String) -> [Int]? {
    let words = text.split(separator: " ")
    guard (2...16).contains(words.count), words.count.isMultiple(of: 2) else { return nil }
    var hours: [Int] = []
    for index in stride(from: 0, to: words.count, by: 2) {
      guard let value = self.hours(words[index]), ["0", "1"].contains(words[index + 1]) else {
        return nil
      }
      hours.append(value)
    }
    return hours
  }

  /// Hours of use, 0 to 99,999; nil for anything else.
  static func hours(_ text: some StringProtocol) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    return Int(text)
  }

  /// `INST`: the inputs that the projector has; nil for anything else.
  static func inputs(_ text: String) -> [PJLinkInput]? {
    let inputs = text.split(separator: " ").map { PJLinkInput($0) }
    let known = inputs.compactMap(\.self)
    return inputs.isEmpty || known.count < inputs.count ? nil : known
  }
}

/// `ERST`: what the projector finds wrong with itself.
struct ErrorStatus: Equatable {
  enum Level: Int {
    case none, warning, error
  }

  private static let parts = ["fan", "lamp", "temperature", "cover", "filter", "other"]
  private let levels: [Level]

  /// Reads six digits, 0 to 2; nil for anything else.
  init?(_ text: String) {
    let levels = text.utf8.map { Level(rawValue: Int($0) - 48) }
    self.levels = levels.compactMap(\.self)
    guard levels.count == Self.parts.count, self.levels.count == Self.parts.count else {
      return nil
    }
  }

  /// The warnings and errors: "lamp error, filter warning", or "none".
  var description: String {
    let findings = zip(Self.parts, levels).filter { $1 != .none }.map { "\($0) \($1)" }
    return findings.isEmpty ? "none" : findings.joined(separator: ", ")
  }

  /// The errors alone: "lamp error"; nil without one.
  var errors: String? {
    let errors = zip(Self.parts, levels).filter { $1 == .error }.map { "\($0.0) error" }
    return errors.isEmpty ? nil : errors.joined(separator: ", ")
  }
}

import Devices

/// Parsers for the values of replies.
enum PJLinkValues {
  /// Parses `POWR`: 0 is off, 1 on, 2 cooling, 3 warming; nil for other texts.
  static func power(_ text: String) -> Power? {
    switch text {
    case "0": .off
    case "1": .on
    case "2": .cooling
    case "3": .warming
    default: nil
    }
  }

  /// Parses `AVMT`. Returns which of picture and sound are muted, in words; nil for other texts.
  static func mute(_ text: String) -> String? {
    switch text {
    case "10", "20", "30": "none"
    case "11": "video"
    case "21": "audio"
    case "31": "video and audio"
    default: nil
    }
  }

  /// Parses `LAMP`: one to eight pairs of hours, and 1 (on) or 0 (off). Returns the hours of each lamp; nil for other
  /// texts.
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

  /// Parses hours of use, 0 to 99,999; nil for other texts.
  static func hours(_ text: some StringProtocol) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    return Int(text)
  }

  /// Parses `INST`. Returns the inputs that the projector has; nil for other texts.
  static func inputs(_ text: String) -> [PJLinkInput]? {
    let inputs = text.split(separator: " ").map { PJLinkInput($0) }
    let known = inputs.compactMap(\.self)
    return inputs.isEmpty || known.count < inputs.count ? nil : known
  }
}

/// The warnings and errors of a projector's parts (`ERST`).
struct ErrorStatus: Equatable {
  enum Level: Int {
    case none, warning, error
  }

  private static let parts = ["fan", "lamp", "temperature", "cover", "filter", "other"]
  private let levels: [Level]

  /// Parses six digits, one for each part: 0 for no fault, 1 for a warning, 2 for an error. Nil for other texts.
  init?(_ text: String) {
    let levels = text.utf8.map { Level(rawValue: Int($0) - 48) }
    self.levels = levels.compactMap(\.self)
    guard levels.count == Self.parts.count, self.levels.count == Self.parts.count else {
      return nil
    }
  }

  /// The warnings and errors, such as "lamp error, filter warning"; "none" without any.
  var description: String {
    let findings = zip(Self.parts, levels).filter { $1 != .none }.map { "\($0) \($1)" }
    return findings.isEmpty ? "none" : findings.joined(separator: ", ")
  }

  /// Only the errors, such as "lamp error"; nil without any.
  var errors: String? {
    let errors = zip(Self.parts, levels).filter { $1 == .error }.map { "\($0.0) error" }
    return errors.isEmpty ? nil : errors.joined(separator: ", ")
  }
}

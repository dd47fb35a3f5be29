import Devices

/// Parsers for the values of replies. A value that no specification foresees is unknown, and nothing else is lost
/// because of it: of several values in a reply, the others count.
package enum PJLinkValues {
  /// Parses `POWR`: 0 is off, 1 on, 2 cooling, 3 warming; nil for other texts.
  package static func power(_ text: String) -> Power? {
    switch Int(text) {
    case 0: .off
    case 1: .on
    case 2: .cooling
    case 3: .warming
    default: nil
    }
  }

  /// Parses `AVMT`. Returns which of picture and sound are muted, in words; nil for other texts.
  package static func mute(_ text: String) -> String? {
    switch text {
    case "10", "20", "30": "none"
    case "11": "video"
    case "21": "audio"
    case "31": "video and audio"
    default: nil
    }
  }

  /// Parses `LAMP`: one to eight pairs of hours, and 1 (on) or 0 (off). Returns the hours of each lamp, nil for unknown
  /// ones.
  package static func lampHours(_ text: String) -> [Int?] {
    let words = text.split(whereSeparator: \.isWhitespace).prefix(16)
    return stride(from: 0, to: words.count, by: 2).map { hours(words[$0]) }
  }

  /// Parses hours of use, 0 to 99,999; nil for other texts.
  package static func hours(_ text: some StringProtocol) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    return Int(text)
  }

  /// Parses `INST`. Returns the inputs that the projector has, without those whose code is unknown; nil if there is
  /// none.
  package static func inputs(_ text: String) -> [PJLinkInput]? {
    let known = text.split(whereSeparator: \.isWhitespace).compactMap { PJLinkInput($0) }
    return known.isEmpty ? nil : known
  }
}

/// The warnings and errors of a projector's parts (`ERST`).
package struct ErrorStatus: Equatable {
  enum Level: Int {
    case none, warning, error
  }

  private static let parts = ["fan", "lamp", "temperature", "cover", "filter", "other"]
  /// The level of each part; nil for an unknown one.
  private let levels: [Level?]

  /// Parses six digits, one for each part: 0 for no fault, 1 for a warning, 2 for an error. Other digits are unknown.
  /// Nil for other texts.
  package init?(_ text: String) {
    levels = text.utf8.map { Level(rawValue: Int($0) - 48) }
    guard levels.count == Self.parts.count, levels.contains(where: { $0 != nil }) else {
      return nil
    }
  }

  /// The warnings and errors, such as "lamp error, filter warning"; "none" without any.
  package var description: String {
    let findings = zip(Self.parts, levels).compactMap { part, level in
      level.flatMap { $0 == .none ? nil : "\(part) \($0)" }
    }
    return findings.isEmpty ? "none" : findings.joined(separator: ", ")
  }

  /// Only the errors, such as "lamp error"; nil without any.
  package var errors: String? {
    let errors = zip(Self.parts, levels).filter { $1 == .error }.map { "\($0.0) error" }
    return errors.isEmpty ? nil : errors.joined(separator: ", ")
  }
}

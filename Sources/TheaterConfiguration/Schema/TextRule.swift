import Validation

/// The valid form of a text.
///
/// Code checks the rules of the configuration itself, because compiling a regular expression for
/// each name would take longer than all other checks. A test compares the code with the regular
/// expressions in an independent validator.
package enum TextRule: Sendable, Hashable {
  /// A name of a device, scene and so on: a letter, then letters, digits, `-` and `_`; at most 64
  /// in all.
  case name
  /// `$` and a name: a parameter of a scene.
  case parameter
  /// A number and a unit: `500 ms`, `2 s`, `1.5 min`, `1 h`.
  case duration
  /// The name of a secret: letters, digits, `.`, `_` and `-`, not beginning with a dot, at most 64.
  case secretName
  /// A name of a host, without a port: letters, digits, `.` and `-`, at most 253.
  case hostName
  /// A pattern that must be found in the text, such as one of a manifest.
  case pattern(Pattern)

  /// The rule as a regular expression, for the schema.
  package var pattern: String {
    switch self {
    case .name: "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
    case .parameter: "^\\$[A-Za-z][A-Za-z0-9_-]{0,63}$"
    case .duration: "^[0-9]{1,6}(\\.[0-9]{1,3})? (ms|s|min|h)$"
    case .secretName: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"
    case .hostName: "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$"
    case .pattern(let pattern): pattern.source
    }
  }

  /// The rule for people.
  package var expectation: String {
    switch self {
    case .name, .parameter: "a letter, then at most 63 letters, digits, \"-\" and \"_\""
    case .duration: "a number, a space and ms, s, min or h"
    case .secretName: "at most 64 letters, digits, \".\", \"-\" and \"_\", not beginning with \".\""
    case .hostName: "letters, digits, \".\" and \"-\", without a port"
    case .pattern(let pattern) where pattern.source == "^.+$": "not empty"
    case .pattern(let pattern): "like \(pattern)"
    }
  }

  /// Longest text that a pattern is tried on, in bytes in UTF-8: the time of a search grows with the length of the
  /// text and of the pattern.
  static let longestForPattern = 4096

  /// Returns the rule of a pattern that is written in the sources; one that cannot be read ends the program.
  static func pattern(_ source: StaticString) -> TextRule {
    do throws(PatternError) {
      return .pattern(try Pattern(schema: source.description))
    } catch {
      preconditionFailure("\(source): \(error.message) \(error.hint)")
    }
  }

  /// Whether `text` matches the rule. False for a pattern and a text of more than 4,096 bytes.
  package func allows(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    switch self {
    case .name:
      return bytes.count <= 64 && bytes.first.map(Self.isLetter) ?? false
        && bytes.allSatisfy { Self.isWordCharacter($0) }
    case .parameter: return text.hasPrefix("$") && TextRule.name.allows(text.dropFirst())
    case .duration: return DurationText.duration(of: text) != nil
    case .secretName:
      return (1...64).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
        && bytes.allSatisfy { Self.isWordCharacter($0) || $0 == UInt8(ascii: ".") }
    case .hostName:
      let ends = [bytes.first, Array(bytes).last]
      return bytes.count <= 253 && ends.allSatisfy { $0.map(Self.isLetterOrDigit) ?? false }
        && bytes.allSatisfy {
          Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    case .pattern(let pattern):
      return bytes.count <= Self.longestForPattern && pattern.matches(text.unicodeScalars)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWordCharacter(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "0"..."9", "-", "_": true
    default: isLetter(byte)
    }
  }
}

/// Durations as `devices.json` writes them.
enum DurationText {
  /// Reads `500 ms`, `2 s`, `1.5 min` or `1 h`: at most six digits before the point and three after
  /// it. Returns `nil` for anything else.
  static func duration(of text: some StringProtocol) -> Duration? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2 else { return nil }
    let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), isDigits(parts[0], 1...6),
      parts.count == 1 || isDigits(parts[1], 1...3), let number = Double(words[0])
    else { return nil }
    switch words[1] {
    case "ms": return .milliseconds(number)
    case "s": return .seconds(number)
    case "min": return .seconds(number * 60)
    case "h": return .seconds(number * 3600)
    default: return nil
    }
  }

  private static func isDigits(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Bool {
    count.contains(text.utf8.count)
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

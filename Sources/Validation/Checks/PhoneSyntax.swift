import JSON

/// The form of a phone number that can be dialled from anywhere: `+`, country code, number (E.164).
package enum PhoneSyntax {
  /// Digits of a number with its country code. The most is E.164's; no network has fewer than 7.
  package static let digits = 7...15

  /// The number as `+491701234567`; nil when `typed` is none.
  ///
  /// Spaces, `-`, `.`, `(` and `)` may stand between the digits. `(0)` is refused, as it is unknown
  /// whether the zero is dialled.
  package static func canonical(_ typed: String) -> String? {
    guard typed.utf8.count <= 64, !SubsequenceFinder("(0)".utf8).occurs(in: typed.utf8) else {
      return nil
    }
    var number = ""
    for point in typed.unicodeScalars {
      switch point {
      case "+" where number.isEmpty: number = "+"
      case "1"..."9" where !number.isEmpty: number.unicodeScalars.append(point)
      case "0" where number.utf8.count > 1: number.unicodeScalars.append(point)
      case " ", "-", ".", "(", ")": if number.isEmpty { return nil }
      default: return nil
      }
    }
    return digits.contains(number.utf8.count - 1) ? number : nil
  }
}

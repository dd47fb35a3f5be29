import Foundation
import Validation

/// A person's name: any script, 1–100 code points, no characters that could disturb a terminal or a
/// page.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
  /// Without white space at either end, in Unicode form C.
  public let text: String

  /// Longest name in code points.
  public static let longest = 100

  /// Checks `typed`.
  /// - Throws: `empty` (also for a name without a visible character, like the rule `notEmpty`),
  ///   `tooLong` or `malformed`, with the field `name`.
  public init(_ typed: String) throws(AccountError) {
    // Refused before normalisation, which would take long.
    guard typed.utf8.count <= Self.longest * 16 else { throw Self.tooLong }
    guard TypedText.canBeNormalised(typed) else { throw .tooManyMarks(.name) }
    let name = typed.normalisedNFC
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let points = name.unicodeScalars
    guard points.contains(where: \.isVisible) else { throw .empty(.name) }
    guard points.count <= Self.longest else { throw Self.tooLong }
    guard points.allSatisfy({ !Self.isDisturbing($0) }) else { throw .malformedName }
    text = name
  }

  /// Takes a stored name, which was checked before.
  public init(stored text: String) {
    self.text = text
  }

  public var description: String { text }

  private static let tooLong = AccountError.tooLong(.name, limit: "\(longest) characters")

  /// Control characters, line separators, and the marks that turn the direction of the text around
  /// a name.
  private static func isDisturbing(_ point: Unicode.Scalar) -> Bool {
    switch point.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(point.value) || (0x2066...0x2069).contains(point.value)
    }
  }
}

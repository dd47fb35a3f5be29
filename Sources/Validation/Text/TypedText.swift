import JSON

/// A text as a person typed it, beside the form that rules look at.
///
/// Rules count and compare Unicode code points after normalisation (NFKC), never bytes and never
/// what looks like one character, so that every evaluator gives the same answer (NIST SP 800-63B-4).
package struct TypedText: Sendable {
  /// As typed.
  let raw: String
  /// The code points after NFKC; none where it is overlong.
  let codePoints: [Unicode.Scalar]
  /// Whether it is beyond a limit: rules then look no further, and take it for longer than any
  /// length that they ask for.
  let isOverlong: Bool

  /// Most bytes in UTF-8 that are looked at; 256 code points in any decomposition fit.
  package static let mostBytes = 16_384
  /// Most code points after NFKC: as many as a rule can ask for. A sign may become eighteen.
  static let mostCodePoints = Check.lengths.upperBound

  package init(_ typed: String) {
    raw = typed
    let points = Self.canBeNormalised(typed) ? Array(typed.normalisedNFKC.unicodeScalars) : nil
    isOverlong = points.map { $0.count > Self.mostCodePoints } ?? true
    codePoints = isOverlong ? [] : points ?? []
  }

  /// Whether `typed` has at most `mostBytes` bytes and no more combining marks in a row than stream-safe
  /// text (UAX #15), so that its cost is bounded.
  package static func canBeNormalised(_ typed: String) -> Bool {
    typed.utf8.count <= mostBytes && typed.isStreamSafe
  }

  /// Whether nothing was typed.
  var isEmpty: Bool { raw.unicodeScalars.isEmpty }
}

extension Unicode.Scalar {
  /// Each code point in lower case by itself, whatever stands around it.
  var lowercased: String.UnicodeScalarView { properties.lowercaseMapping.unicodeScalars }

  /// Whether it shows something by itself: no white space, no control or format character, no mark,
  /// which shows on another alone, nothing that is ignored by default, and no blank.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .spacingMark, .enclosingMark:
      false
    default: !properties.isDefaultIgnorableCodePoint && !Self.blanks.contains(self)
    }
  }

  /// Symbols and letters with an empty picture, which no property of Unicode tells: a braille
  /// pattern, a note's head, and two hieroglyphs.
  private static let blanks: [Unicode.Scalar] = [
    "\u{2800}", "\u{1D159}", "\u{13441}", "\u{13442}",
  ]

  /// `\p{P}` or `\p{S}`.
  var isSymbol: Bool {
    switch properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation,
      .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      true
    default: false
    }
  }

  /// `\p{Lu}` or `\p{Lt}`.
  var isUpperCase: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .titlecaseLetter: true
    default: false
    }
  }

  /// `\p{Nd}`.
  var isDigit: Bool { properties.generalCategory == .decimalNumber }

  /// `\p{L}`.
  var isLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  /// `\p{L}`, `\p{M}` or `\p{N}`: what words are made of.
  var isWordCharacter: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: isLetter
    }
  }
}

import JSON

/// A typed text and its normalised form. Rules count and compare code points after normalisation (NFKC),
/// never bytes or grapheme clusters, so that all evaluators agree (NIST SP 800-63B-4).
package struct TypedText: Sendable {
  /// As typed.
  let raw: String
  /// The code points after NFKC; none when it is overlong.
  let codePoints: [Unicode.Scalar]
  /// Whether it is beyond a limit: rules then treat it as longer than any maximum.
  let isOverlong: Bool

  /// The most bytes of UTF-8 that are read; 256 code points in any decomposition fit.
  package static let mostBytes = 16_384
  /// The most code points after NFKC: the greatest length in a rule. One character may become eighteen.
  static let mostCodePoints = Check.lengths.upperBound

  /// A text as it was typed, normalised to NFKC for the rules.
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

  /// Whether nothing was typed. An overlong text is not empty, although `codePoints` is.
  var isEmpty: Bool { raw.unicodeScalars.isEmpty }
}

extension Unicode.Scalar {
  /// Each code point in lower case, without regard to its neighbours.
  var lowercased: String.UnicodeScalarView { properties.lowercaseMapping.unicodeScalars }

  /// Whether it is visible by itself: no white space, control or format character, combining mark,
  /// default-ignorable character or blank.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .spacingMark, .enclosingMark:
      false
    default: !properties.isDefaultIgnorableCodePoint && !Self.blanks.contains(self)
    }
  }

  /// Symbols and letters with an empty glyph, for which Unicode has no property: a braille pattern, a
  /// note head, and two hieroglyphs.
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

  /// `\p{L}`, `\p{M}` or `\p{N}`: the characters of words.
  var isWordCharacter: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: isLetter
    }
  }
}

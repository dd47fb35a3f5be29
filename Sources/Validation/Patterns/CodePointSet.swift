/// The code points that may stand at one place of a pattern.
struct CodePointSet: Sendable {
  private enum Part: Sendable {
    case range(ClosedRange<Unicode.Scalar>)
    case categories([Unicode.GeneralCategory])
    case inverted(CodePointSet)
  }

  private var parts: [Part]
  /// The one code point, where there is only one.
  let only: Unicode.Scalar?

  private init(parts: [Part], only: Unicode.Scalar? = nil) {
    self.parts = parts
    self.only = only
  }

  init(_ points: [Unicode.Scalar]) {
    self.init(parts: points.map { .range($0...$0) }, only: points.count == 1 ? points[0] : nil)
  }

  init(range: ClosedRange<Unicode.Scalar>) { self.init(parts: [.range(range)]) }
  init(categories: [Unicode.GeneralCategory]) { self.init(parts: [.categories(categories)]) }
  init(union sets: [CodePointSet]) { self.init(parts: sets.flatMap(\.parts)) }

  var inverted: CodePointSet { CodePointSet(parts: [.inverted(self)]) }

  func contains(_ point: Unicode.Scalar) -> Bool {
    parts.contains { part in
      switch part {
      case .range(let range): range.contains(point)
      case .categories(let categories): categories.contains(point.properties.generalCategory)
      case .inverted(let set): !set.contains(point)
      }
    }
  }

  /// Each code point.
  static let any = CodePointSet([]).inverted
  /// `.`: everything except the line terminators of ECMAScript.
  static let anyButLineEnds = CodePointSet(["\n", "\r", "\u{2028}", "\u{2029}"]).inverted
  /// `\d`: ASCII, as in ECMAScript.
  static let digits = CodePointSet(range: "0"..."9")
  /// `\w`: ASCII, as in ECMAScript.
  static let wordCharacters = CodePointSet(
    union: [
      CodePointSet(range: "a"..."z"), CodePointSet(range: "A"..."Z"), digits, CodePointSet(["_"]),
    ])

  /// `\s`: white space and line terminators of ECMAScript.
  static let spaces = CodePointSet(
    union: [
      CodePointSet(range: "\t"..."\r"), CodePointSet(categories: [.spaceSeparator]),
      CodePointSet(["\u{2028}", "\u{2029}", "\u{FEFF}"]),
    ])

  /// General categories by their short names; one letter stands for all that begin with it.
  static let categories: [String: [Unicode.GeneralCategory]] = {
    let each: [String: Unicode.GeneralCategory] = [
      "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter,
      "Lm": .modifierLetter, "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark,
      "Me": .enclosingMark, "Nd": .decimalNumber, "Nl": .letterNumber, "No": .otherNumber,
      "Pc": .connectorPunctuation, "Pd": .dashPunctuation, "Ps": .openPunctuation,
      "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
      "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol,
      "So": .otherSymbol, "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator,
    ]
    var all = each.mapValues { [$0] }
    for (name, category) in each { all[String(name.prefix(1)), default: []].append(category) }
    return all
  }()
}

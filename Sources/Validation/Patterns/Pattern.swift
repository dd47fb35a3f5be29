/// A regular expression that a whole text must match, in time proportional to its length.
///
/// The language is a part of ECMAScript's with the flag `u`, so that a page understands the same:
/// literals, `.`, `[…]`, `[^…]`, `(…)`, `(?:…)`, `|`, `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`, `\d`,
/// `\w`, `\s`, `\D`, `\W`, `\S`, `\n`, `\r`, `\t`, `\p{…}` and `\P{…}` with a general category, and `\` before
/// a character that has a meaning. It is anchored at both ends by itself; `^` and `$` are refused, and so is all
/// that would need backtracking.
public struct Pattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as written.
  public let source: String
  private let node: PatternNode
  /// Whether the pattern may stand anywhere in a text.
  private let isSearched: Bool

  /// Most code points of a pattern.
  static let longest = 500
  /// Most steps of its program, once counted repetitions are written out.
  static let mostSteps = 1_000

  /// Reads a pattern.
  public init(_ source: String) throws(PatternError) {
    try self.init(source, isSearched: false)
  }

  /// Reads the keyword `pattern` of a JSON Schema, with the same limits. It is found anywhere in a text, unless `^`
  /// and `$` at the ends of the pattern, or of one of its alternatives, tie it to the ends of the text.
  package init(schema source: String) throws(PatternError) {
    try self.init(source, isSearched: true)
  }

  private init(_ source: String, isSearched: Bool) throws(PatternError) {
    guard source.unicodeScalars.count <= Self.longest else { throw .tooLong }
    var parser = PatternParser(source, isSearched: isSearched)
    node = try parser.pattern()
    guard node.steps(atMost: Self.mostSteps) != nil else { throw .tooManySteps }
    self.source = source
    self.isSearched = isSearched
  }

  public var description: String { source }

  public static func == (a: Pattern, b: Pattern) -> Bool {
    a.isSearched == b.isSearched
      && a.source.unicodeScalars.elementsEqual(b.source.unicodeScalars)
  }

  public func hash(into hasher: inout Hasher) {
    for point in source.unicodeScalars { hasher.combine(point) }
  }

  /// Whether `text` matches the pattern.
  package func matches(_ text: some Sequence<Unicode.Scalar>) -> Bool {
    var machine = PatternMachine(PatternProgram.instructions(for: node))
    for point in text {
      machine.step(point)
      if machine.isStuck { return false }
    }
    return machine.isFinished
  }
}

/// Why a pattern cannot be used.
public struct PatternError: Error, Hashable, Sendable {
  /// The mistake, as a sentence.
  public let message: String
  /// The next action, as a sentence.
  public let hint: String

  static let tooLong = PatternError(
    message: "The pattern is longer than \(Pattern.longest) characters.",
    hint: "Say it shorter, or as several rules.")
  static let tooManySteps = PatternError(
    message: "The pattern repeats too much: it has more than \(Pattern.mostSteps) steps.",
    hint: "Use smaller counts; minLength and maxLength count without steps.")
  static let tooDeep = PatternError(
    message: "The pattern has more than \(PatternParser.deepest) groups in one another.",
    hint: "Use fewer groups.")

  static func unexpected(_ what: String, _ hint: String) -> PatternError {
    PatternError(message: "The pattern has \(what).", hint: hint)
  }
}

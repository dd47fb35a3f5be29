/// The syntax tree of a pattern.
indirect enum PatternNode: Sendable {
  case one(CodePointSet)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repetition(PatternNode, fewest: Int, most: Int?)

  /// Any text.
  static let anything = PatternNode.repetition(.one(.any), fewest: 0, most: nil)

  /// The number of steps of the program, counted without writing it out; `nil` for more than `limit`. An empty part
  /// counts as one step, so that repetitions of it are limited too.
  func steps(atMost limit: Int) -> Int? {
    let count: Int
    switch self {
    case .one: count = 1
    case .sequence(let nodes):
      guard let sum = Self.steps(of: nodes, atMost: limit) else { return nil }
      count = max(sum, 1)
    case .choice(let branches):
      guard let sum = Self.steps(of: branches, atMost: limit) else { return nil }
      count = sum + 2 * (branches.count - 1)
    case .repetition(let node, let fewest, let most):
      guard let once = node.steps(atMost: limit) else { return nil }
      // Counts have at most four digits.
      count = fewest * once + (most.map { ($0 - fewest) * (once + 1) } ?? once + 2)
    }
    return count <= limit ? count : nil
  }

  private static func steps(of nodes: [PatternNode], atMost limit: Int) -> Int? {
    var sum = 0
    for node in nodes {
      guard let count = node.steps(atMost: limit) else { return nil }
      sum += count
      guard sum <= limit else { return nil }
    }
    return sum
  }
}

/// Reads the text of a pattern.
struct PatternParser {
  static let deepest = 20
  private let points: [Unicode.Scalar]
  private var next = 0
  private var depth = 0
  /// Whether the pattern may match anywhere in a text; then it may begin with `^` and end with `$`.
  private let isSearched: Bool

  init(_ source: String, isSearched: Bool) {
    points = Array(source.unicodeScalars)
    self.isSearched = isSearched
  }

  mutating func pattern() throws(PatternError) -> PatternNode {
    let node = try choice()
    guard peek == nil else {
      throw .unexpected("a ) that closes nothing", "Remove it, or write \\) for the character.")
    }
    return node
  }

  private var peek: Unicode.Scalar? { next < points.count ? points[next] : nil }

  private mutating func consume() -> Unicode.Scalar? {
    guard let point = peek else { return nil }
    next += 1
    return point
  }

  private mutating func consume(_ wanted: Unicode.Scalar) -> Bool {
    guard peek == wanted else { return false }
    next += 1
    return true
  }

  // MARK: Structure

  private mutating func choice() throws(PatternError) -> PatternNode {
    var branches = [try alternative()]
    while consume("|") { branches.append(try alternative()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func alternative() throws(PatternError) -> PatternNode {
    guard isSearched, depth == 0 else { return try sequence() }
    let isAtStart = consume("^")
    let node = try sequence()
    let isAtEnd = consume("$")
    guard peek == nil || peek == "|" || peek == ")" else { throw misplacedAnchor }
    return .sequence((isAtStart ? [] : [.anything]) + [node] + (isAtEnd ? [] : [.anything]))
  }

  private mutating func sequence() throws(PatternError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let point = peek, point != "|", point != ")" {
      if point == "$", isSearched, depth == 0 { break }
      nodes.append(try quantified())
    }
    return .sequence(nodes)
  }

  private mutating func quantified() throws(PatternError) -> PatternNode {
    let node = try atom()
    guard let quantifier = try quantifier() else { return node }
    if let point = peek, "*+?{".unicodeScalars.contains(point) {
      throw .unexpected(
        "two repetitions in a row",
        "Remove one; lazy and possessive repetitions (*?, *+) are not supported.")
    }
    return .repetition(node, fewest: quantifier.fewest, most: quantifier.most)
  }

  private mutating func quantifier() throws(PatternError) -> (fewest: Int, most: Int?)? {
    if consume("*") { return (0, nil) }
    if consume("+") { return (1, nil) }
    if consume("?") { return (0, 1) }
    guard consume("{") else { return nil }
    let wrong = PatternError.unexpected(
      "a repetition that cannot be read", "Write {3}, {3,} or {3,5}; the character is \\{.")
    guard let fewest = number() else { throw wrong }
    var most: Int? = fewest
    if consume(",") { most = number() }
    guard consume("}"), most ?? .max >= fewest else { throw wrong }
    return (fewest, most)
  }

  /// A count of at most four digits.
  private mutating func number() -> Int? {
    var digits = ""
    while let point = peek, ("0"..."9").contains(point), digits.utf8.count < 4 {
      digits.unicodeScalars.append(point)
      next += 1
    }
    return Int(digits)
  }

  // MARK: Atoms

  private mutating func atom() throws(PatternError) -> PatternNode {
    switch consume() {
    case "(": return try group()
    case "[": return .one(try characterClass())
    case ".": return .one(.anyButLineEnds)
    case "\\": return .one(try escape(inClass: false))
    case "^", "$": throw misplacedAnchor
    case let point? where !"*+?{}]".unicodeScalars.contains(point): return .one(.init([point]))
    case let point?:
      throw .unexpected("a \(point) where none can stand", "Write \\\(point) for the character.")
    case nil: return .sequence([])
    }
  }

  private var misplacedAnchor: PatternError {
    .unexpected(
      "an anchor",
      isSearched
        ? "Write ^ only at the beginning and $ only at the end; the character is \\^ or \\$."
        : "Leave ^ and $ out: the whole text must match; the character is \\^ or \\$.")
  }

  private mutating func group() throws(PatternError) -> PatternNode {
    guard depth < Self.deepest else { throw .tooDeep }
    depth += 1
    if consume("?"), !consume(":") {
      throw .unexpected("a group that looks around or has a name", "Write (…) or (?:…).")
    }
    let node = try choice()
    guard consume(")") else {
      throw .unexpected("a ( that is not closed", "Close it, or write \\( for the character.")
    }
    depth -= 1
    return node
  }

  private mutating func escape(inClass: Bool) throws(PatternError) -> CodePointSet {
    switch consume() {
    case "d": return .digits
    case "D": return .digits.inverted
    case "w": return .wordCharacters
    case "W": return .wordCharacters.inverted
    case "s": return .spaces
    case "S": return .spaces.inverted
    case "n": return .init(["\n"])
    case "r": return .init(["\r"])
    case "t": return .init(["\t"])
    case "p": return try category()
    case "P": return try category().inverted
    case let point? where "^$\\.*+?()[]{}|/".unicodeScalars.contains(point): return .init([point])
    case "-" where inClass: return .init(["-"])
    default:
      throw .unexpected(
        "an unknown \\",
        "Known are \\d, \\w, \\s, \\D, \\W, \\S, \\n, \\r, \\t, \\p{L} and \\ before a character that has a meaning; "
          + "write \\\\ for \\."
      )
    }
  }

  private mutating func category() throws(PatternError) -> CodePointSet {
    var name = ""
    var isClosed = false
    if consume("{") {
      while !isClosed, name.utf8.count < 4, let point = consume() {
        if point == "}" { isClosed = true } else { name.unicodeScalars.append(point) }
      }
    }
    guard isClosed, let categories = CodePointSet.categories[name] else {
      throw .unexpected(
        "an unknown category", "Write a general category of Unicode, such as \\p{L} or \\p{Nd}.")
    }
    return CodePointSet(categories: categories)
  }

  // MARK: Classes

  private mutating func characterClass() throws(PatternError) -> CodePointSet {
    var parts: [CodePointSet] = []
    let isInverted = consume("^")
    while !consume("]") {
      let low = try classMember()
      guard peek == "-", next + 1 < points.count, points[next + 1] != "]" else {
        parts.append(low)
        continue
      }
      next += 1
      guard let first = low.only, let last = try classMember().only, first <= last else {
        throw .unexpected("a range that cannot be", "Write it from low to high, such as a-z.")
      }
      parts.append(CodePointSet(range: first...last))
    }
    guard !parts.isEmpty else {
      throw .unexpected("an empty [ ]", "Write what may stand there, or \\[ for the character.")
    }
    let union = CodePointSet(union: parts)
    return isInverted ? union.inverted : union
  }

  private mutating func classMember() throws(PatternError) -> CodePointSet {
    switch consume() {
    case "\\": return try escape(inClass: true)
    case "[", nil:
      throw .unexpected("a [ that is not closed", "Close it, or write \\[ for the character.")
    case let point?: return .init([point])
    }
  }
}

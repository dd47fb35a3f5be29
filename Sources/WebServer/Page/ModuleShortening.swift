/// A module of the page without its comments, needless spaces and line breaks.
///
/// Statements outside of all brackets keep lines of their own, so that an error names the right one.
struct ModuleShortening {
  private enum Kind {
    /// A name, keyword or number.
    case word
    case sign
    /// A text, template or regular expression.
    case literal
  }

  private struct Token {
    let kind: Kind
    let range: Range<Int>
    let hasSpaceBefore: Bool
    let hasLineBefore: Bool
    /// Whether it begins outside of all brackets.
    let isOutermost: Bool
  }

  private let code: [UInt8]
  private var tokens: [Token] = []

  /// The module `code` as it is served.
  static func shortened(_ code: [UInt8]) -> [UInt8] {
    var module = ModuleShortening(code: code)
    module.scan()
    return module.text()
  }

  private init(code: [UInt8]) { self.code = code }

  // MARK: Reading

  private mutating func scan() {
    var index = 0
    var depth = 0
    var hasSpace = false
    var hasLine = false
    while index < code.count {
      let byte = code[index]
      if byte == Self.newline || byte == Self.space {
        if byte == Self.newline { hasLine = true } else { hasSpace = true }
        index += 1
        continue
      }
      if let end = endOfComment(at: index) {
        hasSpace = true
        index = end
        continue
      }
      let (kind, end) = token(at: index)
      let isClosing = kind == .sign && Self.closing.contains(byte)
      if isClosing { depth -= 1 }
      tokens.append(
        Token(
          kind: kind, range: index..<end, hasSpaceBefore: hasSpace || hasLine,
          hasLineBefore: hasLine, isOutermost: depth == 0 && !isClosing))
      if kind == .sign, Self.opening.contains(byte) { depth += 1 }
      hasSpace = false
      hasLine = false
      index = end
    }
  }

  private func endOfComment(at index: Int) -> Int? {
    guard code[index] == Self.slash, index + 1 < code.count else { return nil }
    if code[index + 1] == Self.slash {
      return code[index...].firstIndex(of: Self.newline) ?? code.count
    }
    guard code[index + 1] == Self.star else { return nil }
    var end = index + 2
    while end + 1 < code.count, code[end] != Self.star || code[end + 1] != Self.slash { end += 1 }
    return min(code.count, end + 2)
  }

  private func token(at index: Int) -> (Kind, end: Int) {
    let byte = code[index]
    if Self.isWord(byte) {
      return (.word, code[index...].firstIndex { !Self.isWord($0) } ?? code.count)
    }
    if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
      return (.literal, endOfText(at: index))
    }
    if byte == Self.tick { return (.literal, endOfTemplate(at: index)) }
    if byte == Self.slash, beginsExpression() { return (.literal, endOfExpression(at: index)) }
    return (.sign, index + 1)
  }

  /// Whether a slash after the last token begins a regular expression; else it divides.
  private func beginsExpression() -> Bool {
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .literal: return false
    case .word: return ["return", "typeof", "case", "of", "in", "await"].contains(string(last))
    case .sign: return !Self.closing.contains(code[last.range.lowerBound])
    }
  }

  private func endOfText(at index: Int) -> Int {
    var end = index + 1
    while end < code.count, code[end] != code[index] { end += code[end] == Self.escape ? 2 : 1 }
    return min(code.count, end + 1)
  }

  private func endOfExpression(at index: Int) -> Int {
    var end = index + 1
    var isInClass = false
    while end < code.count, isInClass || code[end] != Self.slash {
      if code[end] == UInt8(ascii: "[") { isInClass = true }
      if code[end] == UInt8(ascii: "]") { isInClass = false }
      end += code[end] == Self.escape ? 2 : 1
    }
    return min(code.count, end + 1)
  }

  private func endOfTemplate(at index: Int) -> Int {
    var end = index + 1
    while end < code.count, code[end] != Self.tick {
      if code[end] == UInt8(ascii: "$"), end + 1 < code.count, code[end + 1] == Self.brace {
        end = endOfValue(at: end + 1)
      } else {
        end += code[end] == Self.escape ? 2 : 1
      }
    }
    return min(code.count, end + 1)
  }

  /// The end of a value in a template, which begins with its brace.
  private func endOfValue(at index: Int) -> Int {
    var end = index + 1
    var depth = 1
    while end < code.count, depth > 0 {
      switch code[end] {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): end = endOfText(at: end)
      case Self.tick: end = endOfTemplate(at: end)
      case Self.brace:
        depth += 1
        end += 1
      case UInt8(ascii: "}"):
        depth -= 1
        end += 1
      default: end += 1
      }
    }
    return end
  }

  // MARK: Writing

  private func text() -> [UInt8] {
    var short: [UInt8] = []
    short.reserveCapacity(code.count)
    var last: Kind?
    var hasSpace = false
    var hasLine = false
    /// The closing bracket of a parameter that stands alone.
    var needless = -1
    for (index, token) in tokens.enumerated() {
      hasSpace = hasSpace || token.hasSpaceBefore
      hasLine = hasLine || token.hasLineBefore
      if isLoneParameter(index) { needless = index + 2 }
      guard needless != index + 2, needless != index, !isNeedlessEnd(index) else { continue }
      let written = shorter(index) ?? code[token.range]
      let kind = written.first == UInt8(ascii: "!") ? .sign : token.kind
      if let previous = short.last, let next = written.first {
        if hasLine, token.isOutermost || !Self.joins(previous, last, next, kind) {
          short.append(Self.newline)
        } else if last == .word && kind == .word || hasSpace && Self.clashes(previous, next) {
          short.append(Self.space)
        }
      }
      short += written
      last = kind
      hasSpace = false
      hasLine = false
    }
    return short
  }

  /// Whether the brackets of `(name) =>` begin here.
  private func isLoneParameter(_ index: Int) -> Bool {
    isSign("(", index) && index + 4 < tokens.count && tokens[index + 1].kind == .word
      && isSign(")", index + 2) && isSign("=", index + 3) && isSign(">", index + 4)
  }

  /// Whether this is a semicolon before a closing brace, or at the end of a line after which a word begins the
  /// next statement.
  private func isNeedlessEnd(_ index: Int) -> Bool {
    guard isSign(";", index), index + 1 < tokens.count else { return false }
    let next = tokens[index + 1]
    return isSign("}", index + 1) || next.hasLineBefore && next.isOutermost && next.kind == .word
  }

  /// A shorter word of the same meaning.
  private func shorter(_ index: Int) -> ArraySlice<UInt8>? {
    guard tokens[index].kind == .word, !isSign(".", index - 1), !isSign(":", index + 1) else {
      return nil
    }
    switch string(tokens[index]) {
    case "const": return ArraySlice("let".utf8)
    case "true": return ArraySlice("!0".utf8)
    case "false": return ArraySlice("!1".utf8)
    case "undefined": return ArraySlice("void 0".utf8)
    default: return nil
    }
  }

  private func isSign(_ sign: Character, _ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .sign
      && code[tokens[index].range.lowerBound] == sign.asciiValue
  }

  private func string(_ token: Token) -> String {
    String(decoding: code[token.range], as: UTF8.self)
  }

  /// Whether a line break between two tokens may go, as neither can begin or end a statement there.
  private static func joins(
    _ previous: UInt8, _ last: Kind?, _ next: UInt8, _ kind: Kind
  ) -> Bool {
    last == .sign && continuing.contains(previous) || kind == .sign && continued.contains(next)
  }

  /// Whether two signs would become another one without the space between them: `a + +b`, `1 .x`.
  private static func clashes(_ previous: UInt8, _ next: UInt8) -> Bool {
    let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
    return signs.contains(previous) && signs.contains(next) || previous == slash && next == slash
      || isWord(previous) && next == UInt8(ascii: ".")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")
  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let escape = UInt8(ascii: "\\")
  private static let tick = UInt8(ascii: "`")
  private static let brace = UInt8(ascii: "{")
  private static let opening = Array("([{".utf8)
  private static let closing = Array(")]}".utf8)
  private static let continuing = Array("([{,;:?&|=<>*%^~!".utf8)
  private static let continued = Array(")]},;:?&|=<>*%^.".utf8)
}

/// A minifier of the page's JavaScript modules: removes comments, needless spaces and line breaks.
///
/// Statements outside of all brackets keep lines of their own, so that the line number of an error
/// finds the statement.
struct ModuleMinifier {
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
    /// Whether it closes the head of an `if`, `for` or `while`, after which a statement begins.
    let endsHead: Bool
  }

  /// The tokens of the module cannot be found without reading its statements.
  private struct UnknownCode: Error {}

  private let code: [UInt8]
  private var tokens: [Token] = []

  /// Returns the module `code` in its short form; `nil` if its tokens are not certain: where a slash
  /// after a brace or after `++` may divide or begin a regular expression, or where a text, template,
  /// comment or bracket has no end.
  static func minified(_ code: [UInt8]) -> [UInt8]? {
    var module = ModuleMinifier(code: code)
    guard (try? module.scan()) != nil else { return nil }
    return module.text()
  }

  private init(code: [UInt8]) { self.code = code }

  // MARK: Reading

  /// Reads the tokens from `start` on.
  ///
  /// - Parameter isValue: Whether to stop after the brace that closes a template's value `${…}`.
  /// - Returns: The index after the last token.
  private mutating func scan(
    from start: Int = 0, isValue: Bool = false
  ) throws(UnknownCode) -> Int {
    var index = start
    var brackets: [(opening: UInt8, beginsHead: Bool)] = []
    var hasSpace = false
    var hasLine = false
    while index < code.count {
      let byte = code[index]
      if byte == Self.newline || byte == Self.space {
        if byte == Self.newline { hasLine = true } else { hasSpace = true }
        index += 1
        continue
      }
      if let end = try endOfComment(at: index) {
        hasSpace = true
        if code[index..<end].contains(Self.newline) { hasLine = true }
        index = end
        continue
      }
      if isValue, brackets.isEmpty, byte == UInt8(ascii: "}") { return index + 1 }
      let (kind, end) = try token(at: index)
      var endsHead = false
      let closed = kind == .sign ? Self.closing.firstIndex(of: byte) : nil
      if let closed {
        guard let last = brackets.popLast(), last.opening == Self.opening[closed] else {
          throw UnknownCode()
        }
        endsHead = last.beginsHead
      }
      tokens.append(
        Token(
          kind: kind, range: index..<end, hasSpaceBefore: hasSpace || hasLine,
          hasLineBefore: hasLine, isOutermost: brackets.isEmpty && closed == nil,
          endsHead: endsHead))
      if kind == .sign, Self.opening.contains(byte) {
        let beginsHead = byte == UInt8(ascii: "(") && followsHeadWord(tokens.count - 1)
        brackets.append((opening: byte, beginsHead: beginsHead))
      }
      hasSpace = false
      hasLine = false
      index = end
    }
    guard brackets.isEmpty, !isValue else { throw UnknownCode() }
    return index
  }

  /// Whether the token at `index` follows `if`, `for`, `for await` or `while`.
  private func followsHeadWord(_ index: Int) -> Bool {
    let word = isOne(of: ["await"], index - 1) ? index - 2 : index - 1
    return isOne(of: ["if", "for", "while"], word) && !isSign(".", word - 1)
  }

  private func endOfComment(at index: Int) throws(UnknownCode) -> Int? {
    guard code[index] == Self.slash, index + 1 < code.count else { return nil }
    if code[index + 1] == Self.slash {
      return code[index...].firstIndex(of: Self.newline) ?? code.count
    }
    guard code[index + 1] == Self.star else { return nil }
    var end = index + 2
    while end + 1 < code.count {
      if code[end] == Self.star, code[end + 1] == Self.slash { return end + 2 }
      end += 1
    }
    throw UnknownCode()
  }

  private func token(at index: Int) throws(UnknownCode) -> (Kind, end: Int) {
    let byte = code[index]
    if Self.isWord(byte) {
      return (.word, code[index...].firstIndex { !Self.isWord($0) } ?? code.count)
    }
    if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
      return (.literal, try endOfText(at: index))
    }
    if byte == Self.tick { return (.literal, try endOfTemplate(at: index)) }
    if byte == Self.slash, try beginsExpression() {
      return (.literal, try endOfExpression(at: index))
    }
    return (.sign, index + 1)
  }

  /// Whether a slash after the last token begins a regular expression; else it divides.
  private func beginsExpression() throws(UnknownCode) -> Bool {
    guard let token = tokens.last else { return true }
    let last = tokens.count - 1
    switch token.kind {
    case .literal: return false
    case .word:
      return isOne(of: Self.wordsBeforeExpression, last) && !isSign(".", last - 1)
    case .sign:
      if isSign(")", last) { return token.endsHead }
      if isSign("]", last) { return false }
      // A block or an object; an increment or a second sign.
      let isUnclear =
        isSign("}", last) || isSign("+", last) && isSign("+", last - 1)
        || isSign("-", last) && isSign("-", last - 1)
      guard !isUnclear else { throw UnknownCode() }
      return true
    }
  }

  private func endOfText(at index: Int) throws(UnknownCode) -> Int {
    var end = index + 1
    while end < code.count, code[end] != Self.newline {
      if code[end] == code[index] { return end + 1 }
      end += code[end] == Self.escape ? 2 : 1
    }
    throw UnknownCode()
  }

  private func endOfExpression(at index: Int) throws(UnknownCode) -> Int {
    var end = index + 1
    var isInClass = false
    while end < code.count, code[end] != Self.newline {
      if code[end] == Self.slash, !isInClass { return end + 1 }
      if code[end] == UInt8(ascii: "[") { isInClass = true }
      if code[end] == UInt8(ascii: "]") { isInClass = false }
      end += code[end] == Self.escape ? 2 : 1
    }
    throw UnknownCode()
  }

  private func endOfTemplate(at index: Int) throws(UnknownCode) -> Int {
    var end = index + 1
    while end < code.count, code[end] != Self.tick {
      if code[end] == UInt8(ascii: "$"), end + 1 < code.count, code[end + 1] == Self.brace {
        var value = ModuleMinifier(code: code)
        end = try value.scan(from: end + 2, isValue: true)
      } else {
        end += code[end] == Self.escape ? 2 : 1
      }
    }
    guard end < code.count else { throw UnknownCode() }
    return end + 1
  }

  // MARK: Writing

  private func text() -> [UInt8] {
    var short: [UInt8] = []
    short.reserveCapacity(code.count)
    var last: Kind?
    var hasSpace = false
    var hasLine = false
    // The token index of the closing bracket of the last `(name) =>`, whose brackets are left out.
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

  /// Whether this is a semicolon before a closing brace, or at the end of a line after which a word
  /// begins the next statement. An empty statement, as in `while (x);`, needs its semicolon.
  private func isNeedlessEnd(_ index: Int) -> Bool {
    guard isSign(";", index), index > 0, index + 1 < tokens.count,
      !tokens[index - 1].endsHead, !isOne(of: ["else", "do"], index - 1)
    else { return false }
    let next = tokens[index + 1]
    return isSign("}", index + 1) || next.hasLineBefore && next.isOutermost && next.kind == .word
  }

  /// A shorter spelling of the same meaning; `nil` if there is none.
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

  private func isOne(of words: [String], _ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .word
      && words.contains(string(tokens[index]))
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
  /// The words after which a slash begins a regular expression.
  private static let wordsBeforeExpression = [
    "await", "case", "default", "delete", "do", "else", "in", "instanceof", "new", "of", "return",
    "throw", "typeof", "void", "yield",
  ]
  private static let opening = Array("([{".utf8)
  private static let closing = Array(")]}".utf8)
  private static let continuing = Array("([{,;:?&|=<>*%^~!".utf8)
  private static let continued = Array(")]},;:?&|=<>*%^.".utf8)
}

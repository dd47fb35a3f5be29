/// Finds the id of the request that a line answers, in a line that cannot be read as a message: it is too long, nests
/// too deep, or is damaged behind the id.
///
/// It looks at the members of the outermost object only, takes the bytes in any portions and keeps a few of them.
package struct MessageIDScanner {
  /// The longest key that matters.
  private static let longestKey = "method".utf8.count
  /// The digits of an id, with its sign.
  private static let longestNumber = 20

  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether the next string in the outermost object is a key.
  private var expectsKey = false
  /// The bytes of the newest key, or of a longer key's beginning.
  private var key: [UInt8] = []
  /// The number that is being read as the id.
  private var number: [UInt8]?
  private var id: Int?
  private var isRequest = false
  /// Whether the outermost object has ended, or the line is none.
  private var isOver = false

  package init() {}

  /// What the line says of itself.
  package var finding: UnreadableLine {
    if isRequest { return .noAnswer }
    return id.map(UnreadableLine.answer) ?? .unknown
  }

  /// Returns what a whole line says of itself.
  package static func finding(in line: some Collection<UInt8>) -> UnreadableLine {
    var scanner = Self()
    scanner.append(line)
    return scanner.finding
  }

  /// Reads the next bytes of the line.
  package mutating func append(_ bytes: some Collection<UInt8>) {
    for byte in bytes {
      if isOver { return }
      if isInString { readInString(byte) } else { read(byte) }
    }
  }

  private mutating func readInString(_ byte: UInt8) {
    let isKey = depth == 1 && expectsKey
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      return
    }
    if isKey, key.count <= Self.longestKey { key.append(byte) }
  }

  private mutating func read(_ byte: UInt8) {
    // A line may begin with a text that was printed without a line break.
    if depth == 0, byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[") { return }
    switch byte {
    case UInt8(ascii: "\""):
      number = nil
      isInString = true
      if depth == 1, expectsKey { key = [] }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      number = nil
      depth += 1
      if depth == 1 { byte == UInt8(ascii: "{") ? (expectsKey = true) : (isOver = true) }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      endMember()
      depth -= 1
      if depth <= 0 { isOver = true }
    case UInt8(ascii: ",") where depth == 1:
      endMember()
      expectsKey = true
    case UInt8(ascii: ":") where depth == 1: beginValue()
    case 0x20, 0x09, 0x0D: break
    default: readOther(byte)
    }
  }

  private mutating func beginValue() {
    expectsKey = false
    if key.elementsEqual("id".utf8) { number = [] }
    if key.elementsEqual("method".utf8) { isRequest = true }
  }

  private mutating func readOther(_ byte: UInt8) {
    guard depth == 1, let digits = number else { return }
    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    let isSign = byte == UInt8(ascii: "-") && digits.isEmpty
    if isDigit || isSign, digits.count < Self.longestNumber {
      number?.append(byte)
    } else {
      number = nil
    }
  }

  private mutating func endMember() {
    guard depth == 1, let digits = number else { return }
    id = id ?? Int(String(decoding: digits, as: UTF8.self))
    number = nil
  }
}

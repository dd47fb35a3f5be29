/// A pressed key.
enum Key: Sendable, Hashable {
  /// A printable character, or a combining part of one.
  case text(String)
  case enter
  /// Tab, or the arrow down.
  case next
  /// Escape, Shift-Tab, or the arrow up.
  case back
  case erase
  case eraseWord
  case eraseAll
  /// Ctrl-T: shows or hides secret fields.
  case reveal
  /// Ctrl-R.
  case resend
  /// The arrow right, or left: another option of a choice.
  case nextOption, previousOption
  /// Ctrl-N: from the login screen to registration.
  case register
  /// Ctrl-P: from the login screen to a new password.
  case newPassword
  /// Ctrl-O: from the login screen to a login by one-time code.
  case oneTimeCode
  /// Ctrl-D.
  case end
  /// Bytes that are not UTF-8.
  case invalidUTF8
}

/// A decoder for the bytes that a terminal sends (ECMA-48 and xterm).
struct KeyDecoder: Sendable {
  /// The first bytes of an incomplete character.
  private var open: [UInt8] = []

  /// Decodes the bytes of one `read`. An escape sequence must be complete in it.
  mutating func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == 0x1B {
        keys += Self.escape(&rest).map { [$0] } ?? []
      } else if byte < 0x20 || byte == 0x7F {
        keys += Self.control(byte).map { [$0] } ?? []
      } else if let key = character(byte, &rest) {
        keys.append(key)
      }
    }
    return keys
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x09: .next
    case 0x7F, 0x08: .erase
    case 0x15: .eraseAll
    case 0x17: .eraseWord
    case 0x14: .reveal
    case 0x12: .resend
    case 0x0E: .register
    case 0x10: .newPassword
    case 0x0F: .oneTimeCode
    case 0x04: .end
    default: nil
    }
  }

  /// Decodes what follows an escape: nothing, or a sequence with parameters and a final byte.
  private static func escape(_ rest: inout ArraySlice<UInt8>) -> Key? {
    guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
      // Alt and a key arrive as an escape and the key; no such combination is used.
      return rest.popFirst() == nil ? .back : nil
    }
    rest.removeFirst()
    var hasParameters = false
    while let byte = rest.popFirst() {
      guard (0x40...0x7E).contains(byte) else {
        hasParameters = true
        continue
      }
      switch byte {
      case UInt8(ascii: "A"), UInt8(ascii: "Z"): return .back
      case UInt8(ascii: "B"): return .next
      // With parameters they mean a whole word.
      case UInt8(ascii: "C") where !hasParameters: return .nextOption
      case UInt8(ascii: "D") where !hasParameters: return .previousOption
      default: return nil
      }
    }
    return nil
  }

  private mutating func character(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Key? {
    if byte & 0xC0 != 0x80, !open.isEmpty {
      // The byte starts the next character.
      open = []
      rest = [byte] + rest
      return .invalidUTF8
    }
    open.append(byte)
    guard let first = open.first, let length = Self.length(first) else {
      open = []
      return .invalidUTF8
    }
    guard open.count == length else { return nil }
    defer { open = [] }
    guard let text = String(validating: open, as: UTF8.self) else { return .invalidUTF8 }
    return .text(text)
  }

  /// The length of a character with this first byte, in bytes (RFC 3629).
  private static func length(_ first: UInt8) -> Int? {
    switch first {
    case 0x20..<0x7F: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: nil
    }
  }
}

extension String {
  /// The text after a key press; `nil` for a key that does not edit text.
  func edited(by key: Key) -> String? {
    switch key {
    // Longer than any field; bounds a stuck key and a mistaken paste.
    case .text(let text): utf8.count < 16_384 ? self + text : self
    case .erase: String(dropLast())
    case .eraseWord:
      String(reversed().drop(while: \.isWhitespace).drop { !$0.isWhitespace }.reversed())
    case .eraseAll: ""
    default: nil
    }
  }
}

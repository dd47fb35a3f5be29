/// JSON in windows-1251, where a Cyrillic letter has one byte; it has two in UTF-8.
enum CyrillicEncoding {
  static let charset = "windows-1251"

  /// The bytes of a JSON text. A character that windows-1251 lacks becomes an escape: `\u00d7`.
  static func encoded(_ json: String) -> [UInt8] {
    json.utf16.flatMap { unit -> [UInt8] in
      switch unit {
      case 0..<0x80: [UInt8(unit)]
      case 0x410...0x44F: [UInt8(unit - 0x410 + 0xC0)]
      default: others[unit].map { [$0] } ?? Array("\\u\(padded(unit))".utf8)
      }
    }
  }

  private static func padded(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static let others: [UInt16: UInt8] = [
    0x401: 0xA8, 0x451: 0xB8, 0x404: 0xAA, 0x454: 0xBA, 0x406: 0xB2, 0x456: 0xB3, 0x407: 0xAF,
    0x457: 0xBF, 0x490: 0xA5, 0x491: 0xB4, 0xA0: 0xA0, 0xAB: 0xAB, 0xB7: 0xB7, 0xBB: 0xBB,
    0x2013: 0x96, 0x2014: 0x97, 0x2019: 0x92, 0x201C: 0x93, 0x201D: 0x94, 0x201E: 0x84,
    0x2026: 0x85,
  ]
}

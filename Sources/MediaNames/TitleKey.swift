import CUTF8Proc
import Glibc
import JSON

extension String {
  /// The words of a title in UTF-8, separated by one space, without the differences that people do not type: case,
  /// accents, apostrophes and other punctuation. "L’Été – Spider-Man" and "l'ete spider man" have the same key.
  ///
  /// A title that consists of punctuation alone, such as "???", is its own key.
  package var titleKey: [UInt8] {
    let folded = foldedText
    let key = TitleWords.key(of: folded)
    if !key.isEmpty { return key }
    return folded.utf8.split { $0 <= UInt8(ascii: " ") }.joined(separator: [UInt8(ascii: " ")])
      .map(\.self)
  }

  /// The text without case and accents: "Amélie" and "AMELIE" become the same.
  private var foldedText: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    // Normalising a long sequence of combining marks takes quadratic time.
    guard isStreamSafe else { return lowercased() }
    let options = utf8proc_option_t(
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_DECOMPOSE.rawValue
        | UTF8PROC_CASEFOLD.rawValue | UTF8PROC_STRIPMARK.rawValue)
    var bytes = Array(utf8)
    var result: UnsafeMutablePointer<UInt8>?
    let count = utf8proc_map(&bytes, bytes.count, &result, options)
    defer { free(result) }
    // Fails only without memory or for invalid UTF-8, and a String is valid UTF-8.
    guard let result, count >= 0 else { return lowercased() }
    return String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
  }
}

/// The splitting of folded titles into words.
enum TitleWords {
  /// Letters that Unicode does not decompose into a letter and a mark, although people type them without it.
  private static let plainLetters: [UInt32: String] = [
    0xE6: "ae", 0xF0: "d", 0xF8: "o", 0xFE: "th", 0x111: "d", 0x127: "h", 0x131: "i", 0x142: "l",
    0x14B: "n", 0x153: "oe", 0x167: "t",
  ]
  /// Apostrophes, accents that are typed as apostrophes, and invisible characters. They separate no words.
  private static let ignored: Set<UInt32> = [
    0x27, 0x60, 0xAD, 0xB4, 0x2B9, 0x2BB, 0x2BC, 0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2035,
    0xFF07, 0x200B, 0x200C, 0x200D, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF,
  ]

  static func key(of folded: String) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(folded.utf8.count)
    var isAtWord = false
    func isLetter(_ scalar: Unicode.Scalar) -> Bool {
      if scalar.value < 0x80 {
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "+"
          || scalar == "$"
      }
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark,
        .mathSymbol, .currencySymbol, .otherSymbol:
        return true
      default: return false
      }
    }
    func append(_ text: String.UTF8View) {
      if isAtWord, !key.isEmpty { key.append(UInt8(ascii: " ")) }
      isAtWord = false
      key.append(contentsOf: text)
    }
    for scalar in folded.unicodeScalars {
      if ignored.contains(scalar.value) { continue }
      if let plain = plainLetters[scalar.value] {
        append(plain.utf8)
      } else if scalar == "&" {
        isAtWord = true
        append("and".utf8)
        isAtWord = true
      } else if isLetter(scalar) {
        if isAtWord, !key.isEmpty { key.append(UInt8(ascii: " ")) }
        isAtWord = false
        key.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        isAtWord = true
      }
    }
    return key
  }
}

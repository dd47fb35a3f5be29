import Glibc

/// Russian and Ukrainian texts of taggers and stations that used an old 8-bit encoding, read as Latin-1
/// ("Êàòþøà").
///
/// A text is changed only if its words show that it is Cyrillic: a western word has unaccented letters among its
/// accented ones ("Björk", "Sigur Rós"), a Cyrillic word has none.
package enum CyrillicText {
  /// Returns the text that was read as Latin-1 or Windows-1252 although it was in Windows-1251, KOI8-R, KOI8-U, code
  /// page 866 or UTF-8; nil for every other text.
  package static func repaired(_ text: String) -> String? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) ?? windows1252[scalar.value] else { return nil }
      bytes.append(byte)
    }
    return decoded(bytes)
  }

  /// Returns the text of bytes in one of these encodings; nil if they do not look like it.
  package static func decoded(_ bytes: [UInt8]) -> String? {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    if let text = String(validating: bytes, as: UTF8.self), isPlausible(text) { return text }
    let readings = tables.compactMap { table -> (table: Table, score: Double)? in
      score(bytes, in: table).map { (table, $0 + table.advantage) }
    }
    return readings.max { $0.score < $1.score }.map { $0.table.text(of: bytes) }
  }

  // MARK: Encodings

  private struct Table: Sendable {
    /// The character of each byte.
    let scalars: [Unicode.Scalar]
    /// A score for how common the encoding is.
    let advantage: Double

    /// - Parameter upper: The characters of the bytes from 0x80 on.
    init(_ upper: String, advantage: Double) {
      scalars = (0..<0x80).map { Unicode.Scalar(UInt8($0)) } + Array(upper.unicodeScalars)
      self.advantage = advantage
    }

    func text(of bytes: some Sequence<UInt8>) -> String {
      String(String.UnicodeScalarView(bytes.map { scalars[Int($0)] }))
    }
  }

  /// Windows-1251, KOI8-U with the letters of KOI8-R, and code page 866.
  private static let tables = [
    Table(
      "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї"
        + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя",
      advantage: 1),
    Table(
      "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷═║╒ёє╔ії╗╘╙╚╛ґ╝╞╟╠╡ЁЄ╣ІЇ╦╧╨╩╪Ґ╬©"
        + "юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
      advantage: 0),
    Table(
      "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
        + "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{A0}",
      advantage: 0),
  ]

  /// The bytes of the characters of Windows-1252 that Latin-1 does not have.
  private static let windows1252: [UInt32: UInt8] = [
    0x20AC: 0x80, 0x201A: 0x82, 0x0192: 0x83, 0x201E: 0x84, 0x2026: 0x85, 0x2020: 0x86,
    0x2021: 0x87, 0x02C6: 0x88, 0x2030: 0x89, 0x0160: 0x8A, 0x2039: 0x8B, 0x0152: 0x8C,
    0x017D: 0x8E, 0x2018: 0x91, 0x2019: 0x92, 0x201C: 0x93, 0x201D: 0x94, 0x2022: 0x95,
    0x2013: 0x96, 0x2014: 0x97, 0x02DC: 0x98, 0x2122: 0x99, 0x0161: 0x9A, 0x203A: 0x9B,
    0x0153: 0x9C, 0x017E: 0x9E, 0x0178: 0x9F,
  ]

  /// Whether a text in UTF-8 was read as Latin-1, character by character: its letters are Cyrillic or western.
  private static func isPlausible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x80, 0xC0..<0x180, 0x400..<0x500, 0x2010..<0x203B: true
      default: marks.contains(scalar)
      }
    }
  }

  // MARK: Words

  /// Frequencies of the letters in Russian and Ukrainian texts, per thousand.
  private static let frequencies: [Unicode.Scalar: Double] = Dictionary(
    uniqueKeysWithValues: zip(
      "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґў".unicodeScalars,
      [
        110, 85, 80, 74, 67, 63, 55, 47, 45, 44, 35, 32, 30, 28, 26, 20, 19, 17, 17, 16, 16, 14, 12,
        10, 9, 7, 6, 5, 4, 3, 3, 0.4, 1, 30, 8, 5, 0.3, 0.3,
      ]))
  private static let vowels = Set("оеаиуяыюэёіїє".unicodeScalars)
  /// Marks that such texts have beside letters.
  private static let marks = Set("«»„“”‘’‚…–—•№©®™·°\u{A0}\u{AD}".unicodeScalars)
  /// Frequent words of two letters; all others may as well be western.
  private static let shortWords: Set<String> = [
    "ты", "мы", "вы", "он", "не", "да", "на", "по", "до", "за", "из", "от", "об", "то", "но", "ни",
    "же", "бы", "ли", "ну", "их", "её", "ее", "ей", "им", "ми", "ти", "ви", "це", "та", "чи", "як",
    "її", "їм", "ні", "ой", "эх", "ах", "ох", "во", "со", "ко", "яд", "ад", "юг",
  ]
  /// The accented letters of western languages, in Latin-1. A word of letters of one of them may be a word of it.
  private static let western: [Set<UInt8>] = [
    "ÄÖÜßäöü", "ÅÄÖÉåäöé", "ÆØÅÉæøåé", "ÁÐÉÍÓÚÝÞÆÖáðéíóúýþæö", "ÀÂÆÇÉÈÊËÎÏÔÙÛÜàâæçéèêëîïôùûüÿ",
    "ÁÉÍÓÚÑÜáéíóúñü", "ÁÂÃÀÇÉÊÍÓÔÕÚáâãàçéêíóôõú", "ÁÉÍÓÖÚÜáéíóöúü", "ÀÈÉÌÍÎÒÓÙÚàèéìíîòóùú",
    "ÄÖÕÜäöõü", "ÇÖÜÂÎÛçöüâîû", "ÁÉÍÓÚÝáéíóúý",
  ].map { Set($0.unicodeScalars.compactMap { UInt8(exactly: $0.value) }) }

  /// Returns how well a text reads as Russian or Ukrainian; nil if nothing shows that it is.
  private static func score(_ bytes: [UInt8], in table: Table) -> Double? {
    func isLetter(_ byte: UInt8) -> Bool { isCyrillic(table.scalars[Int(byte)]) }
    guard
      bytes.allSatisfy({ $0 < 0x80 || isLetter($0) || marks.contains(table.scalars[Int($0)]) })
    else { return nil }
    let words = bytes.split { !isLetter($0) && !isLatin($0) }.filter {
      $0.contains(where: isLetter)
    }
    // A western word; but a Russian text may have a word such as "CDшка" among many.
    let mixed = words.count { $0.contains(where: isLatin) }
    guard mixed == 0 || mixed * 4 < words.count else { return nil }
    let scores = words.map { score(word: $0, in: table) }
    guard scores.contains(where: \.isEvidence) else { return nil }
    return scores.reduce(0) { $0 + $1.points }
  }

  /// Returns how well a word reads, and whether it cannot be a western word.
  private static func score(
    word: ArraySlice<UInt8>, in table: Table
  ) -> (points: Double, isEvidence: Bool) {
    let written = word.map { table.scalars[Int($0)] }
    let letters = written.map(lowercase)
    var points = letters.reduce(0) { $0 + log2(frequencies[$1] ?? 0.1) }
    let isFrequent = points > 4.5 * Double(letters.count)
    // Another encoding swaps small and capital letters.
    if written.dropFirst().allSatisfy({ !$0.properties.isUppercase }) {
      points += 0.3 * Double(letters.count)
    }
    points -=
      8
      * Double(
        zip(letters, zip(written, written.dropFirst())).count { lower, pair in
          lower == pair.0 && pair.1.properties.isUppercase
        })
    if letters.count < 3 {
      return (points, shortWords.contains(String(String.UnicodeScalarView(letters))))
    }
    guard points > 0, Set(letters).count > 1, !["ъ", "ь"].contains(letters[0]) else {
      return (points, false)
    }
    guard mayBeWestern(word) else { return (points, true) }
    // A word of only accented letters, such as "äöü", hardly reads as a long and frequent Cyrillic word.
    let count = letters.count(where: vowels.contains)
    let isWord = letters.count > 3 && count > 0 && count < letters.count
    return (points, table.advantage > 0 && isWord && isFrequent)
  }

  /// Whether a word of only accented letters may be a western one.
  private static func mayBeWestern(_ word: ArraySlice<UInt8>) -> Bool {
    func isCapital(_ byte: UInt8) -> Bool { (0xC0..<0xDF).contains(byte) }
    let isWritten = !zip(word, word.dropFirst()).contains { !isCapital($0) && isCapital($1) }
    return isWritten && western.contains { $0.isSuperset(of: word) }
  }

  private static func isCyrillic(_ scalar: Unicode.Scalar) -> Bool {
    frequencies[lowercase(scalar)] != nil
  }

  private static func isLatin(_ byte: UInt8) -> Bool {
    byte < 0x80 && (0x41...0x5A).contains(byte & 0xDF)
  }

  private static func lowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
  }
}

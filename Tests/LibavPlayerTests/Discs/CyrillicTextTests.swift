import MediaFolders
import Testing

@Suite("Texts in old encodings")
struct CyrillicTextTests {
  /// Russian and Ukrainian names, with Western ones among them.
  static let cyrillicNames: [String] = [
    "Катюша", "ДДТ", "Кино", "Алла Пугачёва", "Группа крови", "Мир", "Он", "Ты", "Океан Ельзи",
    "Їхати", "Що не вмирало", "Пісня про рушник", "Земфира — Искала", "«Любэ» – Конь",
    "Червона рута", "Вопли Видоплясова", "Володимир Івасюк", "Кино - Группа крови (1988)",
    "CDшка и песни про любовь и войну", "РОССИЯ", "Радио Рекорд - DJ Грув", "Чиж & Co",
    "5'nizza — Солдат", "Скрябін", "Ёлка",
  ]
  /// Names that stand in Latin-1 or UTF-8 as they are.
  static let westernNames: [String] = [
    "Björk", "Édith Piaf", "Sigur Rós", "Motörhead", "Mötley Crüe", "Ágætis byrjun", "Þú",
    "À la carte", "¿Qué?", "¡Olé!", "Nº 5", "3ª", "ÄÖÜ", "äöü", "ÅÄÖ", "Été", "Ö", "ÁÉÍÓÚ", "÷",
    "×××", "Blue Öyster Cult", "Beyoncé", "Señor Coconut", "Ænima", "Queensrÿche", "Þórunn",
    "Hænsn í búri", "Jóga", "La Bohème", "São Paulo", "1½", "m²", "20°", "© 2001 Ünlü", "ÆØÅ",
    "ààààà", "é è à", "Zoë", "Røyksopp", "«Été»", "Gåte", "Ñandú", "Dvořák", "Łódź",
    "Sigur Rós – Ára bátur", "naïve “Café”", "Ελλάδα", "日本語", "Катюша", "Ünlü",
  ]

  /// Writes a text as Windows-1251.
  private func windows1251(_ text: String) -> [UInt8] {
    let upper: [Unicode.Scalar: UInt8] = [
      "Ё": 0xA8, "ё": 0xB8, "Є": 0xAA, "є": 0xBA, "Ї": 0xAF, "ї": 0xBF, "І": 0xB2, "і": 0xB3,
      "Ґ": 0xA5, "ґ": 0xB4, "«": 0xAB, "»": 0xBB, "—": 0x97, "–": 0x96,
    ]
    return text.unicodeScalars.map { scalar in
      upper[scalar] ?? UInt8(scalar.isASCII ? scalar.value : scalar.value - 0x410 + 0xC0)
    }
  }

  /// Reads bytes as Latin-1, as a tag reader without detection does.
  private func latin1(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  @Test(
    "Reads Windows-1251, raw and as a reader of Latin-1 has passed it on", arguments: cyrillicNames)
  func windows(text: String) {
    let bytes = windows1251(text)
    #expect(MediaText.line(bytes) == text)
    #expect(MediaText.line(Array(latin1(bytes).utf8)) == text)
    #expect(CyrillicText.repaired(latin1(bytes)) == text)
  }

  @Test(
    "Reads UTF-8 that was taken for Latin-1 and encoded again", arguments: cyrillicNames + ["Björk"]
  )
  func encodedTwice(text: String) {
    #expect(MediaText.line(Array(latin1(Array(text.utf8)).utf8)) == text)
  }

  @Test(
    "Reads KOI8-R and code page 866",
    arguments: [
      ([0xEB, 0xC1, 0xD4, 0xC0, 0xDB, 0xC1], "Катюша"),
      ([0xF2, 0xEF, 0xF3, 0xF3, 0xE9, 0xF1], "РОССИЯ"),
      ([0xE7, 0xD2, 0xD5, 0xD0, 0xD0, 0xC1, 0x20, 0xCB, 0xD2, 0xCF, 0xD7, 0xC9], "Группа крови"),
      ([0x8A, 0xA0, 0xE2, 0xEE, 0xE8, 0xA0], "Катюша"),
      ([0x83, 0xE0, 0xE3, 0xAF, 0xAF, 0xA0, 0x20, 0xAA, 0xE0, 0xAE, 0xA2, 0xA8], "Группа крови"),
    ] as [([UInt8], String)])
  func otherEncodings(bytes: [UInt8], text: String) {
    #expect(MediaText.line(bytes) == text)
    #expect(MediaText.line(Array(latin1(bytes).utf8)) == text)
  }

  @Test("Leaves western names and names in UTF-8 as they are", arguments: westernNames)
  func western(text: String) {
    #expect(MediaText.line(Array(text.utf8)) == text)
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    if bytes.count == text.unicodeScalars.count { #expect(MediaText.line(bytes) == text) }
  }
}

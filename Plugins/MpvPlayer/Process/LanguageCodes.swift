/// The codes of languages (ISO 639). A file may use any code of its language, and mpv compares codes as texts.
enum LanguageCodes {
  /// The codes of each language: one of two letters, then one or two of three letters.
  private static let languages: [[String]] = [
    "ar ara", "bg bul", "cs ces cze", "da dan", "de deu ger", "el ell gre", "en eng", "es spa",
    "et est", "fa fas per", "fi fin", "fr fra fre", "he heb", "hi hin", "hr hrv", "hu hun",
    "id ind", "is isl ice", "it ita", "ja jpn", "ko kor", "lt lit", "lv lav", "nb nob",
    "nl nld dut", "nn nno", "no nor", "pl pol", "pt por", "ro ron rum", "ru rus", "sk slk slo",
    "sl slv", "sr srp", "sv swe", "th tha", "tr tur", "uk ukr", "vi vie", "zh zho chi",
  ].map { $0.split(separator: " ").map(String.init) }

  /// Returns a code, followed by the other codes of its language.
  static func synonyms(of code: String) -> [String] {
    let lower = code.lowercased()
    let others = languages.first { $0.contains(lower) } ?? []
    return [code] + others.filter { $0 != lower }
  }
}

/// The languages of tracks and subtitle files: their codes (ISO 639, BCP 47), and their names in names of files.
enum LanguageCodes {
  /// The codes and names of each language, its code of two letters first. Languages that their speakers read as one,
  /// such as the two of Norway, are one family.
  private static let families: [[String]] = [
    "ar ara arabic", "bg bul bulgarian", "bs bos bosnian", "ca cat catalan",
    "cs ces cze czech cesky", "da dan danish dansk", "de deu ger german deutsch",
    "el ell gre greek", "en eng english", "es spa spanish espanol castellano latino",
    "et est estonian", "eu eus baq basque", "fa fas per persian farsi", "fi fin finnish suomi",
    "fr fra fre french francais vff vfq", "ga gle irish", "gl glg galician", "he heb iw hebrew",
    "hi hin hindi", "hr hrv croatian hrvatski", "hu hun hungarian magyar",
    "id ind in indonesian", "is isl ice icelandic", "it ita italian italiano",
    "ja jpn jp japanese", "ko kor korean", "lt lit lithuanian", "lv lav latvian",
    "mk mkd mac macedonian", "ms msa may malay", "nl nld dut dutch nederlands flemish",
    "no nor nb nob nn nno norwegian norsk", "pl pol polish polski",
    "pt por portuguese portugues brazilian pob", "ro ron rum mo romanian",
    "ru rus russian", "sk slk slo slovak", "sl slv slovenian", "sq sqi alb albanian",
    "sr srp scc serbian srpski", "sv swe swedish svenska", "ta tam tamil", "te tel telugu",
    "th tha thai", "tl tgl fil tagalog filipino", "tr tur turkish", "uk ukr ukrainian",
    "vi vie vietnamese", "zh zho chi cmn yue chs cht chinese mandarin cantonese",
  ].map { $0.split(separator: " ").map(String.init) }

  private static let familyOfWord: [String: Int] = Dictionary(
    families.enumerated().flatMap { index, words in words.map { ($0, index) } },
    uniquingKeysWith: { first, _ in first })

  /// Returns a code, followed by the other codes of its language: "pt-BR" is followed by "pt" and "por".
  static func synonyms(of code: String) -> [String] {
    let others =
      familyOfWord[primary(code)].map { families[$0].filter { $0.utf8.count <= 3 } } ?? []
    return [code] + others.filter { $0 != code.lowercased() }
  }

  /// Returns how well a track's language fits a wanted one: 0 the same code, 1 the same language, 2 another form of it;
  /// nil for another language.
  static func distance(from wanted: String, to language: String) -> Int? {
    let (wanted, language) = (normalized(wanted), normalized(language))
    if wanted == language { return 0 }
    let (one, other) = (primary(wanted), primary(language))
    guard one == other || (familyOfWord[one] != nil && familyOfWord[one] == familyOfWord[other])
    else { return nil }
    let areForms =
      (wanted.contains("-") && language.contains("-"))
      || forms.contains { $0.0.contains(one) && $0.1.contains(other) }
      || forms.contains { $0.1.contains(one) && $0.0.contains(other) }
    return areForms ? 2 : 1
  }

  /// Codes of two forms of one language.
  private static let forms: [(Set<String>, Set<String>)] = [
    (["nb", "nob"], ["nn", "nno"]), (["cmn", "chs"], ["yue", "cht"]),
  ]

  /// Returns the code of the language in the name of a subtitle file: "Night Ferry.pt-BR.srt", "2_English.srt"; nil if
  /// it has none.
  static func code(inFileName name: String, of film: String = "") -> String? {
    let stem = SubtitleFiles.stem(of: name)
    let rest = stem.hasPrefix(film) ? stem.dropFirst(film.count) : stem[...]
    for part in rest.split(whereSeparator: { " ._[](){}".contains($0) }).reversed() {
      let word = part.lowercased()
      if let family = familyOfWord[primary(word)] {
        // Short words of a title are no codes: "It", "No", "Is".
        let isCode =
          part.count > 3 || word.contains("-") || !film.isEmpty || rest.count == part.count
        if isCode { return word.count <= 3 || word.contains("-") ? word : families[family][0] }
      }
    }
    return nil
  }

  /// Whether a language is unknown.
  static func isUnknown(_ language: String?) -> Bool {
    guard let language else { return true }
    return ["und", "", "mul", "mis", "zxx", "unk"].contains(language.lowercased())
  }

  private static func normalized(_ code: String) -> String {
    code.lowercased().replacing("_", with: "-")
  }

  private static func primary(_ code: String) -> String {
    normalized(code).split(separator: "-").first.map(String.init) ?? ""
  }
}

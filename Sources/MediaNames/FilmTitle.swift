/// The title of a film, read from the name of its file or folder.
///
/// "Night.Ferry.2019.1080p.BluRay.x264-GRP" is "Night Ferry (2019)". A name without the marks of a release stays as
/// its owner wrote it.
package struct FilmTitle: Equatable, Sendable {
  /// The title, without the year.
  package private(set) var title: String
  /// The year of the film, if the name says it.
  package private(set) var year: Int?
  /// Whether the name has words of a release: "1080p", "x264".
  package private(set) var isRelease: Bool

  /// The name of one of several files with the same title; nil for the film itself.
  private(set) var detail: String?

  /// "Night Ferry (2019)", or the title alone.
  package var text: String {
    (year.map { "\(title) (\($0))" } ?? title) + (detail.map { " – \($0)" } ?? "")
  }

  /// Reads the name of a file or folder, or a typed title.
  package init(ofName name: String) {
    let stem = MediaName.stem(of: name)
    var words = ReleaseName(stem).words
    let isRelease = words.contains { $0.isRelease }
    self.isRelease = isRelease
    let episode = words.firstIndex { $0.isEpisode }
    let end = Self.end(of: words, after: episode ?? 0)
    var year: Int?
    if episode == nil, let found = Self.year(in: words, before: end) {
      let rest = words[(found + 1)...]
      let isKnown = isRelease || words[found].isBracketed || !stem.contains(" ")
      // The words after the year belong to the title if they describe nothing: "Night Ferry (2019) The Return".
      let isCut = isRelease || rest.allSatisfy(\.describesFile)
      if isKnown, isCut {
        year = words[found].year
        var first = found
        while isRelease, first > 1, ReleaseWords.isDescription(words[first - 1].text) { first -= 1 }
        words.removeSubrange(first...)
      }
    }
    if year == nil, let end, end < words.count {
      // "Night.Ferry.1080p.2019.BluRay"
      if episode == nil { year = words[end...].compactMap(\.year).first }
      words.removeSubrange(end...)
    }
    let title = ReleaseName.text(words.filter { !$0.isRelease })
    self.year = title.isEmpty ? nil : year
    self.title = title.isEmpty ? stem.replacing("_", with: " ") : title
  }

  /// Reads the path of a film. A name that says nothing, such as "title_t00", takes the title of its folder, and so
  /// does the short name of a release in its folder: "Night.Ferry.2019.1080p.x264-GRP/grp-nf.mkv".
  package init(ofPath path: String) {
    let parts = path.split(separator: "/").map(String.init)
    let name = parts.last ?? path
    self = FilmTitle(ofName: name)
    guard parts.count > 1 else { return }
    let parent = FilmTitle(ofName: parts[parts.count - 2])
    let stem = MediaName.stem(of: name)
    if Self.isMeaningless(name) {
      self = parent
      // The first title of a disc is the film, and the others belong to it.
      let digits = String(stem.reversed().prefix(while: ReleaseWords.isDigit).reversed())
      if let number = Int(digits), number > 1, digits.count < stem.count { detail = stem }
    } else if parent.isRelease, parent.year != nil, year == nil, stem == stem.lowercased(),
      !stem.contains(" "), !ReleaseName(stem).words.contains(where: \.isEpisode)
    {
      self = parent
    }
  }

  /// Returns the title to show for a film: that of its name, or that of its tag where the tag says the same in a better
  /// spelling, or the name nothing.
  ///
  /// Makers of files write their own names into the tag. A title that the file's name does not confirm would hide it.
  package static func displayed(path: String, tag: String?) -> String {
    let own = FilmTitle(ofPath: path)
    guard let tag, !tag.isEmpty, !FilmTitle(ofName: tag).isRelease, !isAdvertisement(tag) else {
      return own.text
    }
    if isMeaningless(path) { return own.year == nil && own.detail == nil ? tag : own.text }
    let (name, tagKey) = (own.title.titleKey, tag.titleKey)
    let words = Set(tagKey.split(separator: UInt8(ascii: " ")).map(Array.init))
    guard name.split(separator: UInt8(ascii: " ")).allSatisfy({ words.contains(Array($0)) }),
      tag != tag.lowercased()
    else { return own.text }
    guard let year = own.year, !words.contains(Array("\(year)".utf8)) else { return tag }
    return "\(tag) (\(year))"
  }

  /// Whether the name of a file says nothing about the film: "title_t00", "VTS_01_1", "00800", "movie".
  private static func isMeaningless(_ path: String) -> Bool {
    let key = String(decoding: MediaName.stem(of: path).titleKey, as: UTF8.self)
    let letters = key.filter { !ReleaseWords.isDigit($0) && $0 != " " }
    let isNumbered = key.contains(where: ReleaseWords.isDigit)
    let names: Set<String> = [
      "movie", "film", "video", "title", "titlet", "t", "vts", "vtsvob", "main", "feature", "cd",
      "disc", "disk", "dvd", "part", "pt", "track", "untitled", "new", "output", "stream",
    ]
    return names.contains(letters) || (letters.isEmpty && isNumbered && key.count == 5)
  }

  /// Whether a title tag names its maker instead of the film.
  private static func isAdvertisement(_ tag: String) -> Bool {
    let lower = tag.lowercased()
    return ["www.", "http", ".com", ".net", ".org", ".to", "encoded by", "ripped by", "rip by"]
      .contains { lower.contains($0) }
  }

  /// Returns the index of the first word that is certainly no part of the title, or of the descriptions before it.
  private static func end(of words: [ReleaseName.Word], after first: Int) -> Int? {
    let certain = words.indices.first {
      $0 > first && !words[$0].isBracketed && ReleaseWords.isCertain(words[$0].text)
    }
    guard var end = certain else { return nil }
    while end > first + 1, ReleaseWords.isDescription(words[end - 1].text) { end -= 1 }
    return end
  }

  /// Returns the index of the last year before the end of the title; a bracketed one goes before others.
  private static func year(in words: [ReleaseName.Word], before end: Int?) -> Int? {
    let years = words.indices.filter { $0 > 0 && words[$0].year != nil }
    if let bracketed = years.last(where: { words[$0].isBracketed }) { return bracketed }
    return years.last { $0 <= end ?? words.count }
  }
}

/// The words of a name that may be that of a release.
struct ReleaseName {
  struct Word: Equatable {
    var text: String
    /// Whether it stood in brackets of its own.
    var isBracketed = false
    /// Whether it describes the file in brackets, as in "[1080p]".
    var isRemoved = false

    var isRelease: Bool { isRemoved || (!isBracketed && ReleaseWords.isCertain(text)) }

    /// Whether it may describe the file, after the year.
    var describesFile: Bool { isRemoved || ReleaseWords.isPossible(text) || isPart }

    /// A year from 1888 to 2039.
    var year: Int? {
      guard text.count == 4, text.allSatisfy(ReleaseWords.isDigit), let year = Int(text),
        (1888...2039).contains(year)
      else { return nil }
      return year
    }

    /// "S01E02", "s1e2e3" or "1x02".
    var isEpisode: Bool {
      let lower = text.lowercased()
      if lower.hasPrefix("s"), let e = lower.dropFirst().firstIndex(of: "e") {
        let season = lower[..<e].dropFirst()
        let number = lower[lower.index(after: e)...].prefix(while: ReleaseWords.isDigit)
        return !season.isEmpty && season.allSatisfy(ReleaseWords.isDigit) && !number.isEmpty
      }
      let parts = lower.split(separator: "x", omittingEmptySubsequences: false)
      return parts.count == 2 && (1...2).contains(parts[0].count)
        && (2...3).contains(parts[1].count)
        && parts.allSatisfy { $0.allSatisfy(ReleaseWords.isDigit) }
    }

    /// "CD1", "part2", "-".
    private var isPart: Bool {
      text == "-"
        || FilmPart.words.contains { text.lowercased().hasPrefix($0) }
          && text.last.map(ReleaseWords.isDigit) == true
    }
  }

  private(set) var words: [Word] = []

  init(_ stem: String) {
    var rest = Self.withoutSite(stem.replacing("_", with: " "))[...]
    let separator = Self.separator(in: rest)
    while let open = rest.firstIndex(where: { "[({".contains($0) }) {
      append(rest[..<open], separator)
      let close: Character = rest[open] == "[" ? "]" : rest[open] == "(" ? ")" : "}"
      guard let end = rest[open...].firstIndex(of: close) else {
        rest = rest[rest.index(after: open)...]
        continue
      }
      appendBracket(rest[open...end])
      rest = rest[rest.index(after: end)...]
    }
    append(rest, separator)
    joinInitials(separator)
  }

  /// Returns words as one text, without marks at its ends.
  static func text(_ words: [Word]) -> String {
    let texts = words.map { $0.isBracketed && $0.year != nil ? "(\($0.text))" : $0.text }
    let text = texts.joined(separator: " ")
    let marks: Set<Character> = [" ", "-", "–", "_", ",", "[", "{", "("]
    let trimmed = text.drop { [" ", "-", "–", "_", ",", "]", "}", ")", "."].contains($0) }
    return String(trimmed.reversed().drop { marks.contains($0) }.reversed())
  }

  /// The character between the words: a dot, or a hyphen, in a name without spaces.
  private static func separator(in text: Substring) -> Character? {
    if text.contains(" ") { return nil }
    if text.contains(".") { return "." }
    let words = text.split(separator: "-")
    let isRelease = words.count > 2 && words.contains { ReleaseWords.isCertain(String($0)) }
    return isRelease ? "-" : nil
  }

  private mutating func append(_ text: Substring, _ separator: Character?) {
    for part in text.split(separator: " ") {
      if let separator {
        words += part.split(separator: separator).map { Word(text: String($0)) }
        continue
      }
      let parts = part.split(separator: ".").map(String.init)
      let isDotted =
        parts.count > 1 && !ReleaseWords.isCertain(String(part))
        && parts.contains { ReleaseWords.isCertain($0) || Word(text: $0).year != nil }
      words += (isDotted ? parts : [String(part)]).map { Word(text: $0) }
    }
    joinCodecs()
  }

  /// Joins "H" and "264", "WEB" and "DL", "Blu" and "ray", "5" and "1", which the dots or hyphens have separated.
  private mutating func joinCodecs() {
    for index in words.indices.dropLast().reversed() where index + 1 < words.count {
      let pair = (words[index].text.lowercased(), words[index + 1].text.lowercased())
      let isCodec =
        pair.0 == "h" && ["264", "265", "266"].contains { pair.1.hasPrefix($0) }
        || pair.0 == "web" && pair.1.hasPrefix("dl") || pair.0 == "blu" && pair.1 == "ray"
        || ["ddp5", "dd5", "aac2", "aac5", "ddp2", "dd2", "ddp7"].contains(pair.0)
          && ["0", "1"].contains(String(pair.1.prefix(1)))
      guard isCodec, !words[index].isBracketed, !words[index + 1].isBracketed else { continue }
      words[index].text += words[index + 1].text
      words.remove(at: index + 1)
    }
  }

  private mutating func appendBracket(_ bracket: Substring) {
    let content = String(bracket.dropFirst().dropLast())
    let parts = content.split { " .,_|".contains($0) }.map(String.init)
    let year = Word(text: content, isBracketed: true)
    if year.year != nil {
      words.append(year)
      return
    }
    let lower = content.lowercased()
    let isId = ["imdb", "tmdb", "tvdb", "edition-", "www."].contains { lower.hasPrefix($0) }
    let describes =
      ReleaseWords.isCertain(content) || parts.contains { ReleaseWords.isCertain($0) }
      || (bracket.first != "(" && parts.allSatisfy { ReleaseWords.isPossible($0) })
    // "[GRP] Title" at the beginning, and what follows another description in brackets.
    let isGroup =
      bracket.first == "["
      && (words.isEmpty || words.contains { $0.isRelease || ($0.isBracketed && $0.year != nil) })
    if isId || describes || isGroup || bracket.first == "{" {
      if !words.isEmpty || !isGroup || describes {
        words.append(Word(text: content, isBracketed: true, isRemoved: true))
      }
    } else {
      words.append(Word(text: String(bracket), isBracketed: true))
    }
  }

  /// Joins initials that the dots have separated: "S.W.A.T.".
  private mutating func joinInitials(_ separator: Character?) {
    guard separator == "." else { return }
    func isInitial(_ word: Word) -> Bool {
      word.text.count == 1 && word.text.first?.isLetter == true
    }
    var joined: [Word] = []
    var run = 0
    for word in words {
      if isInitial(word), run > 0, let last = joined.indices.last {
        joined[last].text += (run == 1 ? "." : "") + word.text + "."
        run += 1
      } else {
        joined.append(word)
        run = isInitial(word) ? 1 : 0
      }
    }
    words = joined
  }

  /// Removes the address of a site from the beginning: "www.example.com - Night Ferry".
  private static func withoutSite(_ name: String) -> String {
    let lower = name.lowercased()
    guard lower.hasPrefix("www.") || lower.hasPrefix("[ www."),
      let range = name.firstRange(of: " - ")
    else { return name }
    let rest = String(name[range.upperBound...])
    return rest.isEmpty ? name : rest
  }
}

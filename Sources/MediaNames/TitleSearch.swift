import JSON

/// The names under which a person finds an item of a list.
package struct TitleNames: Sendable {
  /// The title in lower case.
  fileprivate let title: String
  /// The keys of the title, of the title without its year, and of the name of the file.
  package let keys: [[UInt8]]
  /// The year of a film, if its title or its file says it.
  fileprivate let year: Int?
  /// The keys of title, artist, album and file, in lines. A title with punctuation between its letters stands there
  /// without spaces too, so that "acdc" finds "AC/DC".
  package let searchText: [UInt8]

  /// - Parameters:
  ///   - id: The id of the item, of which the last part of a film is the name of its file or folder.
  ///   - isFilm: Whether the item is a film, so that its id and title may be names of a release.
  package init(
    title: String, id: String, artist: String? = nil, album: String? = nil, isFilm: Bool
  ) {
    self.title = title.lowercased()
    var keys = [title.titleKey]
    var year: Int?
    if isFilm {
      let stem = MediaName.stem(of: id)
      let file = id.split(separator: "/").last.map(String.init) ?? id
      for film in [FilmTitle(ofName: title), FilmTitle(ofName: file)] {
        keys.append(film.title.titleKey)
        keys.append(film.text.titleKey)
        year = year ?? film.year
      }
      keys.append(stem.titleKey)
    }
    self.year = year
    var seen: Set<[UInt8]> = []
    self.keys = keys.filter { !$0.isEmpty && seen.insert($0).inserted }
    let others = [artist, album].compactMap { $0?.titleKey }
    let isJoined = title.utf8.contains { "/.-·!$*".utf8.contains($0) }
    let letters = isJoined ? [keys[0].filter { $0 != UInt8(ascii: " ") }] : []
    searchText = Array((self.keys + others + letters).joined(separator: [UInt8(ascii: "\n")]))
  }
}

/// A typed title, prepared for comparison with many items.
package struct TitleSearch {
  /// The longest search text in bytes of UTF-8; a longer text is no title.
  package static let longest = 1024

  private let folded: String
  private let key: [UInt8]
  /// The key without spaces, so that "acdc" finds "AC/DC".
  private let letters: [UInt8]
  /// The keys of the film that a typed name of a release names: with its year, and without it.
  private let film: (key: [UInt8], withoutYear: [UInt8], year: Int?)
  private let part: SubsequenceFinder<UInt8>
  private let words: [SubsequenceFinder<UInt8>]

  /// How well an item fits, best first.
  package enum Fit: Int, Comparable, Sendable {
    /// The typed text is the title, regardless of case.
    case title
    /// It is the title, regardless of accents and punctuation, or the name of the item's file.
    case name
    /// The title or the name of the file contains it.
    case part
    /// Title, artist and album contain its words.
    case words

    package static func < (first: Fit, second: Fit) -> Bool { first.rawValue < second.rawValue }
  }

  /// - Returns: `nil` for a text that is too long to be a title.
  package init?(_ typed: String) {
    guard typed.utf8.count <= Self.longest else { return nil }
    let key = typed.titleKey
    folded = typed.lowercased()
    self.key = key
    letters = key.filter { $0 != UInt8(ascii: " ") }
    let film = FilmTitle(ofName: typed)
    self.film = (film.text.titleKey, film.title.titleKey, film.year)
    part = SubsequenceFinder(key)
    words = key.split(separator: UInt8(ascii: " ")).map { SubsequenceFinder($0) }
  }

  /// Returns how well an item fits the typed text; nil if it does not.
  package func fit(_ names: TitleNames) -> Fit? {
    if names.title == folded { return .title }
    guard !key.isEmpty else { return nil }
    if names.keys.contains(where: isName) || isSameFilm(names) { return .name }
    if names.keys.contains(where: part.occurs) { return .part }
    let hasAll = words.allSatisfy { $0.occurs(in: names.searchText) }
    return hasAll ? .words : nil
  }

  private func isName(_ name: [UInt8]) -> Bool {
    name == key || name == film.key
      || (name.count >= letters.count
        && name.lazy.filter { $0 != UInt8(ascii: " ") }
          .elementsEqual(letters))
  }

  /// Whether the title without its year is the same, and no other year was typed.
  private func isSameFilm(_ names: TitleNames) -> Bool {
    guard film.year == nil || names.year == nil || film.year == names.year else { return false }
    return names.keys.contains(film.withoutYear)
  }
}

/// The items that a typed title may name.
package enum TitleMatch {
  /// Returns the indices of the items that fit best: several if the title does not tell which one.
  package static func best(
    _ search: TitleSearch, among names: some Sequence<TitleNames>
  ) -> (fit: TitleSearch.Fit, indices: [Int])? {
    var best: (fit: TitleSearch.Fit, indices: [Int])?
    for (index, names) in names.enumerated() {
      guard let fit = search.fit(names) else { continue }
      if let found = best, found.fit < fit { continue }
      if best?.fit == fit {
        best?.indices.append(index)
      } else {
        best = (fit, [index])
      }
    }
    return best
  }
}

/// A film that lies in several files: "Night Ferry CD1.avi" and "Night Ferry CD2.avi".
package struct FilmPart: Equatable, Sendable {
  /// The name without its number, in lower case: the same for all parts of a film.
  package let film: String
  /// The name of the file without it and the extension.
  package let name: String
  /// From 1.
  package let number: Int

  /// The words before the number of a part.
  static let words = ["cd", "dvd", "disc", "disk", "part", "pt"]

  /// Reads the path of a file; nil if its name has no number of a part at its end.
  ///
  /// "Part" alone also numbers the films of a series. It counts only after a year or a hyphen: "Night Ferry (2019) -
  /// part1".
  package init?(path: String) {
    guard let ending = MediaName.fileExtension(of: path) else { return nil }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var stem = MediaName.stem(of: path)
    if let last = stem.last, last == ")" || last == "]",
      let open = stem.lastIndex(where: { $0 == "(" || $0 == "[" })
    {
      stem = String(stem[..<open]) + " " + stem[stem.index(after: open)...].dropLast()
    }
    let digits = String(stem.reversed().prefix(while: ReleaseWords.isDigit).reversed())
    guard let number = Int(digits), (1...9).contains(number) else { return nil }
    let before = stem.dropLast(digits.count)
    let bare = Self.withoutMarks(before)
    guard let word = Self.words.first(where: { bare.lowercased().hasSuffix($0) }) else {
      return nil
    }
    let start = bare.dropLast(word.count)
    guard let mark = start.last, Self.marks.contains(mark) else { return nil }
    name = Self.withoutMarks(start)
    guard !name.isEmpty else { return nil }
    if word == "part" || word == "pt" {
      let isAttached = bare.count == before.count
      let isSeparate = start.hasSuffix("- ") || start.hasSuffix("-")
      guard isAttached, isSeparate || FilmTitle(ofName: name).year != nil else { return nil }
    }
    film = folder + name.lowercased() + "." + ending
    self.number = number
  }

  private static let marks: Set<Character> = [" ", ".", "_", "-"]

  private static func withoutMarks(_ text: some BidirectionalCollection<Character>) -> String {
    String(text.reversed().drop { marks.contains($0) }.reversed())
  }

  /// Returns the path of a part without the number of the part.
  package static func wholeName(of path: String) -> String {
    guard let part = FilmPart(path: path) else { return path }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return folder + part.name
  }

  /// Returns the paths of each film's further files by the path of its first one, and leaves out films in one file.
  /// The numbers must follow each other from 1.
  package static func groups(of paths: [String]) -> [String: [String]] {
    var parts: [String: [Int: String]] = [:]
    for path in paths {
      guard let part = FilmPart(path: path), parts[part.film]?[part.number] == nil else { continue }
      parts[part.film, default: [:]][part.number] = path
    }
    var groups: [String: [String]] = [:]
    for files in parts.values where files.count > 1 {
      let inOrder = (1...files.count).compactMap { files[$0] }
      guard inOrder.count == files.count, let first = inOrder.first else { continue }
      groups[first] = Array(inOrder.dropFirst())
    }
    return groups
  }
}

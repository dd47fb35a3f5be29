/// The title of a song, read from the name of its file.
package enum SongTitle {
  /// Returns the name without its extension and without the number of its track.
  ///
  /// A number is removed only if it is that of a track: "07 Rings" and "7. Rings", but not "24K Magic", "7 Rings" or
  /// "99 Luftballons". A plain number before a space counts if it is the track of the tag, or if `isNumbered`.
  ///
  /// - Parameters:
  ///   - track: The number that the tag has; nil without one.
  ///   - isNumbered: Whether the other files of the folder begin with numbers that follow each other.
  package static func title(ofPath path: String, track: Int? = nil, isNumbered: Bool = false)
    -> String
  {
    let stem = MediaName.stem(of: path)
    let name = stem.contains(" ") ? stem : stem.replacing("_", with: " ")
    guard let number = TrackNumber(of: name) else { return name }
    let isTrack =
      number.isCertain || isNumbered
      || (track != nil && (number.value == track || number.value % 100 == track))
    return isTrack && !number.rest.isEmpty ? number.rest : name
  }

  /// Returns the folders of which at least two files begin with numbers that follow each other, so that they are
  /// tracks. With them the file at `path` is numbered.
  package struct Numbering: Sendable {
    private var numbers: [String: Set<Int>] = [:]

    /// - Parameter paths: The paths of all songs.
    package init(of paths: some Sequence<String>) {
      for path in paths {
        guard let number = TrackNumber(of: MediaName.stem(of: path)) else { continue }
        numbers[Self.folder(of: path), default: []].insert(number.value)
      }
    }

    /// Whether the number before the name of a file is that of its track.
    package func isNumbered(_ path: String) -> Bool {
      guard let number = TrackNumber(of: MediaName.stem(of: path)),
        let others = numbers[Self.folder(of: path)]
      else { return false }
      return others.contains(number.value - 1) || others.contains(number.value + 1)
    }

    private static func folder(of path: String) -> String {
      path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
  }

  /// Returns the number of the disc of a song from its path: that of its folder, as in "CD 2" and "Album (Disc 2)", or
  /// that before the track, as in "2-05 Title"; nil without one.
  package static func disc(ofPath path: String, track: Int?) -> Int? {
    if let number = TrackNumber(of: MediaName.stem(of: path)) {
      if let disc = number.disc { return disc }
      // "205 Title" with track 5 is on disc 2.
      if let track, number.value > 100, number.value % 100 == track { return number.value / 100 }
    }
    let parts = path.split(separator: "/").map(String.init)
    return parts.count > 1 ? disc(ofFolder: parts[parts.count - 2]) : nil
  }

  /// Returns the number at the end of a folder's name: "CD 2", "Disc2", "Album [Disc 2]"; nil without one.
  package static func disc(ofFolder name: String) -> Int? {
    let words = String(decoding: name.titleKey, as: UTF8.self).split(separator: " ").map(
      String.init)
    let names: Set<String> = ["cd", "disc", "disk", "disque", "disco", "lp", "vinyl"]
    for (index, word) in words.enumerated().reversed() {
      let letters = String(word.prefix { !ReleaseWords.isDigit($0) })
      guard names.contains(letters) else { continue }
      let digits =
        word.count > letters.count
        ? String(word.dropFirst(letters.count)) : index + 1 < words.count ? words[index + 1] : ""
      if let number = Int(digits), (1...99).contains(number) { return number }
    }
    return nil
  }
}

/// The number at the beginning of a file's name.
struct TrackNumber: Equatable {
  let value: Int
  /// The number of the disc before it: 2 in "2-05 Title".
  let disc: Int?
  /// The name without it.
  let rest: String
  /// Whether it cannot be the beginning of a title: "07 Rings", "7. Rings", "2-05 Rings".
  let isCertain: Bool

  init?(of name: String) {
    var text = name[...]
    if text.first == "[" || text.first == "(" { text.removeFirst() }
    let first = text.prefix(while: ReleaseWords.isDigit)
    guard let number = Int(first), (1...3).contains(first.count) else { return nil }
    var rest = text[first.endIndex...]
    var (digits, value, disc) = (first, number, Int?.none)
    // "2-05", "2.05", "1x05": a disc and a track.
    if first.count == 1 || (first.count == 2 && first.first == "0"), let mark = rest.first,
      "-.x".contains(mark)
    {
      let second = rest.dropFirst().prefix(while: ReleaseWords.isDigit)
      let next = rest.dropFirst().dropFirst(second.count).first
      if second.count == 2, let track = Int(second), next.map({ " .-_)".contains($0) }) != false,
        number > 0
      {
        (disc, digits, value) = (number, second, track)
        rest = rest.dropFirst().dropFirst(second.count)
      }
    }
    let separators = rest.prefix { " .-–_)]、．".contains($0) }
    let title = rest.dropFirst(separators.count)
    // "24K Magic", "3.14", "7-11", "4'33": the number belongs to the title.
    guard !separators.isEmpty || title.isEmpty else { return nil }
    let hasMark = separators.contains { ".-–_)]、．".contains($0) }
    if hasMark, !separators.contains(" "), title.first.map(ReleaseWords.isDigit) == true {
      return nil
    }
    self.value = value
    self.disc = disc
    self.rest = String(title)
    isCertain = hasMark || disc != nil || (digits.count == 2 && digits.first == "0")
  }
}

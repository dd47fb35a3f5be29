import Devices
import JSON

/// The rule where an item begins again: where its user left it, or at its start.
///
/// Every place that saves, lists or uses positions asks it, so that positions which an earlier version has saved are
/// judged by it as well.
struct ResumeRule: Sendable, Hashable {
  /// The first seconds of an item, at most a twentieth of it: a user who leaves it there begins anew.
  static let beginning = 10.0
  /// The part at the end of an item that counts as seen, such as the credits of a film.
  static let seenPart = 0.08
  /// The longest part that counts as seen, in seconds.
  static let longestSeenPart = 600.0
  /// The least length of a song that is resumed, in seconds: a concert, a radio play, a mix.
  static let longSong = 1200.0

  let category: Category
  /// The length of the item in seconds, if it is known.
  var duration: Double?
  /// Whether a song is a part of an audio book, which is resumed whatever its length.
  var isAudiobook = false

  /// Whether positions in the item are kept. A song that is left begins anew, unless it is long or an audio book.
  var keepsPositions: Bool {
    switch category {
    case .films: true
    case .songs: isAudiobook || (duration ?? 0) >= Self.longSong
    case .stations: false
    }
  }

  /// Whether the item is resumed at this position, in seconds.
  func isResumable(_ position: Double) -> Bool {
    keepsPositions && !isBeginning(position) && !isSeen(position)
  }

  /// Whether a user who leaves the item here has heard only its first seconds.
  func isBeginning(_ position: Double) -> Bool {
    position < min(Self.beginning, (duration ?? .infinity) / 20)
  }

  /// Whether a user who leaves the item here has seen it. Without a known length it is never seen.
  func isSeen(_ position: Double) -> Bool {
    guard let duration else { return false }
    return position > duration - min(duration * Self.seenPart, Self.longestSeenPart)
  }
}

extension ResumeRule {
  /// The rule of an entry of the library.
  init(_ category: Category, _ entry: Catalogue.Entry) {
    self.init(
      category: category, duration: entry.item.duration, isAudiobook: entry.item.isAudiobook)
  }
}

extension CatalogueItem {
  /// The words by which people name folders and albums of audio books, in lower case.
  private static let audiobookWords = [
    "audiobook", "audio book", "hörbuch", "hörbücher", "аудиокниг", "аудіокниг",
  ]

  /// Whether the item is a part of an audio book: its file says so (`.m4b`), or its folder or album.
  var isAudiobook: Bool {
    if format?.lowercased() == "m4b" || id.lowercased().hasSuffix(".m4b") { return true }
    let names = [album, id].compactMap(\.self).map { $0.lowercased() }
    return names.contains { name in Self.audiobookWords.contains { name.contains($0) } }
  }
}

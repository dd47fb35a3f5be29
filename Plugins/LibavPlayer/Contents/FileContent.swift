/// The kind of a file and the byte ranges of its sound, read from its content before libav opens
/// it.
///
/// The content decides, not the name. libav gets only the sound: MP3 frames without the garbage
/// around them, and a chained Ogg file link by link. It would report a wrong length for both.
struct FileContent: Equatable {
  /// A range of a file that is a stream of its own.
  struct Part: Equatable {
    /// nil for the whole file.
    var bytes: Range<Int64>?
    /// Its length where it was counted; else libav knows.
    var seconds: Double?
  }

  /// The longest file without a tag that a scan reads as a whole to learn its length, bytes.
  static let longestCounted: Int64 = 256 << 20
  /// The same for a song that is about to play, while the sound of the one before runs out.
  static let longestCountedToPlay: Int64 = 32 << 20
  /// Bytes of a file's beginning that tell its kind.
  static let startSize = 32

  /// nil where libav has to find out.
  var container: Container?
  /// The streams that play one behind the other; never empty.
  var parts = [Part()]
  /// Whether the length of the parts is known here, even where it is known to be unknown.
  var isCounted = false

  /// Looks at the file at `path`; a file that cannot be read has the kind that its name promises.
  ///
  /// - Parameter limit: The longest file, in bytes, that may be read as a whole to learn its length.
  init(path: String, limit: Int64 = longestCountedToPlay) {
    let promised = Container(path: path)
    guard let file = FileWindow(path) else {
      self.init(container: promised)
      return
    }
    self.init(file, promised: promised, limit: limit)
  }

  /// The kind that a file's name promises, before a look at it.
  init(container: Container?) { self.container = container }

  /// Whether a file whose name says nothing is music and no film.
  static func isMusic(_ path: String) -> Bool {
    guard let file = FileWindow(path) else { return false }
    let position = FrameRow.endOfTags(file)
    let start = file.bytes(at: position, count: startSize)
    if let container = Container(start: start) { return !container.alsoHoldsFilms }
    guard position > 0 || SoundFrameHeader(start) != nil else { return false }
    return FrameRow(file, from: position, limit: 0) != nil
  }

  /// Looks at an open file whose name promises a kind.
  init(_ file: FileWindow, promised: Container?, limit: Int64) {
    // ID3 tags may stand in front of anything.
    let start = FrameRow.endOfTags(file)
    container = Container(start: file.bytes(at: start, count: Self.startSize))
    switch container {
    case .ogg:
      let links = OggLinks.find(in: file)
      if links.count > 1 { parts = links.map { Part(bytes: $0) } }
    case nil:
      if let row = FrameRow(file, from: start, limit: limit) {
        container = row.isADTS ? .aac : .mp3
        parts = [Part(bytes: row.bytes, seconds: row.seconds)]
        isCounted = true
      } else {
        container = promised
      }
    default: break
    }
  }
}

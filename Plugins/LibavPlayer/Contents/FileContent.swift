import MediaNetwork
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
    /// The length in seconds, if this examination counted it; otherwise libav states it.
    var seconds: Double?
  }

  /// The size in bytes of the longest file without a tag that a scan reads completely to learn its
  /// length.
  static let longestCounted: Int64 = 256 << 20
  /// The same limit for a song about to play: it is read while the last sound of the previous song
  /// plays.
  static let longestCountedToPlay: Int64 = 32 << 20
  /// The most bytes read to find tags, the first frame and the links of a chained file. A search for
  /// about 100 links takes 1,000 reads.
  static let longestSearch: Int64 = 32 << 20
  /// The number of bytes at a file's beginning that identify its kind.
  static let startSize = 32

  /// nil if libav has to detect it.
  var container: Container?
  /// The streams that play one after the other; never empty.
  var parts = [Part()]
  /// Whether this examination was to determine the lengths of the parts; a `nil` length then means
  /// that it cannot be known.
  var isCounted = false

  /// Examines the file at `path`. The kind of an unreadable file follows from its name.
  ///
  /// - Parameters:
  ///   - limit: The longest file, in bytes, that may be read as a whole to learn its length.
  ///   - interrupt: Ends the examination early; opening the file fails then.
  init(path: String, limit: Int64 = longestCountedToPlay, interrupt: LibavInterrupt) {
    let promised = Container(path: path)
    let file = FileWindow(path, limit: limit + Self.longestSearch, interrupt: interrupt)
    guard let file else {
      self.init(container: promised)
      return
    }
    self.init(file, promised: promised, limit: limit)
  }

  /// Creates the content of an unread file, whose kind follows from its name.
  init(container: Container?) { self.container = container }

  /// Whether a file without a known name ending is music and not a film.
  static func isMusic(_ path: String) -> Bool {
    guard let file = FileWindow(path, limit: longestSearch) else { return false }
    let position = FrameSequence.endOfTags(file)
    let start = file.bytes(at: position, count: startSize)
    if let container = Container(start: start) { return !container.alsoHoldsFilms }
    guard position > 0 || SoundFrameHeader(start) != nil else { return false }
    return FrameSequence(file, from: position, limit: 0) != nil
  }

  /// Examines an open file whose name promises a kind.
  init(_ file: FileWindow, promised: Container?, limit: Int64) {
    // ID3 tags may stand in front of anything.
    let start = FrameSequence.endOfTags(file)
    container = Container(start: file.bytes(at: start, count: Self.startSize))
    switch container {
    case .ogg:
      let links = OggLinks.find(in: file)
      if links.count > 1 { parts = links.map { Part(bytes: $0) } }
    case nil:
      if let frames = FrameSequence(file, from: start, limit: limit) {
        container = frames.isADTS ? .aac : .mp3
        parts = [Part(bytes: frames.bytes, seconds: frames.seconds)]
        isCounted = true
      } else {
        container = promised
      }
    default: break
    }
  }
}

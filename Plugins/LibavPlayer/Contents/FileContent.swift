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
  /// The length in seconds that a file states which is cut off; nil if the content does not show that.
  var secondsBeforeCut: Double?
  /// The size of the file in bytes; nil if it was not examined.
  var size: Int64?

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
    if bitstream(file, at: position) != nil { return true }
    guard position > 0 || SoundFrameHeader(start) != nil else { return false }
    return FrameSequence(file, from: position, limit: 0) != nil
  }

  /// Finds a bitstream that has no container and that libav reads as it is; nil if the file does not begin with one.
  private static func bitstream(_ file: FileWindow, at start: Int64) -> Bitstream? {
    // Frames of MPEG audio have a search of their own.
    guard let first = file.bytes(at: start, count: 1).first,
      [0x7F, 0xFE, 0x1F, 0xFF, 0x72, 0x0B].contains(first),
      let found = Bitstream(atStartOf: Array(file.bytes(at: start, count: 65_536))),
      !found.isSwapped, [.dts, .ac3, .eac3, .spdif].contains(found.container)
    else { return nil }
    return found
  }

  /// Examines an open file whose name promises a kind.
  init(_ file: FileWindow, promised: Container?, limit: Int64) {
    size = file.size
    // ID3 tags may stand in front of anything.
    let start = FrameSequence.endOfTags(file)
    container = Container(start: file.bytes(at: start, count: Self.startSize))
    switch container {
    case .ogg:
      let links = OggLinks.find(in: file)
      if links.count > 1 { parts = links.map { Part(bytes: $0) } }
    case nil:
      if let stream = Self.bitstream(file, at: start) {
        container = stream.container
        parts = [Part(bytes: (start + Int64(stream.offset))..<file.size)]
      } else if let frames = FrameSequence(file, from: start, limit: limit) {
        container = frames.isADTS ? .aac : .mp3
        parts = [Part(bytes: frames.bytes, seconds: frames.seconds)]
        isCounted = true
        secondsBeforeCut = frames.secondsBeforeCut
      } else {
        container = promised
      }
    default: break
    }
  }
}

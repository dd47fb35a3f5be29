import JSON

/// The metadata, tracks and chapters of a loaded medium.
struct MediaFacts: Equatable, Sendable {
  /// A picture, sound or subtitle track.
  struct Track: Equatable, Sendable {
    /// mpv's number of the track among those of its kind.
    var id = 0
    let kind: String
    let codec: String
    let language: String?
    let channels: Int?
    let width: Int?
    let height: Int?
    /// Whether the picture is a still image, such as the cover of an album.
    let isCover: Bool
    var isSelected: Bool
    /// The name of the track, or of its file; nil without one.
    var title: String?
    /// Whether the file calls it the default track of its kind.
    var isDefault = false
    /// Whether the file says that the subtitles translate parts of the film only.
    var isForcedByFile = false
    var isHearingImpaired = false
    var isVisualImpaired = false
    /// Whether it comes from a file of its own.
    var isExternal = false
  }

  /// A chapter with an optional title, and its beginning in seconds.
  struct Chapter: Equatable, Sendable {
    let title: String?
    let begin: Double
  }

  /// The largest number of tracks, and of chapters, that are kept.
  static let most = 1000

  var title: String?
  var artist: String?
  var album: String?
  /// The number of the song on its album, 1 to 9,999.
  var track: Int?
  /// The duration in seconds; nil if it is unknown.
  var duration: Double?
  var tracks: [Track] = []
  /// The chapters, in the order of their beginnings.
  var chapters: [Chapter] = []
  var isSeekable = false
  /// mpv's name of the container, such as "mkv"; nil if it is unknown.
  var format: String?
  /// The size of the file in bytes, which a web server may name too; nil if it is unknown.
  var size: Double?
  /// mpv's name of the interface that decodes the picture in hardware; nil if the picture is
  /// decoded in software.
  var hardwareDecoder: String?

  /// Reads the facts of the loaded medium.
  init(of link: MpvLink) async throws(MpvFailure) {
    title = Self.text(try await link.property("metadata/by-key/title"))
    artist = Self.text(try await link.property("metadata/by-key/artist"))
    album = Self.text(try await link.property("metadata/by-key/album"))
    track = Self.text(try await link.property("metadata/by-key/track"))
      .flatMap { Int($0.prefix { $0 != "/" }) }.flatMap { (1...9999).contains($0) ? $0 : nil }
    let end = try await link.property("duration")?.number
    let start = try await link.property("demuxer-start-time")?.number
    isSeekable = try await link.property("seekable")?.bool ?? false
    format = Self.text(try await link.property("file-format"))
    duration = Self.duration(end, from: start, format: format)
    size = try await link.property("file-size")?.number.flatMap { $0 > 0 ? $0 : nil }
    tracks = Self.tracks(try await link.property("track-list"))
    chapters = Self.chapters(try await link.property("chapter-list"))
    hardwareDecoder = Self.hardwareDecoder(try await link.property("hwdec-current"))
  }

  init() {}

  /// Returns the duration of a medium whose clock begins at `start`, in seconds.
  ///
  /// Matroska and Windows Media state the time of the end, although the clock of a recording may begin at any time. mpv
  /// counts positions from the beginning.
  static func duration(_ end: Double?, from start: Double?, format: String?) -> Double? {
    guard let end = end.flatMap(seconds) else { return nil }
    let statesEnd = (format ?? "").split(separator: ",").contains { $0 == "mkv" || $0 == "asf" }
    guard statesEnd, let start, start > 0, start < end else { return end }
    return end - start
  }

  /// The selected track of a kind: `video`, `audio` or `sub`.
  func selected(_ kind: String) -> Track? { tracks.first { $0.kind == kind && $0.isSelected } }

  /// Selects another sound track and other subtitles.
  mutating func select(sound: Track?, subtitles: Track?) {
    for index in tracks.indices {
      switch tracks[index].kind {
      case "audio": tracks[index].isSelected = tracks[index].id == sound?.id
      case "sub": tracks[index].isSelected = tracks[index].id == subtitles?.id
      default: break
      }
    }
  }

  /// Whether the medium has a picture other than a still image.
  var hasPicture: Bool { tracks.contains { $0.kind == "video" && !$0.isCover } }

  /// The containers whose headers declare the duration of the whole file. That of others, such as `mpegts` and `ogg`,
  /// follows from the bytes that are there.
  private static let declaring: Set<String> = [
    "mkv", "mov", "mp4", "m4a", "avi", "asf", "flv", "flac", "wav", "w64", "aiff", "ape", "tta",
    "wv",
  ]

  /// Whether the container declares the duration.
  var declaresDuration: Bool {
    duration != nil
      && (format ?? "").split(separator: ",").contains { Self.declaring.contains(String($0)) }
  }

  /// Whether the medium has sound.
  var hasSound: Bool { tracks.contains { $0.kind == "audio" } }

  /// Returns the index of the chapter at a position in seconds; nil without chapters, or before the
  /// first.
  func chapter(at seconds: Double) -> Int? { chapters.lastIndex { $0.begin <= seconds + 0.001 } }

  /// The position in a chapter or song, in seconds, up to which `previous` goes to the one before.
  /// After it, `previous` goes to the beginning of the current one.
  static let restartLimit = 3.0

  /// The target of a step to another chapter.
  enum ChapterStep: Equatable, Sendable {
    /// The beginning of the chapter, in seconds.
    case begin(Double)
    /// There is no target: the present chapter is the last one.
    case behindLast
  }

  /// Returns the target of a step forwards (`steps` 1) or backwards (`steps` -1). A step backwards
  /// goes to the beginning of the current chapter, or to the chapter before if the position is at
  /// most ``restartLimit`` after that beginning.
  ///
  /// - Returns: Nil for a medium with fewer than two chapters, and for a position before the first
  ///   chapter.
  func chapterStep(_ steps: Int, from seconds: Double) -> ChapterStep? {
    guard chapters.count > 1, let index = chapter(at: seconds) else { return nil }
    let isLate = seconds - chapters[index].begin > Self.restartLimit
    let wanted = steps < 0 ? (isLate ? index : index - 1) : index + 1
    guard wanted < chapters.count else { return .behindLast }
    return .begin(wanted < 0 ? 0 : chapters[wanted].begin)
  }

  /// Reads mpv's `track-list`; entries without a type are left out.
  static func tracks(_ json: JSON?) -> [Track] {
    (json?.array ?? []).prefix(most).compactMap { track in
      guard let kind = track["type"]?.string else { return nil }
      func size(_ key: String) -> Int? {
        track[key]?.integer.flatMap { (1...100_000).contains($0) ? $0 : nil }
      }
      let file = text(track["external-filename"]).map { SubtitleFiles.stem(of: $0) }
      let title = text(track["title"])
      let isExternal = track["external"]?.bool == true
      var language = text(track["lang"])
      if isExternal, LanguageCodes.isUnknown(language) {
        language = file.flatMap { LanguageCodes.code(inFileName: $0 + ".srt") } ?? language
      }
      return Track(
        id: track["id"]?.integer ?? 0, kind: kind, codec: text(track["codec"]) ?? "?",
        language: language,
        channels: size("demux-channel-count"), width: size("demux-w"), height: size("demux-h"),
        isCover: track["albumart"]?.bool == true || track["image"]?.bool == true,
        isSelected: track["selected"]?.bool == true,
        title: title ?? file,
        isDefault: track["default"]?.bool == true, isForcedByFile: track["forced"]?.bool == true,
        isHearingImpaired: track["hearing-impaired"]?.bool == true,
        isVisualImpaired: track["visual-impaired"]?.bool == true, isExternal: isExternal)
    }
  }

  /// Reads mpv's `chapter-list`; entries without a valid time are left out.
  static func chapters(_ json: JSON?) -> [Chapter] {
    (json?.array ?? []).prefix(most).compactMap { chapter in
      guard let begin = chapter["time"]?.number.flatMap(seconds) else { return nil }
      return Chapter(title: text(chapter["title"]), begin: begin)
    }.sorted { $0.begin < $1.begin }
  }

  /// Returns a time of 0 to 1,000,000,000 s; nil for other numbers.
  static func seconds(_ number: Double) -> Double? {
    number.isFinite && (0...1_000_000_000).contains(number) ? number : nil
  }

  /// Reads mpv's `hwdec-current`; nil for "no", which means decoding in software.
  static func hardwareDecoder(_ json: JSON?) -> String? {
    text(json).flatMap { $0 == "no" ? nil : $0 }
  }

  /// Adds the missing titles of an audio CD and its songs. mpv reports the beginnings of the songs,
  /// usually without titles.
  mutating func nameSongs() {
    title = title ?? "Audio CD"
    for index in chapters.indices where chapters[index].title == nil {
      chapters[index] = Chapter(title: "Song \(index + 1)", begin: chapters[index].begin)
    }
  }

  private static func text(_ json: JSON?) -> String? {
    let text = json?.string?.boundedLine(maximumBytes: 300)
    return text?.isEmpty == false ? text : nil
  }
}

import JSON

/// The kinds of files that hold music, by the names of libav's demuxers.
enum Container: String, Sendable, CaseIterable {
  case wav, w64, aiff, au, caf, flac, mp3, aac, ogg, mov, asf, matroska, wavpack = "wv", tta, dsf
  case ape, musepack = "mpc", musepack8 = "mpc8", tak, shorten = "shn", dsdiff = "iff", amr
  /// Bitstreams without a container.
  case dts, ac3, eac3, spdif

  /// The extensions of music files, with their containers.
  private static let endings: [String: Container] = [
    "wav": .wav, "wave": .wav, "w64": .w64, "aif": .aiff, "aiff": .aiff, "aifc": .aiff, "au": .au,
    "snd": .au, "caf": .caf, "flac": .flac, "mp3": .mp3, "mp2": .mp3, "mpga": .mp3, "aac": .aac,
    "ogg": .ogg, "oga": .ogg, "opus": .ogg, "m4a": .mov, "mp4": .mov, "m4b": .mov, "wma": .asf,
    "mka": .matroska, "wv": .wavpack, "tta": .tta, "dsf": .dsf, "ape": .ape, "mpc": .musepack8,
    "tak": .tak, "shn": .shorten, "dff": .dsdiff, "amr": .amr, "awb": .amr,
    "spx": .ogg, "3ga": .mov, "webm": .matroska, "weba": .matroska, "dts": .dts, "ac3": .ac3,
    "eac3": .eac3, "ec3": .eac3,
  ]
  /// The extensions of films and of common files without music. Such files are not opened.
  private static let otherEndings: Set<String> = [
    "jpg", "jpeg", "png", "gif", "bmp", "webp", "tif", "tiff", "svg", "ico", "pdf", "txt", "md",
    "nfo", "log", "cue", "m3u", "m3u8", "pls", "xspf", "htm", "html", "xml", "json", "url", "ini",
    "db", "sfv", "md5", "ffp", "accurip", "lrc", "srt", "sub", "zip", "rar", "7z", "gz", "tar",
    "iso", "exe", "doc", "docx", "mkv", "avi", "mpg", "mpeg", "vob", "wmv", "mov", "m4v",
    "flv", "ts", "part", "tmp", "bak", "asf", "f4v", "m2ts", "mts", "divx", "rm", "rmvb", "ifo",
    "bup", "crdownload",
  ]

  /// Guesses the container from the file name's extension; nil if it is not one of music.
  init?(path: String) {
    guard let kind = Self.ending(of: path).flatMap({ Self.endings[$0] }) else { return nil }
    self = kind
  }

  /// Whether a file with this name may hold music, so that its content is worth reading.
  static func isPossible(path: String) -> Bool {
    Self.ending(of: path).map { !otherEndings.contains($0) } ?? true
  }

  /// The extension of a file's name in lower case; nil without a short extension in ASCII.
  private static func ending(of path: String) -> String? {
    let name = path.utf8.suffix(8)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = name[name.index(after: dot)...]
    guard !ending.contains(UInt8(ascii: "/")), ending.allSatisfy({ $0 < 0x80 }) else { return nil }
    return String(decoding: ending, as: UTF8.self).lowercased()
  }

  /// Detects the container from the first bytes of a file; nil if they are not conclusive.
  init?(start bytes: ArraySlice<UInt8>) {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if has("fLaC") {
      self = .flac
    } else if has("OggS") {
      self = .ogg
    } else if (has("RIFF") || has("RF64") || has("RIFX")) && has("WAVE", at: 8) {
      self = .wav
    } else if has("riff") && has("wave", at: 24) {
      self = .w64
    } else if has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8)) {
      self = .aiff
    } else if has(".snd") {
      self = .au
    } else if has("caff") {
      self = .caf
    } else if has("wvpk") {
      self = .wavpack
    } else if has("TTA1") {
      self = .tta
    } else if has("DSD ") {
      self = .dsf
    } else if has("MAC ") {
      self = .ape
    } else if has("MPCK") {
      self = .musepack8
    } else if has("MP+") {
      self = .musepack
    } else if has("tBaK") {
      self = .tak
    } else if has("ajkg") {
      self = .shorten
    } else if has("FRM8") && has("DSD ", at: 12) {
      self = .dsdiff
    } else if has("#!AMR") {
      self = .amr
    } else if has("ftyp", at: 4) {
      self = .mov
    } else if bytes.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) {
      self = .asf
    } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      self = .matroska
    } else {
      return nil
    }
  }

  /// Whether its files may also be films. Such a file counts as music only if its extension says so.
  var alsoHoldsFilms: Bool { self == .mov || self == .asf || self == .matroska }
}

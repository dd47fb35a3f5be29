/// The kinds of files that count as music, told by their names.
enum AudioFileKind: String {
  case wav, wave, flac, mp3, ogg, oga, opus, m4a, mp4, m4b, aac, aif, aiff

  /// The kind of the file at `path`; nil for pictures, lists, texts and hidden files.
  init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return nil }
    self.init(rawValue: name[name.index(after: dot)...].lowercased())
  }

  /// libav's name for the demuxer that reads this kind.
  var demuxer: String {
    switch self {
    case .wav, .wave: "wav"
    case .flac: "flac"
    case .mp3: "mp3"
    case .ogg, .oga, .opus: "ogg"
    case .m4a, .mp4, .m4b: "mov"
    case .aac: "aac"
    case .aif, .aiff: "aiff"
    }
  }
}

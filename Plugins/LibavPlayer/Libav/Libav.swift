import CLibav

/// FFmpeg's libraries, which are loaded when the first file or station needs them.
enum Libav {
  /// Loads the libraries (about 25 ms the first time, nothing afterwards).
  static func load() throws(MediaFailure) {
    guard let problem = lav_load() else { return }
    throw MediaFailure(
      .unavailable, subject: "", detail: String(cString: problem),
      hint: "Install FFmpeg's libraries: apt install libavformat59")
  }

  /// Whether the libraries are in memory.
  static var isLoaded: Bool { lav_is_loaded() == 1 }

  /// The version of libavformat, as "59.27.100". Only after ``load()``.
  static var version: String {
    let number = lav_avformat_version()
    return "\(number >> 16).\(number >> 8 & 0xff).\(number & 0xff)"
  }

  /// libav's sentence for an error code.
  static func describe(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard lav_av_strerror(code, &text, text.count) == 0 else { return "error \(code)" }
    return MediaText.line(text)
  }
}

import CLibav
import MediaFolders

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

  /// Returns libav's text for an error code.
  static func describe(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard lav_av_strerror(code, &text, text.count) == 0 else { return "error \(code)" }
    return MediaText.line(text)
  }
}

/// Options or tags as libav holds them; freed with this value.
struct LibavDictionary: ~Copyable {
  /// libav's pointer; functions that consume entries replace it.
  var pointer: OpaquePointer?

  /// A dictionary with these entries.
  init(_ entries: [(key: String, value: String)]) {
    for entry in entries { lav_av_dict_set(&pointer, entry.key, entry.value, 0) }
  }

  deinit {
    var pointer = pointer
    lav_av_dict_free(&pointer)
  }

  /// Returns a tag's text in a dictionary that libav owns, at most ``MediaText/longestTag`` bytes; nil
  /// where it has no such tag. The case of `name` does not count.
  ///
  /// Names are compared by libav, byte by byte: those in a file never become a Swift `String`.
  static func tag(_ name: String, in dictionary: OpaquePointer?) -> String? {
    guard let entry = lav_av_dict_get(dictionary, name, nil, 0), let value = entry.pointee.value
    else { return nil }
    let text = MediaText.line(value)
    return text.isEmpty ? nil : text
  }
}

extension MediaFailure {
  /// Creates a failure from libav's error code while it was `doing` something with `subject`.
  init(code: Int32, subject: String, doing: String) {
    switch code {
    case LAV_EXIT:
      self.init(.cancelled, subject: subject, detail: "\(doing) was cancelled")
    case LAV_NO_ENTRY:
      self.init(
        .missing, subject: subject, detail: "\(doing) failed: there is no such file",
        hint: "Scan the library again.")
    case LAV_INVALID_DATA, LAV_EOF, LAV_BAD_ARGUMENT:
      self.init(
        .corrupt, subject: subject, detail: "\(doing) failed: this is no audio, or it is damaged",
        hint: "Check the file with: ffprobe FILE")
    case LAV_IO:
      self.init(.unreachable, subject: subject, detail: "\(doing) failed: the connection broke off")
    default:
      self.init(
        .unreachable, subject: subject, detail: "\(doing) failed: \(Libav.describe(code))")
    }
  }
}

import CLibav
import MediaFolders

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
      self.init(.unreachable, subject: subject, detail: "\(doing) failed: it broke off")
    default:
      self.init(
        .unreachable, subject: subject, detail: "\(doing) failed: \(Libav.describe(code))")
    }
  }
}

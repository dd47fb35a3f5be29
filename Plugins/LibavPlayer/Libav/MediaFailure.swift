import CLibav
import JSON

/// Why a file or a stream cannot be played, in words for the person who wants to hear it.
struct MediaFailure: Error, Equatable {
  /// What kind of failure it is; decides whether the player skips, retries or gives up.
  enum Kind: String, Equatable {
    /// libav is not installed.
    case unavailable
    /// The file or folder is not there (any more).
    case missing
    /// The path leads out of the media folder.
    case outside
    /// The data are damaged, empty or no audio.
    case corrupt
    /// The audio is of a kind that we do not play.
    case unsupported
    /// The operating system or the network refused.
    case unreachable
    /// We stopped it ourselves.
    case cancelled
  }

  /// What kind of failure it is.
  let kind: Kind
  /// The file or address, as the person knows it, at most ``MediaText/longestSubject`` bytes.
  let subject: String
  /// What happened.
  let detail: String
  /// What to do next; empty if there is nothing to do.
  let hint: String

  init(_ kind: Kind, subject: String, detail: String, hint: String = "") {
    self.kind = kind
    self.subject = subject.boundedLine(maximumBytes: MediaText.longestSubject)
    self.detail = detail
    self.hint = hint
  }

  /// A failure that libav reported as a code while it was `doing` something with `subject`.
  init(code: Int32, subject: String, doing: String) {
    switch code {
    case LAV_EXIT:
      self.init(.cancelled, subject: subject, detail: "\(doing) was cancelled")
    case LAV_NO_ENTRY:
      self.init(
        .missing, subject: subject, detail: "\(doing) failed: there is no such file",
        hint: "Read the media folders again: theater library scan")
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

  /// The whole message: subject, what happened, what to do.
  var message: String {
    let head = subject.isEmpty ? detail : "\(subject): \(detail)"
    return hint.isEmpty ? head : "\(head). \(hint)"
  }
}

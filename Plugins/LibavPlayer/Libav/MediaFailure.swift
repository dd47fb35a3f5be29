import CLibav
import Devices
import JSON

/// The reason why a file or a stream cannot be played, as a message for people.
struct MediaFailure: Error, Equatable {
  /// The kind of failure; it decides whether the player skips, retries or gives up.
  enum Kind: String, Equatable {
    /// libav is not installed.
    case unavailable
    /// The file or folder is not there (any more).
    case missing
    /// The path leads out of the media folder.
    case outside
    /// The data are damaged, empty or no audio.
    case corrupt
    /// The audio is of a kind that is not played.
    case unsupported
    /// The operating system or the network refused.
    case unreachable
    /// A newer command cancelled it.
    case cancelled
  }

  /// The kind of failure.
  let kind: Kind
  /// The file or station, at most ``MediaText/longestSubject`` bytes.
  let subject: String
  /// What happened.
  let detail: String
  /// The next step for the user; empty if there is none.
  let hint: String

  init(_ kind: Kind, subject: String, detail: String, hint: String = "") {
    self.kind = kind
    self.subject = subject.boundedLine(maximumBytes: MediaText.longestSubject)
    self.detail = detail
    self.hint = hint
  }

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

  /// The whole message: subject, what happened, what to do.
  var message: String {
    let head = subject.isEmpty ? detail : "\(subject): \(detail)"
    return hint.isEmpty ? head : "\(head). \(hint)"
  }
}

extension DeviceError {
  /// The answer to a command that a file or stream made fail.
  init(_ failure: MediaFailure) {
    let code: Code =
      switch failure.kind {
      case .cancelled: .cancelled
      case .outside, .missing: .invalid
      case .unavailable: .unavailable
      case .corrupt, .unsupported, .unreachable: .failed
      }
    let subject = failure.subject.isEmpty ? "" : failure.subject + ": "
    self.init(
      code, subject + failure.detail, hint: failure.hint.isEmpty ? nil : failure.hint)
  }
}

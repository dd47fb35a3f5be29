import Devices
import JSON

/// The reason why a file or a stream cannot be played, as a message for people.
package struct MediaFailure: Error, Equatable {
  /// The kind of failure; it decides whether the player skips, retries or gives up.
  package enum Kind: String, Equatable {
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
  package let kind: Kind
  /// The file or station, at most ``MediaText/longestSubject`` bytes.
  package let subject: String
  /// What happened.
  package let detail: String
  /// The next step for the user; empty if there is none.
  package let hint: String

  package init(_ kind: Kind, subject: String, detail: String, hint: String = "") {
    self.kind = kind
    self.subject = subject.boundedLine(maximumBytes: MediaText.longestSubject)
    self.detail = detail
    self.hint = hint
  }

  /// The whole message: subject, what happened, what to do.
  package var message: String {
    let head = subject.isEmpty ? detail : "\(subject): \(detail)"
    return hint.isEmpty ? head : "\(head). \(hint)"
  }
}

extension DeviceError {
  /// The answer to a command that a file or stream made fail.
  package init(_ failure: MediaFailure) {
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

import Devices
import JSON

/// The reason why a file or a stream cannot be played, as a message for people.
package struct MediaFailure: Error, Equatable {
  /// The kind of failure; it decides whether the player skips, retries or gives up.
  package enum Kind: String, Equatable {
    /// The program or library that reads media is missing, or does not start.
    case unavailable
    /// The file or folder does not exist or cannot be reached.
    case missing
    /// The path leads out of the media folder.
    case outside
    /// The data are damaged, empty or not media.
    case corrupt
    /// The file or its audio format is of a kind that is not played.
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
  /// The description of the failure.
  package let detail: String
  /// The next step for the user; empty if there is none.
  package let hint: String

  /// - Parameters:
  ///   - subject: The file or station; cut to ``MediaText/longestSubject`` bytes on one line.
  ///   - hint: The next step for the user; empty if there is none.
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
  /// Converts a media failure into the error of a command.
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

import Hummingbird

/// How long the answer may wait for the end of a run or command: `Prefer: wait=10` (RFC 7240).
/// Preferences that cannot be read are ignored, as that standard requires.
package struct PreferredWait: Sendable, Hashable {
  /// The longest wait, in seconds.
  package static let longest = 60
  /// In seconds; `nil` without the preference.
  package let seconds: Int?
  /// Whether the request prefers an answer at once: `respond-async`.
  package let isAsynchronous: Bool

  /// Reads every `Prefer` header of a request.
  package init(_ headers: [String]) {
    var seconds: Int?
    var isAsynchronous = false
    for header in headers {
      for preference in header.split(separator: ",") {
        let parts = preference.split(separator: ";").first?.split(separator: "=", maxSplits: 1)
        guard let name = parts?.first?.trimmed.lowercased() else { continue }
        switch name {
        case "respond-async": isAsynchronous = true
        case "wait":
          // Of several, the first counts (RFC 7240, section 2).
          guard seconds == nil, let value = parts?.dropFirst().first?.trimmed.unquoted,
            let number = Int(value), number >= 0
          else { continue }
          seconds = min(number, Self.longest)
        default: continue
        }
      }
    }
    self.seconds = seconds
    self.isAsynchronous = isAsynchronous
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  fileprivate var unquoted: Substring {
    count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
  }
}

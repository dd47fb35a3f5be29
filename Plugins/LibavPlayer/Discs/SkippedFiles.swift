/// The files that a scan skipped: the first messages, and the number of all.
struct SkippedFiles: Equatable, Sendable {
  /// The most messages kept.
  static let most = 100

  /// The first messages, at most ``most``.
  private(set) var failures: [MediaFailure] = []
  /// The number of all messages.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The first `failures` of `count`.
  init(_ failures: [MediaFailure] = [], count: Int = 0) {
    self.failures = Array(failures.prefix(Self.most))
    self.count = max(count, self.failures.count)
  }

  /// Adds a file or folder that was left out.
  mutating func append(_ failure: MediaFailure) {
    count += 1
    if failures.count < Self.most { failures.append(failure) }
  }

  /// Adds all that another list names or counts.
  mutating func append(_ others: SkippedFiles) {
    for failure in others.failures { append(failure) }
    count += others.count - others.failures.count
  }
}

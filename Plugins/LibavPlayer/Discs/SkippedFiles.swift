/// What a scan has left out: the first messages, and how many there were.
struct SkippedFiles: Equatable, Sendable {
  /// So many messages are kept.
  static let most = 100

  /// The first of them, at most ``most``.
  private(set) var failures: [MediaFailure] = []
  /// All of them.
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

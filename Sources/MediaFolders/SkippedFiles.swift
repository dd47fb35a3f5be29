import Devices

/// The files and folders that a scan skipped: the first messages, and the total number.
package struct SkippedFiles: Equatable, Sendable {
  /// The most messages kept.
  package static let most = 100

  /// The first messages, at most ``most``.
  package private(set) var failures: [MediaFailure] = []
  /// The number of all messages.
  package private(set) var count = 0

  /// Whether no file was skipped.
  package var isEmpty: Bool { count == 0 }

  /// - Parameters:
  ///   - failures: The first messages; those beyond ``most`` are dropped.
  ///   - count: The number of all messages.
  package init(_ failures: [MediaFailure] = [], count: Int = 0) {
    self.failures = Array(failures.prefix(Self.most))
    self.count = max(count, self.failures.count)
  }

  /// Adds a skipped file or folder.
  package mutating func append(_ failure: MediaFailure) {
    count += 1
    if failures.count < Self.most { failures.append(failure) }
  }

  /// The messages as left-out files of a listing.
  package var leftOut: [CatalogueListing.LeftOutFile] {
    failures.map { failure in
      CatalogueListing.LeftOutFile(
        file: failure.subject, reason: failure.detail,
        hint: failure.hint.isEmpty ? nil : failure.hint)
    }
  }

  /// Adds all messages of another list.
  package mutating func append(_ others: SkippedFiles) {
    for failure in others.failures { append(failure) }
    count += others.count - others.failures.count
  }
}

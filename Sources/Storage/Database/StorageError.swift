import GRDB

/// Why something could not be stored or read, in words for the person who runs the theater.
package struct StorageError: Error, Hashable, Sendable {
  /// What a program decides by.
  package enum Code: String, Sendable, CaseIterable {
    /// The disk is full; reading goes on.
    case full = "storageFull"
    /// The database was written by a newer version of the program.
    case newerSchema
    /// The file is no database, or a broken one.
    case damaged
    /// The value cannot be stored.
    case invalid
    /// Anything else that the disk, its permissions or SQLite answered.
    case failed = "storageFailed"
  }

  package let code: Code
  /// What happened, as a sentence.
  package let message: String
  /// What to do next, as a sentence.
  package let hint: String

  init(_ code: Code, message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension StorageError: CustomStringConvertible {
  /// As a log shows it.
  package var description: String { "\(message) \(hint)" }
}

extension StorageError {
  static let full = StorageError(
    .full, message: "The disk is full: nothing can be stored, everything else goes on.",
    hint: "Free some space; nothing needs a restart.")

  static func newerSchema(_ path: String) -> StorageError {
    StorageError(
      .newerSchema, message: "\(path) was written by a newer version of this program.",
      hint: "Install that version again, or start with another state folder. Nothing was changed.")
  }

  static func damaged(_ path: String) -> StorageError {
    StorageError(
      .damaged, message: "\(path) is not a database, or it is damaged.",
      hint: "Put a backup in its place, or move the file away to start without accounts.")
  }

  static func failed(_ reason: String) -> StorageError {
    StorageError(
      .failed, message: "The database could not be used: \(reason).",
      hint: "Check that the state folder belongs to you and that its disk is mounted for writing.")
  }

  /// Says in our words what SQLite answered; its own text may hold what was to be stored.
  init(_ error: any Error, at path: String) {
    switch error {
    case let error as StorageError: self = error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_FULL: self = .full
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path)
      default: self = .failed("SQLite answered \(error.extendedResultCode)")
      }
    default: self = .failed("\(type(of: error))")
    }
  }
}

import GRDB

/// The reason why reading or writing failed, with messages for the owner of the theater.
public struct StorageError: Error, Hashable, Sendable {
  /// For programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The disk is full; reading still works.
    case full = "storageFull"
    /// The database was written by a newer version of the program.
    case newerSchema
    /// The database was written by an older version and must not be changed here.
    case olderSchema
    /// The file is no database, or a damaged one.
    case damaged
    /// The key of the second factors is missing, damaged, or another database's.
    case damagedKey
    /// The database is in use or being replaced.
    case inUse
    /// There is no such database or backup.
    case missing
    /// The value cannot be stored.
    case invalid
    /// Any other error of the disk, its permissions or SQLite.
    case failed = "storageFailed"
  }

  /// The kind of error, for programs.
  public let code: Code
  /// The description of the failure; one sentence.
  public let message: String
  /// The next action; one sentence.
  public let hint: String

  package init(_ code: Code, message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension StorageError: CustomStringConvertible {
  /// The text for the log.
  public var description: String { "\(message) \(hint)" }
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

  static func damaged(_ path: String, because reason: String? = nil) -> StorageError {
    StorageError(
      .damaged,
      message: reason.map { "\(path) is damaged: \($0)." }
        ?? "\(path) is not a database, or it is damaged.",
      hint: "Put a good backup in its place: `theater backup list` shows which there are.")
  }

  /// The hint when the controller finds its database damaged.
  static func damagedHint(_ backups: Backups) -> String {
    guard let newest = backups.newestGood else {
      return "There is no good backup. Move the file away to start without accounts."
    }
    return "Put the newest good backup in its place: `theater backup restore \(newest.name)`. "
      + "What is there now is kept aside."
  }

  static func fullAtStart(_ path: String) -> StorageError {
    StorageError(
      .full, message: "The disk of \(path) is full: the database cannot be opened.",
      hint: "Free some space, then start the controller again. Nothing was changed.")
  }

  static func olderSchema(_ path: String) -> StorageError {
    StorageError(
      .olderSchema, message: "\(path) was written by an older version of this program.",
      hint: "Start the controller of this version once: it brings the database up to date.")
  }

  static func inUse(_ path: String) -> StorageError {
    StorageError(
      .inUse, message: "A controller uses the database in \(path).",
      hint: "End it first; its process id stands in \(path)/theater.lock.")
  }

  static func beingRestored(_ path: String) -> StorageError {
    StorageError(
      .inUse, message: "A backup is being restored in \(path).",
      hint: "Wait until that is done, then start again.")
  }

  static func noDatabase(_ path: String) -> StorageError {
    StorageError(
      .missing, message: "There is no database at \(path).",
      hint: "The controller makes it at its first start.")
  }

  static func noBackup(_ path: String) -> StorageError {
    StorageError(
      .missing, message: "There is no backup at \(path).",
      hint: "See which there are: `theater backup list`.")
  }

  static func noBackup(named name: String) -> StorageError {
    StorageError(
      .missing, message: "\"\(name)\" is not the name of a backup.",
      hint: "See which there are: `theater backup list`.")
  }

  static func failed(_ reason: String) -> StorageError {
    StorageError(
      .failed, message: "The database could not be used: \(reason).",
      hint: "Check that the state folder belongs to you and that its disk is mounted for writing.")
  }

  /// Replaces SQLite's message, which may contain stored values.
  init(_ error: any Error, at path: String) {
    switch error {
    case let error as StorageError: self = error
    case let error as DatabaseError where error.isFullDisk: self = .full
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path)
      default: self = .failed("SQLite answered \(error.extendedResultCode)")
      }
    default: self = .failed("\(type(of: error))")
    }
  }
}

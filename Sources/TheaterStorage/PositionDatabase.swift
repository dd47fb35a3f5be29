import Accounts
import GRDB
import HomeTheater
import Storage

/// The saved positions of items for each user, in seconds from the beginning (E10).
package struct PositionDatabase: PositionStore {
  let database: TheaterDatabase
  let clock: WallClock

  /// Saves a position in place of an earlier one; it is on the disk when this returns. Drops the position of a user who
  /// was deleted since the database was opened: an item that the user started may still be playing.
  /// - Parameter seconds: From the beginning of the item, finite and not negative.
  /// - Throws: `invalid`, `full` or `failed`.
  package func save(_ seconds: Double, item: String, user: String) async throws(StorageError) {
    guard seconds.isFinite, seconds >= 0 else { throw Self.invalid(seconds) }
    try Self.check(item, user)
    let now = clock.now().milliseconds
    try await database.attempt { database async throws in
      try await database.write {
        try $0.execute(
          sql: """
            INSERT INTO position (user, item, seconds, updatedAt)
            SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM temp.deletedUser WHERE id = ?1)
            ON CONFLICT DO UPDATE SET seconds = excluded.seconds, updatedAt = excluded.updatedAt
            """,
          arguments: [user, item, seconds, now])
      }
    }
  }

  /// The saved position in seconds; nil when there is none.
  /// - Throws: `invalid` or `failed`.
  package func position(item: String, user: String) async throws(StorageError) -> Double? {
    try Self.check(item, user)
    return try await database.attempt { database async throws in
      try await database.read {
        try Double.fetchOne(
          $0, sql: "SELECT seconds FROM position WHERE user = ? AND item = ?",
          arguments: [user, item])
      }
    }
  }

  /// All saved positions of a user in seconds, the one that was saved last first.
  /// - Throws: `invalid` or `failed`.
  package func positions(
    user: String
  ) async throws(StorageError) -> [(item: String, seconds: Double)] {
    try Self.check("", user)
    return try await database.attempt { database async throws in
      try await database.read {
        try Row.fetchAll(
          $0, sql: "SELECT item, seconds FROM position WHERE user = ? ORDER BY updatedAt DESC",
          arguments: [user]
        ).map { (item: $0["item"], seconds: $0["seconds"]) }
      }
    }
  }

  /// Deletes a position, as for an item that was played to its end; without one it does nothing.
  /// - Throws: `invalid`, `full` or `failed`.
  package func clear(item: String, user: String) async throws(StorageError) {
    try Self.check(item, user)
    try await database.attempt { database async throws in
      try await database.write {
        try $0.execute(
          sql: "DELETE FROM position WHERE user = ? AND item = ?", arguments: [user, item])
      }
    }
  }

  private static func invalid(_ seconds: Double) -> StorageError {
    StorageError(
      .invalid, message: "\(seconds) seconds is no position in a film or song.",
      hint: "Save a finite number of seconds, 0 or more.")
  }

  /// Text in SQLite ends at a NUL, so two such names could be equal.
  private static func check(_ item: String, _ user: String) throws(StorageError) {
    guard !item.utf8.contains(0), !user.utf8.contains(0) else {
      throw StorageError(
        .invalid, message: "The name of a film, song or user holds the character NUL.",
        hint: "Rename it.")
    }
  }
}

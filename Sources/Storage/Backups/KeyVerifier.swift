import Accounts
import Foundation
import GRDB

/// Checks whether the key beside a database decrypts its secrets.
enum KeyVerifier {
  /// Decrypts every active second factor with the key in `folder`.
  /// - Throws: `damagedKey` when the key is no file of 32 bytes, is missing although there are second
  ///   factors, or belongs to another database.
  static func check(_ database: Database, in folder: String) throws {
    let factors = try factors(database)
    let path = "\(folder)/\(KeyFile.name)"
    guard let key = try KeyFile.load(at: path) else {
      if factors.isEmpty { return }
      throw StorageError.missingKey(path)
    }
    for (account, factor) in factors where !key.opens(factor, of: account) {
      throw StorageError.wrongKey(path)
    }
  }

  private static func factors(_ database: Database) throws -> [(AccountID, StoredFactor)] {
    guard try database.tableExists("secondFactor") else { return [] }
    return try Row.fetchAll(
      database, sql: "SELECT account, sealed FROM secondFactor WHERE activeSince IS NOT NULL"
    ).map { row in
      let sealed: Data = row["sealed"]
      return (AccountID(row["account"]), StoredFactor(sealed: Array(sealed), isActive: true))
    }
  }
}

extension Backups {
  /// Decrypts the second factors in the state folder's database with its key.
  /// - Returns: false when there is no database yet.
  /// - Throws: `damaged` or `damagedKey` with the reason, `inUse` while a backup is being restored, `failed`.
  package func checkKey() throws(StorageError) -> Bool {
    let path = "\(state)/\(TheaterDatabase.fileName)"
    guard DurableFile.kind(path) == .file else { return false }
    let lock = try StateLock(state, for: .sharing)
    defer { withExtendedLifetime(lock) {} }
    do {
      try verifyKey(DatabaseQueue(path: path))
      return true
    } catch {
      throw StorageError(error, at: path)
    }
  }

  /// Tries the state folder's key, so that an error names that file and not the copy.
  func verifyKey(_ source: any DatabaseReader) throws(StorageError) {
    do {
      try source.read { try KeyVerifier.check($0, in: state) }
    } catch {
      throw StorageError(error, at: state)
    }
  }
}

import Foundation
import Glibc
import Storage

/// Checks the backups of accounts and positions.
struct BackupCheck {
  let paths: ApplicationPaths
  var now = Date()

  /// The age above which a notice is given, in days.
  private static let oldest = 30

  /// A finding for each damaged backup, and one for the newest whole one; none while there is neither
  /// backup nor database.
  func findings() -> [Finding] {
    let backups = Backups(of: paths.state)
    // A database that a backup has replaced may be damaged: that is why it was replaced.
    let all = backups.all.filter { $0.reason != .replaced }
    guard !all.isEmpty || hasDatabase else { return [] }
    var whole: [Backup] = []
    var findings: [Finding] = []
    for backup in all {
      do {
        try backups.verify(backup)
        whole.append(backup)
      } catch {
        findings.append(
          .bad(
            "backup", "\(backup.name) cannot be used: \(error.message)",
            remedy: "\(Self.create), then rm -r \(backup.path)"))
      }
    }
    return findings + [ageFinding(of: whole)]
  }

  private func ageFinding(of whole: [Backup]) -> Finding {
    guard let newest = whole.first, let madeAt = newest.madeAt else {
      return .notice("backup", "there is no intact backup", remedy: Self.create)
    }
    let days = Int(now.timeIntervalSince(madeAt) / 86_400)
    guard days <= Self.oldest else {
      return .notice(
        "backup", "the last one is \(days) days old: \(newest.name)",
        remedy: "\(Self.create); the controller makes one a day while it runs")
    }
    return .good("backup", "\(newest.name), the newest of \(whole.count)")
  }

  private static var create: String { "\(ProgramName.name) backup create" }

  private var hasDatabase: Bool {
    access("\(paths.state)/\(TheaterDatabase.fileName)", F_OK) == 0
  }
}

/// Checks whether the key file decrypts the second factors in the database.
struct KeyCheck {
  let paths: ApplicationPaths

  /// The finding on the key; none without a database.
  func findings() -> [Finding] {
    do throws(StorageError) {
      guard try Backups(of: paths.state).checkKey() else { return [] }
      return [.good("key", "it opens the second factors in the database")]
    } catch {
      return [.bad("key", error.message, remedy: error.hint)]
    }
  }
}

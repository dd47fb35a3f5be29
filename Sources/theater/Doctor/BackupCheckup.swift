import Foundation
import Glibc
import Storage

/// Looks at the copies of accounts and positions.
struct BackupCheckup {
  let folders: ApplicationPaths
  var now = Date()

  /// A copy that is older than this is hardly one: in days.
  private static let oldest = 30

  /// Whether there is one that is whole and not old, and which are damaged; nothing before there is
  /// something to copy.
  func findings() -> [Finding] {
    let backups = Backups(of: folders.state)
    // What another took the place of may be damaged, and that is why.
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
            "backup", "\(backup.name) is of no use: \(error.message)",
            remedy: "\(Self.create), then rm -r \(backup.path)"))
      }
    }
    return findings + [standing(of: whole)]
  }

  private func standing(of whole: [Backup]) -> Finding {
    guard let newest = whole.first, let madeAt = newest.madeAt else {
      return .notice("backup", "there is none that is whole", remedy: Self.create)
    }
    let days = Int(now.timeIntervalSince(madeAt) / 86_400)
    guard days <= Self.oldest else {
      return .notice(
        "backup", "the last one is \(days) days old: \(newest.name)",
        remedy: "\(Self.create); the controller makes one a day while it runs")
    }
    return .good("backup", "\(newest.name), the newest of \(whole.count)")
  }

  private static var create: String { "\(Invocation.name) backup create" }

  private var hasDatabase: Bool {
    access("\(folders.state)/\(TheaterDatabase.fileName)", F_OK) == 0
  }
}

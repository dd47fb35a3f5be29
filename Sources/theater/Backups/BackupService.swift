import Accounts
import Devices
import Foundation
import Logging
import ServiceLifecycle
import Storage

/// A verified backup a day, for as long as the controller runs; one at the start where the newest is
/// older than that.
struct BackupService: Service {
  let backups: Backups
  let logger: Logger
  /// Copying and checking blocks its thread for a while, at low priority.
  private let queue = RequestQueue(workers: 1, waiting: 1)

  init(backups: Backups, logger: Logger) {
    self.backups = backups
    self.logger = logger
  }

  private static let day = Duration.seconds(86_400)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // Sound and light first.
      var admission = isDue ? RequestAdmission.after(.seconds(10)) : .after(Self.day)
      while await make(admission) { admission = .after(Self.day) }
    }
  }

  /// Whether the newest is older than a day; after a jump of the clock, whether there is none near.
  private var isDue: Bool {
    !backups.all.contains { backup in
      guard backup.reason != .replaced, let madeAt = backup.madeAt else { return false }
      return abs(madeAt.timeIntervalSinceNow) < 86_400
    }
  }

  /// - Returns: false where nobody waits for it any more.
  private func make(_ admission: RequestAdmission) async -> Bool {
    do throws(AccountError) {
      let result = try await queue.run(admission, priority: .low) { _ in
        Result<Backup, StorageError> { () throws(StorageError) in
          try backups.create(.daily, at: Date())
        }
      }
      if case .failure(let error) = result { logger.warning("no backup was made: \(error)") }
      return true
    } catch {
      return false
    }
  }
}

import Accounts
import Devices
import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Makes a verified backup each day while the controller runs, and one after the start if the newest
/// is older than a day.
struct BackupService: Service {
  let backups: Backups
  let logger: Logger
  /// Copying and verifying block a thread; the queue runs them at low priority.
  private let queue = RequestQueue(workers: 1, waiting: 1)

  init(backups: Backups, logger: Logger) {
    self.backups = backups
    self.logger = logger
  }

  private static let day = Duration.seconds(86_400)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // Leaves the disk to the start of plugins and playback.
      var admission = isDue ? RequestAdmission.after(.seconds(10)) : .after(Self.day)
      while await make(admission) { admission = .after(Self.day) }
    }
  }

  /// Whether no backup is less than a day away from now, in the past or, after a change of the clock,
  /// in the future.
  private var isDue: Bool {
    !backups.all.contains { backup in
      guard backup.reason != .replaced, let madeAt = backup.madeAt else { return false }
      return abs(madeAt.timeIntervalSinceNow) < 86_400
    }
  }

  /// - Returns: Whether the service continues; false after a cancellation.
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

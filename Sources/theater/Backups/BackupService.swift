import Foundation
import Jobs
import Logging
import ServiceLifecycle
import Storage

/// Makes a verified backup a day after the newest one, while the controller runs.
struct BackupService: Service {
  let backups: Backups
  let logger: Logger
  /// Copying and checking blocks its thread for a while, at low priority.
  private let queue = JobQueue(workers: 1, capacity: 1)

  init(backups: Backups, logger: Logger) {
    self.backups = backups
    self.logger = logger
  }

  private static let day: TimeInterval = 86_400
  /// Lets the devices start before the first backup.
  private static let startDelay: TimeInterval = 10

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var date = max(nextDate, Date() + Self.startDelay)
      while await makeBackup(at: date) { date = Date() + Self.day }
    }
  }

  /// A day after the newest backup; at once when the clock has jumped and none is within a day.
  private var nextDate: Date {
    let now = Date()
    let dates = backups.all.filter { $0.reason != .replaced }.compactMap(\.madeAt)
    let newest = dates.filter { abs($0.timeIntervalSince(now)) < Self.day }.max()
    return newest.map { $0 + Self.day } ?? now
  }

  /// - Returns: false when the service was cancelled.
  private func makeBackup(at date: Date) async -> Bool {
    do throws(JobError<StorageError>) {
      _ = try await queue.run(.at(date), priority: .low) { _ throws(StorageError) in
        try backups.create(.daily, at: Date())
      }
    } catch {
      guard case .failed(let reason) = error else { return false }
      logger.warning("no backup was made: \(reason)")
    }
    return true
  }
}

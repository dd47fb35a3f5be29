import Foundation
import Jobs
import Logging
import Platform
import ServiceLifecycle
import Storage

/// Makes a verified backup a day after the newest one, when nothing is on: copying and checking the
/// database must not compete with a film for the disk.
struct BackupService: Service {
  let backups: Backups
  /// Returns when nothing is on.
  let waitUntilIdle: @Sendable () async -> Void
  let logger: Logger
  private let clock: any TheaterClock
  private let date: @Sendable () -> Date
  /// Copying and checking blocks its thread for a while, at low priority.
  private let queue: JobQueue

  /// - Parameter date: Reads the wall clock.
  init(
    backups: Backups, clock: any TheaterClock = SystemClock(),
    date: @escaping @Sendable () -> Date = { Date() }, logger: Logger,
    waitUntilIdle: @escaping @Sendable () async -> Void
  ) {
    self.backups = backups
    self.clock = clock
    self.date = date
    queue = JobQueue(workers: 1, capacity: 1, clock: clock, date: date)
    self.logger = logger
    self.waitUntilIdle = waitUntilIdle
  }

  private static let day: TimeInterval = 86_400
  /// Lets the devices start before the first backup.
  private static let startDelay: TimeInterval = 10
  /// A backup that is due waits no longer than this for the end of an activity.
  static let longestWait = Duration.seconds(6 * 3_600)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var next = max(nextDate, date() + Self.startDelay)
      while await makeBackup(at: next) { next = date() + Self.day }
    }
  }

  /// A day after the newest backup; now if no backup is within a day of now, as after the clock was
  /// set.
  private var nextDate: Date {
    let now = date()
    let dates = backups.all.filter { $0.reason != .replaced }.compactMap(\.madeAt)
    let newest = dates.filter { abs($0.timeIntervalSince(now)) < Self.day }.max()
    return newest.map { $0 + Self.day } ?? now
  }

  /// Waits for the date and for the end of the activity, then makes a backup.
  ///
  /// - Returns: False if the service was cancelled.
  func makeBackup(at date: Date) async -> Bool {
    let admission = JobAdmission.all([.at(date), .when { await isQuiet() }])
    do throws(JobError<StorageError>) {
      _ = try await queue.run(admission, priority: .low) { _ throws(StorageError) in
        try backups.create(.daily, at: self.date())
      }
    } catch {
      guard case .failed(let reason) = error else { return false }
      logger.warning("no backup was made: \(reason)")
    }
    return true
  }

  /// Waits until nothing is on, but at most the longest wait.
  ///
  /// - Returns: true.
  private func isQuiet() async -> Bool {
    await withDiscardingTaskGroup { group in
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      group.addTask {
        await waitUntilIdle()
        end.finish()
      }
      group.addTask {
        try? await clock.sleep(for: Self.longestWait)
        end.finish()
      }
      for await _ in ends {}
      group.cancelAll()
    }
    return true
  }
}

import Foundation
import Platform

/// The condition under which a job may begin to wait for a worker (E5).
public enum JobAdmission: Sendable {
  case now
  /// After this time, by the clock of the job queue.
  case after(Duration)
  /// At this date by the wall clock. A change of the wall clock takes effect within 60 s.
  case at(Date)
  /// Calls the closure once: true admits the job, false refuses it. Cancelling the job cancels the closure.
  case when(@Sendable () async -> Bool)
  /// When each of these has admitted it, one after the other.
  case all([JobAdmission])

  /// The longest sleep, in seconds, before the wall clock is read again.
  private static let longestSleep: TimeInterval = 60

  var isNow: Bool { if case .now = self { true } else { false } }

  /// Waits until the job is admitted.
  /// - Parameter date: Reads the wall clock.
  /// - Throws: `cancelled`; `refused` when the condition is not met.
  func wait(_ clock: any TheaterClock, date: () -> Date) async throws(JobError<Never>) {
    do {
      switch self {
      case .now: break
      case .after(let delay): try await clock.sleep(for: delay)
      case .at(let time):
        while case let rest = time.timeIntervalSince(date()), rest > 0 {
          try await clock.sleep(for: .seconds(min(rest, Self.longestSleep)))
        }
      case .when(let condition):
        let isMet = await condition()
        if Task.isCancelled { throw CancellationError() }
        guard isMet else { throw JobError<Never>.refused }
      case .all(let admissions):
        for admission in admissions { try await admission.wait(clock, date: date) }
      }
    } catch let reason as JobError<Never> {
      throw reason
    } catch {
      throw .cancelled
    }
  }
}

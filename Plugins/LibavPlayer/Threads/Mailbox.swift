import Platform

/// A queue of jobs for one thread; any thread may post.
///
/// Safe: the one mutable property is only touched inside the monitor.
final class Mailbox<Job: Sendable>: @unchecked Sendable {
  private var jobs: [Job] = []
  private let monitor = Monitor()

  /// Adds a job and wakes the thread.
  func post(_ job: Job) {
    monitor.withLock {
      jobs.append(job)
      monitor.wakeAll()
    }
  }

  /// Removes and returns all jobs.
  func removeAll() -> [Job] {
    monitor.withLock {
      defer { jobs = [] }
      return jobs
    }
  }

  /// Removes and returns the oldest job; nil if there is none.
  func popFirst() -> Job? { monitor.withLock { jobs.isEmpty ? nil : jobs.removeFirst() } }

  /// Waits for a job, then removes and returns it.
  func wait() -> Job {
    monitor.withLock {
      while jobs.isEmpty { monitor.wait() }
      return jobs.removeFirst()
    }
  }

  /// Waits for a job, at most `milliseconds`; nil if none arrives.
  func wait(milliseconds: Int) -> Job? {
    let deadline = MonotonicClock.now + Int64(max(0, milliseconds)) * 1_000_000
    return monitor.withLock {
      while jobs.isEmpty {
        guard monitor.wait(until: deadline) else { break }
      }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}

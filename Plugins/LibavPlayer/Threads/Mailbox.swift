import CLibav  // its headers bring the system's `timespec` along
import Glibc

/// Work for a thread, which takes it in order, waiting or not.
///
/// Safe: the one mutable property is only touched with the mutex held.
final class Mailbox<Job: Sendable>: @unchecked Sendable {
  private var jobs: [Job] = []
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(arrival, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// Adds a job and wakes the thread.
  func post(_ job: Job) {
    pthread_mutex_lock(mutex)
    jobs.append(job)
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// The oldest job; nil if there is none.
  func poll() -> Job? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }

  /// Waits for a job.
  func wait() -> Job {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty { pthread_cond_wait(arrival, mutex) }
    return jobs.removeFirst()
  }

  /// Waits for a job at most so long; nil if none came.
  func wait(milliseconds: Int) -> Job? {
    let deadline = monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
    var moment = timespec(
      tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty {
      guard pthread_cond_timedwait(arrival, mutex, &moment) == 0 else { break }
    }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}

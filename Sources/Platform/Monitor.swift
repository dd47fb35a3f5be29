import Glibc

/// A mutex with a condition, for threads that wait for one another.
///
/// The unchecked conformance is safe: several threads may use mutex and condition, the pointers
/// never change, and the mutex guards `wakes`.
public final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var wakes = false

  /// A monitor that is free. Its deadlines are times of `MonotonicClock`.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` while no other thread is inside.
  public func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      let wakes = wakes
      self.wakes = false
      pthread_mutex_unlock(mutex)
      if wakes { pthread_cond_broadcast(condition) }
    }
    return try body()
  }

  /// Inside `withLock`: releases the mutex and waits for `wakeAll`. It may also return earlier
  /// (a spurious wakeup).
  public func wait() {
    wakeNow()
    pthread_cond_wait(condition, mutex)
  }

  /// Inside `withLock`: waits as `wait` does, at most until `deadline`.
  ///
  /// - Parameter deadline: Nanoseconds of `MonotonicClock`.
  /// - Returns: False when the deadline has passed; true after `wakeAll` or a spurious wakeup.
  public func wait(until deadline: Int64) -> Bool {
    wakeNow()
    var time = timespec(
      tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    return pthread_cond_timedwait(condition, mutex, &time) == 0
  }

  /// Inside `withLock`: wakes all waiting threads when the mutex is released, because woken earlier they
  /// would only wait for it.
  public func wakeAll() { wakes = true }

  private func wakeNow() {
    guard wakes else { return }
    wakes = false
    pthread_cond_broadcast(condition)
  }
}

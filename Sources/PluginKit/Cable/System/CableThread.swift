import Glibc

/// Asks for a better priority of the calling thread, which a busy machine would else let wait; where
/// that is not permitted nothing changes.
func preferThisThread() {
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -11)
}

/// Starts a detached thread that runs `body`.
func startCableThread(_ body: @escaping @Sendable () -> Void) throws(CableError) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let start = Unmanaged.passRetained(Start(body))
  let code = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, start.toOpaque())
  guard code == 0 else {
    start.release()
    throw CableError(.system, "No thread is to be had for the cable: \(systemMessage(code)).")
  }
  pthread_detach(thread)
}

/// A mutex with a condition, for threads that wait.
///
/// Safe: both are made for use from several threads, the pointers never change, and `wakes` is
/// guarded by the mutex.
final class CableMonitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var wakes = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` alone.
  func locked<Result, Failure: Error>(
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

  /// Inside `locked`: waits for `wakeAll`.
  func wait() {
    if wakes {
      wakes = false
      pthread_cond_broadcast(condition)
    }
    pthread_cond_wait(condition, mutex)
  }

  /// Inside `locked`: wakes all who wait, once the mutex is free; they would only wait again for it.
  func wakeAll() { wakes = true }
}

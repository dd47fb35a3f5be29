import Devices
import Glibc
import PluginProtocol

/// Runs an actor on a thread of its own, so that it may wait for the other end of a cable without
/// holding up anything else in the process.
///
/// Safe: `jobs` and `isStopped` are touched under the mutex alone.
final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []
  private var isStopped = false

  init(name: String) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
    PosixThread.start(name: name) { self.run() }
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(mutex)
    jobs.append(job)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Ends the thread once nothing waits. Nothing may be asked of the actor afterwards.
  func stop() {
    pthread_mutex_lock(mutex)
    isStopped = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  private func run() {
    while let job = next() {
      // Who waited for the actor goes on here, not on a third thread.
      ArrivalExecutor.shared.take { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  private func next() -> UnownedJob? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty, !isStopped { pthread_cond_wait(condition, mutex) }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}

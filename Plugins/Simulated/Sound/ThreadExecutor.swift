import Devices
import Platform

/// An executor that runs an actor on a thread of its own, so that the actor may wait for the other
/// end of a cable without blocking anything else in the process.
///
/// Safe: `jobs`, `isRunning` and `isStopped` are touched inside the monitor alone.
final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let name: String
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  /// Whether the thread runs.
  private var isRunning = false
  private var isStopped = false

  init(name: String) { self.name = name }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let needsThread = monitor.withLock {
      jobs.append(job)
      monitor.wakeAll()
      defer { isRunning = true }
      return !isRunning
    }
    // Also after `stop`: the caller of a job that never runs would wait forever.
    if needsThread { SystemThread.start(name: name) { self.run() } }
  }

  /// Ends the thread when no job waits. A job that comes later is run all the same.
  func stop() {
    monitor.withLock {
      isStopped = true
      monitor.wakeAll()
    }
  }

  private func run() {
    while let job = next() {
      // Tasks that waited for the actor resume here, not on a third thread.
      ArrivalExecutor.shared.run { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  private func next() -> UnownedJob? {
    monitor.withLock {
      while jobs.isEmpty, !isStopped { monitor.wait() }
      if jobs.isEmpty { isRunning = false }
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}

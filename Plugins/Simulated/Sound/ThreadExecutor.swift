import Devices
import Platform

/// An executor that runs an actor on a thread of its own, so that the actor may wait for the other
/// end of a cable without blocking anything else in the process.
///
/// Safe: `jobs` and `isStopped` are touched inside the monitor alone.
final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let monitor = Monitor()
  private var jobs: [UnownedJob] = []
  private var isStopped = false

  init(name: String) { SystemThread.start(name: name) { self.run() } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    monitor.withLock {
      jobs.append(job)
      monitor.wakeAll()
    }
  }

  /// Ends the thread when no job waits. The actor must not be called afterwards.
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
      return jobs.isEmpty ? nil : jobs.removeFirst()
    }
  }
}

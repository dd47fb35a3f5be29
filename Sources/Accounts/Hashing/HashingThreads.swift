import Foundation
import Synchronization

/// A few threads of low priority for work that would stop the cooperative pool: no more than
/// `atOnce` pieces of work run, no more than `waiting` wait, and one that waits can be cancelled.
///
/// A thread lives while there is work: starting one takes microseconds, a hash takes milliseconds,
/// and an idle controller keeps none.
package final class HashingThreads: Sendable {
  private struct Job {
    let id: UInt64
    let run: @Sendable () -> Void
    let cancel: @Sendable () -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var threads = 0
    var lastID: UInt64 = 0
    var begun = 0
  }

  private let atOnce: Int
  private let mostWaiting: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - atOnce: pieces of work that run side by side; each hash holds 19 MiB.
  ///   - waiting: pieces of work that may wait; beyond it the answer is `busy`.
  package init(atOnce: Int = 2, waiting: Int = 64) {
    self.atOnce = atOnce
    self.mostWaiting = waiting
  }

  /// How much runs and how much waits.
  var load: (running: Int, waiting: Int) {
    state.withLock { ($0.threads, $0.waiting.count) }
  }

  /// How many pieces of work were taken up since the start.
  var begun: Int {
    state.withLock { $0.begun }
  }

  /// Runs `work` on one of the threads. Cancelling the task takes it out of the queue; work that
  /// has begun is finished.
  /// - Throws: `busy` where the queue is full, `cancelled`, or what `work` throws.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    let id = state.withLock { state in
      state.lastID &+= 1
      return state.lastID
    }
    let result: Result<Value, AccountError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(
          Job(id: id) {
            continuation.resume(returning: Result { () throws(AccountError) in try work() })
          } cancel: {
            continuation.resume(returning: .failure(.cancelled))
          },
          orRefuse: { continuation.resume(returning: .failure(.busy)) })
      }
    } onCancel: {
      withdraw(id)
    }
    return try result.get()
  }

  private func submit(_ job: Job, orRefuse refuse: () -> Void) {
    enum Next { case wait, start, refuse, cancel }
    let next = state.withLock { state -> Next in
      // Read under the lock: a cancellation after this line finds the job in the queue.
      if Task.isCancelled { return .cancel }
      if state.threads < atOnce {
        state.threads += 1
        state.begun += 1
        return .start
      }
      if state.waiting.count >= mostWaiting { return .refuse }
      state.waiting.append(job)
      return .wait
    }
    switch next {
    case .wait: break
    case .start: Thread.detachNewThread { self.work(from: job) }
    case .refuse: refuse()
    case .cancel: job.cancel()
    }
  }

  private func withdraw(_ id: UInt64) {
    let job = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    job?.cancel()
  }

  private func work(from first: Job) {
    lowerPriority()
    var job: Job? = first
    while let current = job {
      current.run()
      job = nextJob()
    }
  }

  private func nextJob() -> Job? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.threads -= 1
        return nil
      }
      state.begun += 1
      return state.waiting.removeFirst()
    }
  }

  /// Sound and light go before passwords.
  private func lowerPriority() {
    #if canImport(Glibc)
      // On Linux `who` 0 is the calling thread, not the process (setpriority(2), "C library/kernel
      // differences").
      _ = setpriority(Int32(bitPattern: PRIO_PROCESS.rawValue), 0, 10)
    #endif
  }
}

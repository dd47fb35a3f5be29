import Foundation
import Platform
import Synchronization

/// Pauses a publisher while it notifies the listeners of a stream, and cancels another listener at
/// that moment. The publisher must not hold a lock then that the cancelled listener needs.
///
/// A stream that gets an element wakes the task that waits for it, and waking goes through the
/// task's executor: `enqueue` runs while the publisher notifies.
public final class PausedNotification: TaskExecutor {
  private let queue = DispatchQueue(label: "listener")
  private let atNextWake = Mutex<(@Sendable () -> Void)?>(nil)

  private init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    atNextWake.withLock { $0.take() }?()
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Returns whether one listener can be cancelled while another is being notified.
  ///
  /// - Parameters:
  ///   - listen: Listens until cancelled; calls its argument after each notification.
  ///   - notify: Notifies both listeners. Runs on a separate thread, because a paused thread of the
  ///     cooperative pool would stop other tasks.
  public static func permitsCancellation(
    listen: @escaping @Sendable (_ onNotification: @escaping @Sendable () -> Void) async -> Void,
    notify: @escaping @Sendable () -> Void
  ) async -> Bool {
    let executor = PausedNotification()
    let ofStopping = Mutex(0)
    let ofStaying = Mutex(0)
    let stopping = Task { await listen { ofStopping.withLock { $0 += 1 } } }
    let staying = Task(executorPreference: executor) {
      await listen { ofStaying.withLock { $0 += 1 } }
    }
    defer { staying.cancel() }
    let listening = await eventually {
      await runOnThread(notify)
      return ofStopping.withLock { $0 > 0 } && ofStaying.withLock { $0 > 0 }
    }
    guard listening else { return false }
    let outcome = Mutex<Bool?>(nil)
    executor.atNextWake.withLock {
      $0 = {
        let ended = DispatchSemaphore(value: 0)
        SystemThread.start(name: "cancel") {
          stopping.cancel()
          ended.signal()
        }
        outcome.withLock { $0 = ended.wait(timeout: .now() + 10) == .success }
      }
    }
    // The listener may be on its way back to waiting: then the next one wakes it.
    let isPaused = await eventually {
      await runOnThread(notify)
      return outcome.withLock { $0 != nil }
    }
    return isPaused && outcome.withLock { $0 } == true
  }

  private static func runOnThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      SystemThread.start(name: "notify") {
        body()
        continuation.resume()
      }
    }
  }
}

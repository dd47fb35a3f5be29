import Foundation
import Platform
import Synchronization

/// Stops a publisher while it notifies the listeners of a stream, and cancels another listener at that
/// moment. No lock that the ending listener needs may be held then.
///
/// A stream that gets an element wakes the task that waits for it, and waking goes through the
/// task's executor: that is the middle of telling.
public final class HeldTelling: TaskExecutor {
  private let queue = DispatchQueue(label: "listener")
  private let atNextWake = Mutex<(@Sendable () -> Void)?>(nil)

  private init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    atNextWake.withLock { $0.take() }?()
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Whether one listener can be cancelled while another is being told.
  ///
  /// - Parameters:
  ///   - listen: Listens until cancelled; calls its argument after each notification.
  ///   - tell: Notifies both listeners. Runs on a separate thread, because a stopped thread of the
  ///     cooperative pool would stop other tasks.
  public static func letsListenersEnd(
    listen: @escaping @Sendable (_ wasTold: @escaping @Sendable () -> Void) async -> Void,
    tell: @escaping @Sendable () -> Void
  ) async -> Bool {
    let executor = HeldTelling()
    let stops = Mutex(0)
    let told = Mutex(0)
    let stopping = Task { await listen { stops.withLock { $0 += 1 } } }
    let staying = Task(executorPreference: executor) { await listen { told.withLock { $0 += 1 } } }
    defer { staying.cancel() }
    let listening = await eventually {
      await onOwnThread(tell)
      return stops.withLock { $0 > 0 } && told.withLock { $0 > 0 }
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
    _ = await eventually {
      await onOwnThread(tell)
      return outcome.withLock { $0 != nil }
    }
    return outcome.withLock { $0 } == true
  }

  private static func onOwnThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      SystemThread.start(name: "teller") {
        body()
        continuation.resume()
      }
    }
  }
}

import Glibc
import Platform
import Synchronization

/// Runs work that waits in system calls on a thread of its own.
enum SearchThread {
  /// Runs `body` on a new thread and returns its result.
  ///
  /// - Parameter body: Gets a flag that is set when the task is cancelled; `body` then returns soon.
  static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable (CancellationFlag) -> Value
  ) async -> Value {
    let flag = CancellationFlag()
    return await withTaskCancellationHandler {
      await SystemThread.run(name: name) { body(flag) }
    } onCancel: {
      flag.set()
    }
  }
}

/// A flag that is set when the result of a thread's work is no longer needed.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}

/// The end of a search: a time of the monotonic clock, or earlier if it is cancelled.
struct SearchDeadline: Sendable {
  private let end: Int64
  private let flag: CancellationFlag
  /// The longest time until a waiting thread notices a cancellation, in milliseconds.
  private static let longestWait: Int32 = 100

  init(after time: Duration, or flag: CancellationFlag) {
    end = MonotonicClock.now + time.nanoseconds
    self.flag = flag
  }

  var isOver: Bool { flag.isSet || MonotonicClock.now >= end }

  /// The time until this deadline as `poll` takes it, at most 100 ms.
  var pollTimeout: Int32 { min(Self.longestWait, MonotonicClock().timeout(until: end)) }

  /// Waits until a descriptor can be read. Returns false if the deadline is over first.
  func waitForInput(_ descriptor: Int32) -> Bool {
    while !isOver {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&polled, 1, pollTimeout)
      guard count >= 0 || errno == EINTR else { return false }
      if count > 0 { return true }
    }
    return false
  }
}

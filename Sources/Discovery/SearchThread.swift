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

  private init(end: Int64, flag: CancellationFlag) {
    self.end = end
    self.flag = flag
  }

  var isOver: Bool { flag.isSet || MonotonicClock.now >= end }

  /// Returns this deadline, or the end of a duration from now if that is earlier.
  func limited(to time: Duration) -> SearchDeadline {
    SearchDeadline(end: min(end, MonotonicClock.now + time.nanoseconds), flag: flag)
  }

  /// Waits until a descriptor is ready, at most 100 ms and no longer than the deadline.
  ///
  /// - Returns: The ready events; 0 if none is, `nil` with `errno` for a failure.
  func poll(_ descriptor: Int32, _ events: Int32) -> Int32? {
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    let time = min(Self.longestWait, MonotonicClock().timeout(until: end))
    guard Glibc.poll(&polled, 1, time) >= 0 else { return errno == EINTR ? 0 : nil }
    return Int32(polled.revents)
  }

  /// Waits until a descriptor is ready. Returns false if the deadline is over first.
  func wait(_ descriptor: Int32, _ events: Int32) -> Bool {
    while !isOver {
      guard let ready = poll(descriptor, events) else { return false }
      if ready != 0 { return true }
    }
    return false
  }
}

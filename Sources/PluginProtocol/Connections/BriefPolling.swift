import Glibc
import Platform

/// Polls a descriptor for a moment before its thread sleeps in `read`, while messages follow each other quickly.
///
/// Waking a thread on another processor takes the kernel 20 to 60 µs, several times as long as a command
/// and its answer. In a run of commands the next message comes sooner than that. The first message after a
/// pause, pings and periodic reports never poll, so an idle process pays nothing.
struct BriefPolling {
  /// Messages that come within this time of each other are a run, ns.
  static let longestGap: Int64 = 500_000
  /// How long a thread polls after a message of a run, ns.
  static let longestPoll: Int64 = 100_000

  private var lastArrival: Int64 = 0
  private var isRun = false

  /// Records that a message has come, and decides whether to poll for the next one.
  ///
  /// - Parameter now: The monotonic time, ns.
  /// - Returns: Whether `wait` polls.
  @discardableResult
  mutating func recordArrival(at now: Int64 = MonotonicClock.now) -> Bool {
    isRun = now - lastArrival < Self.longestGap
    lastArrival = now
    return isRun
  }

  /// Returns when the descriptor can be read, or when it is time to sleep.
  func wait(for descriptor: Int32) {
    guard isRun else { return }
    let end = MonotonicClock.now + Self.longestPoll
    var arrival = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&arrival, 1, 0) == 0, MonotonicClock.now < end {
      // The kernel may have put the peer on the processor of this thread.
      sched_yield()
    }
  }
}

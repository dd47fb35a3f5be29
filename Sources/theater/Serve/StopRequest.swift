import Devices
import Glibc
import Logging
import Platform
import Synchronization
import UnixSignals

/// The request to stop the controller: SIGTERM, SIGINT, or a part of it that has failed.
///
/// It listens for the signals from its creation to the end of the process, so that a signal during the start or a
/// second one during the stop changes nothing. A stop that takes too long is cut off, because the system would kill
/// the process in the end.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var isSignalled = false
    /// Whether a signal has come: from then on, the stop has a longest time.
    var hasTimeLimit = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var cutOff: (@Sendable () -> Void)?
  }

  /// The longest time from a signal to the end of the process.
  private static let longest = Duration.milliseconds(4_500)

  private let state = Mutex(State())
  private let logger: Logger

  /// Begins to listen for the signals.
  init(logger: Logger) async {
    self.logger = logger
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    // It lives as long as the process.
    Task { for await _ in signals { self.make(bySignal: true) } }
  }

  /// Whether the stop was requested by a signal.
  var isSignalled: Bool { state.withLock { $0.isSignalled } }
  /// Whether the stop was requested.
  var isMade: Bool { state.withLock { $0.isMade } }

  /// Sets what ends everything at once when the stop takes too long.
  func setCutOff(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.cutOff = body } }

  /// Requests the stop. Of later requests, only the first signal changes anything: the stop gets its longest time.
  func make(bySignal isSignal: Bool = false) {
    let (waiters, isFirstSignal) = state.withLock { state in
      let isFirstSignal = isSignal && !state.hasTimeLimit
      if isFirstSignal { state.hasTimeLimit = true }
      guard !state.isMade else { return ([CheckedContinuation<Void, Never>](), isFirstSignal) }
      state.isMade = true
      state.isSignalled = isSignal
      defer { state.waiters = [] }
      return (state.waiters, isFirstSignal)
    }
    for waiter in waiters { waiter.resume() }
    if isFirstSignal { SystemThread.start(name: "stop") { self.endLate() } }
  }

  /// Waits until the stop is requested.
  func wait() async {
    await withCheckedContinuation { waiter in
      let isMade = state.withLock { state in
        if !state.isMade { state.waiters.append(waiter) }
        return state.isMade
      }
      if isMade { waiter.resume() }
    }
  }

  /// Ends the process if it has not ended in time. What matters was saved at the beginning of the stop, and the
  /// database survives it.
  private func endLate() {
    usleep(UInt32(clamping: Self.longest.nanoseconds / 1000))
    logger.warning(
      "the stop takes longer than \(Self.longest.seconds) s: what still runs is cut off")
    state.withLock { $0.cutOff }?()
    _exit(0)
  }
}

/// Runs `body`, and returns at the latest after `time`; then `body` is cancelled and may go on.
func runAtMost(_ time: Duration, _ body: @escaping @Sendable () async -> Void) async {
  let (ends, end) = AsyncStream<Never>.makeStream()
  let work = Task {
    await body()
    end.finish()
  }
  let timer = Task {
    try? await Task.sleep(for: time)
    end.finish()
  }
  for await _ in ends {}
  work.cancel()
  timer.cancel()
}

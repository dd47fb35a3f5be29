// A release links the static Swift libraries, which have no module `Testing`.
#if canImport(Testing)
  import Foundation
  import Platform
  import Synchronization
  import Testing

  /// A trait of tests that measure in real time on a machine that may pause.
  ///
  /// A virtual machine sometimes pauses for longer than a sound card's buffer lasts. A measurement
  /// during a pause shows nothing about the program. So a test that fails while the machine stood
  /// still is recorded as a known issue and run again, five times in all; the last run counts in
  /// any case.
  public struct RealTimeTrait: SuiteTrait, TestTrait, TestScoping {
    /// The longest pause of a valid measurement; much shorter than any buffer and any measured
    /// time.
    static let longestPause = Duration.milliseconds(10)
    static let attempts = 5

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      for attempt in 1..<Self.attempts {
        let pauses = PauseWatch()
        defer { pauses.end() }
        async let _ = pauses.watchTasks()
        let isSpoilt = Mutex(false)
        try await withKnownIssue("the machine stood still", isIntermittent: true) {
          try await function()
        } matching: { _ in
          guard pauses.longest > Self.longestPause else { return false }
          isSpoilt.withLock { $0 = true }
          return true
        }
        if !isSpoilt.withLock({ $0 }) { return }
        let name = test.displayName ?? test.name
        // Scripts/run-tests counts these lines.
        print("↻ Test \"\(name)\" is repeated: run \(attempt + 1) of \(Self.attempts)")
      }
      try await function()
    }
  }

  extension Trait where Self == RealTimeTrait {
    /// Repeats the test when it fails while the machine stood still.
    public static var realTime: Self { Self() }
  }

  /// Measures the pauses of this process, and those of its tasks: tasks pause while the tasks of
  /// other tests occupy all threads of the pool.
  private final class PauseWatch: Sendable {
    private struct State {
      var longest = Duration.zero
      /// When the present step of each watch began: that of the thread, and that of the task.
      var begun: [ContinuousClock.Instant?] = [nil, nil]
      var isOver = false
    }
    private let state = Mutex(State())
    private let clock = ContinuousClock()
    private static let step = Duration.milliseconds(2)

    init() {
      SystemThread.start(name: "pauses") { [self] in
        while begin(0) { usleep(2000) }
      }
    }

    /// The longest pause of this process, or of its tasks, until now. A pause that has not ended
    /// counts too: the task of a test may run again before the task that watches.
    var longest: Duration {
      state.withLock { state in
        state.begun.compactMap { $0.map { clock.now - $0 - Self.step } }.reduce(state.longest, max)
      }
    }

    func end() { state.withLock { $0.isOver = true } }

    /// Watches the threads that run tasks, until cancelled.
    func watchTasks() async {
      while begin(1), (try? await Task.sleep(for: Self.step)) != nil {}
      state.withLock { $0.begun[1] = nil }
    }

    /// Begins the next step of a watch. Returns false after `end`.
    private func begin(_ watch: Int) -> Bool {
      state.withLock { state in
        let now = clock.now
        if let begun = state.begun[watch] {
          state.longest = max(state.longest, now - begun - Self.step)
        }
        state.begun[watch] = now
        return !state.isOver
      }
    }
  }
#endif

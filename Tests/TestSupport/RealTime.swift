// A release is built against static libraries, which have none for tests.
#if canImport(Testing)
  import Foundation
  import Platform
  import Synchronization
  import Testing

  /// Measures in real time, with a machine that may be stopped.
  ///
  /// A virtual machine is held now and then for longer than a sound card's buffer lasts. What was
  /// heard then says nothing of the program, so a test that fails while the machine stood still is
  /// noted as a known issue and run again, a few times at most; the last time counts in any case.
  public struct RealTimeTrait: SuiteTrait, TestTrait, TestScoping {
    /// Much shorter than any buffer and any time that is measured.
    static let longestPause = Duration.milliseconds(10)
    static let attempts = 5

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      for _ in 1..<Self.attempts {
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
      }
      try await function()
    }
  }

  extension Trait where Self == RealTimeTrait {
    /// A measurement counts only while the machine did not stand still.
    public static var realTime: Self { Self() }
  }

  /// Notices when this process gets no time, and when its tasks get none because those of other tests keep
  /// the threads that run tasks.
  private final class PauseWatch: Sendable {
    /// When the present step of each watch began: that of the thread, and that of the task.
    private struct State {
      var longest = Duration.zero
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

    /// The longest time for which this process, or its tasks, stood still until now. What stands still now
    /// counts too: the task of a test may run again before the one that watches.
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

    /// Begins the next step of a watch, unless all is over.
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

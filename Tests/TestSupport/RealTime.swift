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
    /// What is measured counts only while the machine did not stand still.
    public static var realTime: Self { Self() }
  }

  /// Notices from a thread of its own when this process gets no time.
  private final class PauseWatch: Sendable {
    private let state = Mutex((longest: Duration.zero, isOver: false))
    private static let step = Duration.milliseconds(2)

    init() {
      SystemThread.start(name: "pauses") { [state = self] in state.watch() }
    }

    /// The longest time for which this process stood still until now.
    var longest: Duration { state.withLock { $0.longest } }

    func end() { state.withLock { $0.isOver = true } }

    private func watch() {
      let clock = ContinuousClock()
      var last = clock.now
      while true {
        usleep(2000)
        let now = clock.now
        let pause = now - last - Self.step
        last = now
        let isOver = state.withLock { state in
          state.longest = max(state.longest, pause)
          return state.isOver
        }
        if isOver { return }
      }
    }
  }
#endif

import Dispatch
import Synchronization

// A release links the static Swift libraries, which have no module `Testing`.
#if canImport(Testing)
  import Testing
#endif

/// Blocking work that begins when it is run and ends when the test says so.
public final class HeldWork: Sendable {
  private let release = DispatchSemaphore(value: 0)
  private let counts = Mutex((running: 0, most: 0, done: 0))

  public init() {}

  /// The number of calls of `run` that have begun and not ended.
  public var running: Int { counts.withLock { $0.running } }
  /// The largest number of calls of `run` at once.
  public var most: Int { counts.withLock { $0.most } }
  /// The number of calls of `run` that have ended.
  public var done: Int { counts.withLock { $0.done } }

  /// Blocks its thread until `finish` lets one call end.
  public func run() {
    counts.withLock {
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
    release.wait()
    counts.withLock {
      $0.running -= 1
      $0.done += 1
    }
  }

  /// Lets this number of calls of `run` end.
  public func finish(_ count: Int) { for _ in 0..<count { release.signal() } }

  #if canImport(Testing)
    /// Waits until at least this number of calls of `run` has begun; fails the test when they have not within 60 s.
    public func waitUntilRunning(
      _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      let isRunning = await eventually { running >= count }
      #expect(isRunning, "\(running) of \(count) calls have begun", sourceLocation: sourceLocation)
    }
  #endif
}

/// Waits until `condition` holds. Returns false when it does not within `seconds`.
///
/// For events in other tasks and processes that cannot be observed. The bound only matters when
/// the test fails; it is long, because a machine that is busy with other tests is slow. Time in
/// which other tests occupied all threads does not count: what is waited for stood still as well.
public func eventually(
  within seconds: Double = 60, _ condition: @Sendable () async -> Bool
) async -> Bool {
  let fewestReadings = 100
  let pause = Duration.milliseconds(2)
  let clock = ContinuousClock()
  var deadline = clock.now + .seconds(seconds)
  var readings = 0
  while clock.now < deadline || readings < fewestReadings {
    if await condition() { return true }
    readings += 1
    let start = clock.now
    try? await Task.sleep(for: pause)
    let delay = clock.now - start - pause
    if delay > .milliseconds(50) { deadline += delay }
  }
  return await condition()
}

// A release links the static Swift libraries, which have no module `Testing`.
#if canImport(Testing)
  import Glibc
  import Platform
  import Testing

  /// Waits until `condition` holds, and blocks the thread; fails the test when it does not within 60 s.
  ///
  /// For tests of threads, which have no task to suspend.
  public func waitUntil(
    _ event: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
  ) throws {
    let deadline = MonotonicClock.now + 60_000_000_000
    while !condition() {
      try #require(
        MonotonicClock.now < deadline, "never happened: \(event)", sourceLocation: sourceLocation)
      usleep(500)
    }
  }
#endif

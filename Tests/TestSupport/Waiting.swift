import Glibc

/// Waits until `condition` holds; false when it does not within `seconds` of real time.
///
/// For events in other tasks and processes that cannot be observed. The bound only matters when
/// the test fails; it is long, because a machine that is busy with other tests is slow.
public func eventually(
  within seconds: Double = 60, _ condition: @Sendable () async -> Bool
) async -> Bool {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(seconds)
  while clock.now < deadline {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return await condition()
}

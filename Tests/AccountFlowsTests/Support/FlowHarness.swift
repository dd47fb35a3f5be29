import AccountFlows
import TestSupport

/// A running screen of a test, with its outputs so far and a clock that the test moves.
struct FlowHarness<Screen: ScreenModel> where Screen.Output: Equatable {
  let driver: ScreenDriver<Screen>
  private var changes: AsyncStream<ScreenChange<Screen>>.Iterator
  /// The screen after the last change that the test has read.
  private(set) var screen: Screen?
  private(set) var outputs: [Screen.Output] = []

  fileprivate init(_ driver: ScreenDriver<Screen>) {
    self.driver = driver
    changes = driver.changes.makeAsyncIterator()
  }

  func send(_ input: Screen.Input) async { await driver.send(input) }

  /// Reads changes up to the one with `output`, or to the end of the screen.
  mutating func waitFor(_ output: Screen.Output) async {
    await wait { $0.outputs.contains(output) }
  }

  /// Reads changes up to the first match, or to the end of the screen.
  mutating func wait(until fits: (ScreenChange<Screen>) -> Bool) async {
    while let change = await changes.next() {
      screen = change.screen
      outputs += change.outputs
      if fits(change) { return }
    }
  }
}

/// Runs a screen during `play`, and ends it afterwards.
func withRunning<Screen: ScreenModel>(
  _ driver: ScreenDriver<Screen>, _ play: (inout FlowHarness<Screen>) async throws -> Void
) async rethrows where Screen.Output: Equatable {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await driver.run() }
    defer { group.cancelAll() }
    var harness = FlowHarness(driver)
    try await play(&harness)
  }
}

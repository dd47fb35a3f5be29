import AccountFlows
import TestSupport

/// A running screen in front of a test: what it told so far, and a clock that the test moves.
struct FlowHarness<Screen: ScreenModel> where Screen.Output: Equatable {
  let driver: ScreenDriver<Screen>
  private var changes: AsyncStream<ScreenChange<Screen>>.Iterator
  /// The screen after the last change that was looked at.
  private(set) var screen: Screen?
  private(set) var outputs: [Screen.Output] = []

  fileprivate init(_ driver: ScreenDriver<Screen>) {
    self.driver = driver
    changes = driver.changes.makeAsyncIterator()
  }

  func send(_ input: Screen.Input) async { await driver.send(input) }

  /// Takes changes up to the one that told `output`, or to the end of the screen.
  mutating func waitFor(_ output: Screen.Output) async {
    await wait { $0.outputs.contains(output) }
  }

  /// Takes changes up to the one that fits, or to the end of the screen.
  mutating func wait(until fits: (ScreenChange<Screen>) -> Bool) async {
    while let change = await changes.next() {
      screen = change.screen
      outputs += change.outputs
      if fits(change) { return }
    }
  }
}

/// Runs a screen beside `play`, and ends it with it.
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

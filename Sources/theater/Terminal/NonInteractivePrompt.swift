import AccountFlows

/// A screen without a face: what it is told comes a line at a time.
struct NonInteractivePrompt<Screen: ScreenModel> {
  private let driver: ScreenDriver<Screen>
  private var changes: AsyncStream<ScreenChange<Screen>>.Iterator

  /// Runs a screen as long as `body` plays with it.
  static func play<Value>(
    _ driver: ScreenDriver<Screen>, _ body: (inout NonInteractivePrompt) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await driver.run() }
      defer { group.cancelAll() }
      var play = NonInteractivePrompt(driver: driver, changes: driver.changes.makeAsyncIterator())
      return try await body(&play)
    }
  }

  /// The screen as it is now.
  var screen: Screen { get async { await driver.screen } }

  /// Does what a person does, and waits for the answers where something is asked.
  @discardableResult
  mutating func send(_ input: Screen.Input) async -> Screen {
    var screen = await driver.send(input)
    while screen.isLoading, await changes.next() != nil { screen = await driver.screen }
    return screen
  }
}

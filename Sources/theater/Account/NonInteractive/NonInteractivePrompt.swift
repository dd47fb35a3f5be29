import AccountFlows

/// A screen that is answered by lines of input instead of keys.
struct NonInteractivePrompt<Screen: ScreenModel> {
  private let driver: ScreenDriver<Screen>
  private var changes: AsyncStream<ScreenChange<Screen>>.Iterator

  /// Runs a screen while `body` answers it.
  static func run<Value>(
    _ driver: ScreenDriver<Screen>, _ body: (inout NonInteractivePrompt) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await driver.run() }
      defer { group.cancelAll() }
      var prompt = NonInteractivePrompt(driver: driver, changes: driver.changes.makeAsyncIterator())
      return try await body(&prompt)
    }
  }

  /// The current state of the screen.
  var screen: Screen { get async { await driver.screen } }

  /// Sends an input and waits until the screen has stopped loading.
  @discardableResult
  mutating func send(_ input: Screen.Input) async -> Screen {
    var screen = await driver.send(input)
    guard screen.isLoading else { return screen }
    let line = WaitingLine("Waiting for the controller")
    defer { line.end() }
    while screen.isLoading, await changes.next() != nil { screen = await driver.screen }
    return screen
  }
}

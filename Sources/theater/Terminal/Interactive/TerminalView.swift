import AccountFlows
import CLinux
import Platform

/// The presentation of a screen in a terminal: its lines, and the meaning of its keys.
protocol TerminalView: Sendable {
  associatedtype Screen: ScreenModel

  /// The lines to show.
  ///
  /// - Parameter turn: Counts up with time, for spinners.
  func lines(_ screen: Screen, turn: Int) -> [String]
  /// The inputs that a key causes.
  mutating func inputs(for key: Key, on screen: Screen) -> [Screen.Input]
  /// The inputs that are known without a key, asked for after each change of the screen.
  mutating func knownInputs(for screen: Screen) -> [Screen.Input]
  /// The error that ends the command; `nil` while the screen can still succeed.
  func exitError(for screen: Screen) -> ExitError?
  /// Whether Escape leads to the screen before, where it has no other meaning.
  func canLeave(_ screen: Screen) -> Bool
}

/// Thrown by `TerminalView.run` when the person has left the screen with Escape.
struct ScreenLeft: Error {}

extension TerminalView {
  mutating func knownInputs(for screen: Screen) -> [Screen.Input] { [] }
  func exitError(for screen: Screen) -> ExitError? { nil }
  func canLeave(_ screen: Screen) -> Bool { false }

  /// Runs a screen in the terminal until it is over, and returns its final state.
  /// - Throws: `ExitError` if the terminal ends first; `ScreenLeft`.
  func run(_ driver: ScreenDriver<Screen>) async throws -> Screen {
    let keyboard = try Keyboard()
    defer { keyboard.close() }
    return try await RawTerminalMode.withKeyInput(wakes: keyboard.wakes) {
      try await TerminalSession(self, driver).run(keyboard.readings)
    }
  }
}

/// A run of a screen in the terminal.
private actor TerminalSession<View: TerminalView> {
  private var view: View
  private let driver: ScreenDriver<View.Screen>
  private var decoder = KeyDecoder()
  private var update = ScreenUpdate()
  private var shown: [String] = []
  private var turn = 0

  init(_ view: View, _ driver: ScreenDriver<View.Screen>) {
    self.view = view
    self.driver = driver
  }

  func run(_ readings: AsyncStream<Keyboard.Reading>) async throws -> View.Screen {
    try await withThrowingTaskGroup(of: View.Screen?.self) { [driver] group in
      group.addTask { await driver.run() }
      group.addTask {
        for await change in driver.changes {
          await self.redraw()
          if let error = await self.view.exitError(for: change.screen) { throw error }
        }
        return nil
      }
      group.addTask {
        for await reading in readings { try await self.handle(reading) }
        if Task.isCancelled { return nil }
        throw ExitError.terminalEnded
      }
      group.addTask {
        let clock = SystemClock()
        while true {
          try await clock.sleep(for: .milliseconds(120))
          await self.advance()
        }
      }
      defer { group.cancelAll() }
      while let screen = try await group.next() {
        guard let screen else { continue }
        await redraw()
        return screen
      }
      throw CancellationError()
    }
  }

  private func handle(_ reading: Keyboard.Reading) async throws {
    switch reading {
    case .continued:
      update = ScreenUpdate()
      shown = []
      await redraw()
    case .bytes(let bytes):
      for key in decoder.keys(in: bytes) {
        if key == .end { throw ExitError.cancelled }
        var screen = await driver.screen
        let inputs = view.inputs(for: key, on: screen)
        if key == .back, inputs.isEmpty, !screen.isLoading, view.canLeave(screen) {
          throw ScreenLeft()
        }
        for input in inputs { screen = await driver.send(input) }
      }
      await redraw()
    }
  }

  private func advance() async {
    turn += 1
    await redraw()
  }

  private func redraw() async {
    var screen = await driver.screen
    for input in view.knownInputs(for: screen) { screen = await driver.send(input) }
    let lines = view.lines(screen, turn: turn)
    guard lines != shown else { return }
    shown = lines
    Console.write(update.next(lines.joined(separator: "\n"), rows: Console.height))
  }
}

extension ExitError {
  /// Ctrl-D.
  static let cancelled = ExitError(.failed, "cancelled: nothing was changed")
  static let terminalEnded = ExitError(.failed, "the terminal has ended")
}

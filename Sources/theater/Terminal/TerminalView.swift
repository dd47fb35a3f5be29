import AccountFlows
import CLinux
import Devices

/// How a screen looks in a terminal, and what keys mean on it.
protocol TerminalView: Sendable {
  associatedtype Screen: ScreenModel

  /// The lines to show.
  ///
  /// - Parameter turn: Counts up while time passes, for what turns or runs.
  func lines(_ screen: Screen, turn: Int) -> [String]
  /// What a key means.
  mutating func inputs(for key: Key, on screen: Screen) -> [Screen.Input]
  /// What is known without asking, when a screen has come to show something new.
  mutating func inputs(before screen: Screen) -> [Screen.Input]
  /// Why it is of no use to go on.
  func ending(_ screen: Screen) -> ExitError?
}

extension TerminalView {
  mutating func inputs(before screen: Screen) -> [Screen.Input] { [] }
  func ending(_ screen: Screen) -> ExitError? { nil }

  /// Runs a screen in the terminal until it is over.
  /// - Throws: An `ExitError` where the terminal ends first.
  func play(_ driver: ScreenDriver<Screen>) async throws -> Screen {
    let keyboard = try Keyboard()
    defer { keyboard.close() }
    return try await RawTerminalMode.forKeys(wakes: keyboard.wakes) {
      try await TerminalPlay(self, driver).run(keyboard.readings)
    }
  }
}

/// A screen in the terminal.
private actor TerminalPlay<Face: TerminalView> {
  private var face: Face
  private let driver: ScreenDriver<Face.Screen>
  private var decoder = KeyDecoder()
  private var painting = Painting()
  private var painted: [String] = []
  private var turn = 0

  init(_ face: Face, _ driver: ScreenDriver<Face.Screen>) {
    self.face = face
    self.driver = driver
  }

  func run(_ readings: AsyncStream<Keyboard.Reading>) async throws -> Face.Screen {
    try await withThrowingTaskGroup(of: Face.Screen?.self) { [driver] group in
      group.addTask { await driver.run() }
      group.addTask {
        for await change in driver.changes {
          await self.refresh()
          if let ending = await self.face.ending(change.screen) { throw ending }
        }
        return nil
      }
      group.addTask {
        for await reading in readings { try await self.take(reading) }
        if Task.isCancelled { return nil }
        throw ExitError(.failed, "the terminal has ended")
      }
      group.addTask {
        let clock = SystemClock()
        while true {
          try await clock.sleep(until: clock.now() + .milliseconds(120))
          await self.advance()
        }
      }
      defer { group.cancelAll() }
      while let screen = try await group.next() {
        guard let screen else { continue }
        await refresh()
        return screen
      }
      throw CancellationError()
    }
  }

  private func take(_ reading: Keyboard.Reading) async throws {
    switch reading {
    case .continued:
      painting = Painting()
      painted = []
      await refresh()
    case .bytes(let bytes):
      for key in decoder.keys(in: bytes) {
        if key == .end { throw ExitError(.failed, "nothing was done") }
        var screen = await driver.screen
        for input in face.inputs(for: key, on: screen) { screen = await driver.send(input) }
      }
      await refresh()
    }
  }

  private func advance() async {
    turn += 1
    await refresh()
  }

  private func refresh() async {
    var screen = await driver.screen
    for input in face.inputs(before: screen) { screen = await driver.send(input) }
    let lines = face.lines(screen, turn: turn)
    guard lines != painted else { return }
    painted = lines
    Console.write(painting.next(lines.joined(separator: "\n"), rows: Console.height))
  }
}

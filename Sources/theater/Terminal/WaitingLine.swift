import Dispatch
import Platform
import Synchronization

/// A line on a terminal's standard error that shows that a command waits, and for how long.
///
/// It appears when the wait has become noticeable, and disappears before anything else is written.
/// Without a terminal nothing is written. A thread draws it, because some waits block all tasks.
final class WaitingLine: Sendable {
  /// How long a command may take before it says that it waits.
  private static let pause = DispatchTimeInterval.milliseconds(500)
  private static let interval = DispatchTimeInterval.milliseconds(250)

  /// What is drawn at present, shared by everything that writes to the terminal.
  private struct State {
    /// Whether a command waits already: its line says more than one that begins meanwhile.
    var isWaiting = false
    var isDrawn = false
  }
  private static let state = Mutex(State())

  /// What the command waits for; `nil` when it waits no longer.
  private let text: Mutex<String?>
  private let isEnded = DispatchSemaphore(value: 0)
  /// Whether this is the line that is drawn.
  private let isShown: Bool

  /// Begins to wait; `end` must be called.
  ///
  /// - Parameter text: What the command waits for: `Searching for devices`.
  init(_ text: String) {
    self.text = Mutex(text)
    isShown =
      Console.hasProgressLine
      && Self.state.withLock { state in
        defer { state.isWaiting = true }
        return !state.isWaiting
      }
    guard isShown else { return }
    SystemThread.start(name: "waiting") { [self] in draw() }
  }

  /// Says what the command waits for from now on.
  func change(to text: String) { self.text.withLock { $0 = $0 == nil ? nil : text } }

  /// Removes the line; does nothing the second time.
  func end() {
    let isFirst = text.withLock { text in
      defer { text = nil }
      return text != nil
    }
    guard isShown, isFirst else { return }
    isEnded.signal()
    Self.state.withLock { state in
      Self.erase(&state)
      state.isWaiting = false
    }
  }

  private func draw() {
    let start = MonotonicClock.now
    var pause = Self.pause
    var turn = 0
    while isEnded.wait(timeout: .now() + pause) == .timedOut {
      pause = Self.interval
      let seconds = Int((MonotonicClock.now - start) / 1_000_000_000)
      Self.state.withLock { state in
        guard let text = text.withLock({ $0 }) else { return }
        let line = Self.line(text, seconds: seconds, turn: turn, width: Console.width)
        Console.writeProgress("\r\(line)\u{1B}[K")
        state.isDrawn = true
      }
      turn += 1
    }
  }

  /// The line, cut to the terminal's width: a wrapped line could not be removed.
  static func line(_ text: String, seconds: Int, turn: Int, width: Int) -> String {
    let time = seconds > 0 ? " \(seconds) s" : ""
    let room = max(0, width - time.count - 4)
    return ANSIStyle(hasColour: false)
      .progress("\(text.printable().prefix(room))…\(time)", turn: turn)
  }

  /// Removes what is drawn, before something else is written.
  static func clear() { state.withLock { erase(&$0) } }

  private static func erase(_ state: inout State) {
    guard state.isDrawn else { return }
    Console.writeProgress("\r\u{1B}[K")
    state.isDrawn = false
  }

  /// Runs `body` while the line shows that it takes its time.
  static func during<Value>(
    _ text: String, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    let line = WaitingLine(text)
    defer { line.end() }
    return try await body()
  }

  /// Runs `body`, which blocks its thread, while the line shows that it takes its time.
  static func whileBlocked<Value, Failure: Error>(
    _ text: String, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let line = WaitingLine(text)
    defer { line.end() }
    return try body()
  }
}

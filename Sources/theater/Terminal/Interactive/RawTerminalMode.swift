import CLinux
import Dispatch
import Glibc

/// The terminal without echo. Its mode is restored at the end of the program, at a stop and at each
/// signal.
enum RawTerminalMode {
  /// Hides the cursor, and cuts long lines: a wrapped line would count as two.
  static let enterScreen = "\u{1B}[?25l\u{1B}[?7l"
  static let leaveScreen = "\u{1B}[?7h\u{1B}[?25h"

  /// Reads a line without echo; `nil` at the end of the input.
  static func hiddenLine() throws(ExitError) -> String? {
    try enable(forKeys: false)
    defer { linux_terminal_release() }
    return readLine(strippingNewline: true)
  }

  /// Runs `body` while keys arrive one by one.
  ///
  /// - Parameter wakes: An eventfd that is incremented when the program continues after a stop.
  static func withKeyInput<Value>(
    wakes: Int32, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async throws -> Value {
    try enable(forKeys: true, wakes: wakes)
    defer { linux_terminal_release() }
    return try await body()
  }

  private static func enable(forKeys: Bool, wakes: Int32 = -1) throws(ExitError) {
    let (enter, leave) = forKeys ? (enterScreen, leaveScreen) : ("", "")
    let outcome = linux_terminal_hold(
      STDIN_FILENO, STDOUT_FILENO, forKeys ? 1 : 0, enter, leave, wakes)
    guard outcome == 0 else { throw ExitError(.failed, "the terminal cannot hide what is typed") }
  }
}

/// Ctrl-C (SIGINT), for a command that must clean up before it ends.
enum TerminalInterrupt {
  /// Waits for Ctrl-C, then throws an `ExitError` with exit code 0.
  ///
  /// - Parameter ready: Called when Ctrl-C is waited for. An earlier one is lost.
  static func wait(ready: @escaping @Sendable () -> Void) async throws {
    signal(SIGINT, SIG_IGN)
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { continuation.yield() }
    source.setRegistrationHandler(handler: ready)
    source.resume()
    defer { source.cancel() }
    for await _ in signals { throw ExitError(silent: .done) }
  }
}

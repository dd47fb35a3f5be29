import CLinux
import Glibc

/// The terminal while it does not show what is typed. Whatever ends or stops the program finds it as
/// it was before.
enum RawTerminalMode {
  /// A line that is typed without being seen; `nil` at the end of the input.
  static func unseenLine() throws(ExitError) -> String? {
    try hold(forKeys: false)
    defer { linux_terminal_release() }
    return readLine(strippingNewline: true)
  }

  /// Runs `body` while keys arrive one by one and the screen is painted.
  ///
  /// - Parameter wakes: An eventfd that counts how often the program goes on after a stop.
  static func forKeys<Value>(
    wakes: Int32, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async throws -> Value {
    try hold(forKeys: true, wakes: wakes)
    defer { linux_terminal_release() }
    return try await body()
  }

  private static func hold(forKeys: Bool, wakes: Int32 = -1) throws(ExitError) {
    // No cursor; and lines end at the edge, as a wrapped one would count as two.
    let (enter, leave) = forKeys ? ("\u{1B}[?25l\u{1B}[?7l", "\u{1B}[?7h\u{1B}[?25h") : ("", "")
    let outcome = linux_terminal_hold(
      STDIN_FILENO, STDOUT_FILENO, forKeys ? 1 : 0, enter, leave, wakes)
    guard outcome == 0 else { throw ExitError(.failed, "the terminal cannot hide what is typed") }
  }
}

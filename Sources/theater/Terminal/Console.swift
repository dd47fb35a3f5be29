import Glibc
import Synchronization

/// The terminal, without buffers: what is said is there at once, also in a pipe.
enum Console {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether colours are wanted (https://no-color.org).
  static var hasColour: Bool {
    isTerminal && getenv("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// Columns of the terminal, 80 where nobody knows.
  static var width: Int {
    guard let columns = size?.ws_col, columns > 0 else { return 80 }
    return Int(columns)
  }

  /// Rows of the terminal, 24 where nobody knows.
  static var height: Int {
    guard let rows = size?.ws_row, rows > 0 else { return 24 }
    return Int(rows)
  }

  private static var size: winsize? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// A line on standard output, or several.
  static func say(_ text: String) {
    write(text.printable(keepingLines: true) + "\n", to: STDOUT_FILENO)
  }

  /// Text on standard output as it is: for what steers the terminal.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// A line on standard error.
  static func complain(_ text: String) {
    write("theater: \(text.printable(keepingLines: true))\n", to: STDERR_FILENO)
  }

  /// A variable of the environment, unless empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Why standard output did not take everything, once it has not.
  private static let failure = Mutex<Int32?>(nil)

  /// Ends a command whose answer nobody can have read. A reader that has gone away wanted no more.
  static func checkOutput() throws(ExitError) {
    guard let reason = failure.withLock({ $0 }), reason != EPIPE else { return }
    throw ExitError(
      .failed, "cannot write to standard output: \(String(cString: strerror(reason)))",
      hint: "What was asked is done, but what it says is lost.")
  }

  private static func write(_ text: String, to file: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let reason = errno
        if file == STDOUT_FILENO { failure.withLock { $0 = $0 ?? reason } }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}

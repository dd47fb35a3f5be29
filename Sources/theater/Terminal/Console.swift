import Glibc
import Synchronization

/// Standard output and error, unbuffered.
enum Console {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether colours are wanted (https://no-color.org).
  static var hasColour: Bool {
    isTerminal && getenv("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// Columns of the terminal; 80 if unknown.
  static var width: Int {
    guard let columns = size?.ws_col, columns > 0 else { return 80 }
    return Int(columns)
  }

  /// Rows of the terminal; 24 if unknown.
  static var height: Int {
    guard let rows = size?.ws_row, rows > 0 else { return 24 }
    return Int(rows)
  }

  private static var size: winsize? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Writes one or more lines to standard output, control characters escaped.
  static func writeLine(_ text: String) {
    write(text.printable(keepingLines: true) + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output as it is, for control sequences.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a line to standard error, control characters escaped.
  static func writeErrorLine(_ text: String) {
    write("theater: \(text.printable(keepingLines: true))\n", to: STDERR_FILENO)
  }

  /// Writes text to standard error without a line break, control characters escaped.
  static func writeError(_ text: String) {
    write(text.printable(keepingLines: true), to: STDERR_FILENO)
  }

  /// A variable of the environment, unless empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The `errno` of the first failed write to standard output.
  private static let failure = Mutex<Int32?>(nil)

  /// Throws if standard output was not written completely. A closed pipe is no error: its reader has
  /// what it wants.
  static func checkOutput() throws(ExitError) {
    guard let reason = failure.withLock({ $0 }), reason != EPIPE else { return }
    throw ExitError(
      .failed, "cannot write to standard output: \(String(cString: strerror(reason)))",
      hint: "The command was carried out, but its output is lost.")
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

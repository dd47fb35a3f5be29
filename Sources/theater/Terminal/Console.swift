import Glibc
import JSON
import Synchronization

/// Standard output and error, unbuffered.
enum Console {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether colours are wanted (https://no-color.org).
  static var hasColour: Bool {
    isTerminal && getenv("NO_COLOR") == nil && environment("TERM") != "dumb"
  }

  /// Whether the command line asks for JSON: errors are objects then, and questions go to standard
  /// error.
  static let isJSON = asksForJSON(Array(CommandLine.arguments.dropFirst()))

  /// Whether `--json` is among the options of a command line.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Whether standard error is a terminal that can replace a line. While a shell asks for completions
  /// the terminal is the shell's.
  static var hasProgressLine: Bool {
    isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb"
      && CommandLine.arguments.dropFirst().first != "---completion"
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
    WaitingLine.clear()
    write(text.printable(keepingLines: true) + "\n", to: STDOUT_FILENO)
  }

  /// Writes text to standard output as it is, for control sequences.
  static func write(_ text: String) {
    WaitingLine.clear()
    write(text, to: STDOUT_FILENO)
  }

  /// Writes a line to standard error, control characters escaped.
  static func writeErrorLine(_ text: String) {
    WaitingLine.clear()
    write("theater: \(text.printable(keepingLines: true))\n", to: STDERR_FILENO)
  }

  /// Writes an error for programs to standard error, in one line.
  static func writeErrorObject(_ object: JSON) {
    WaitingLine.clear()
    write(object.text().printable() + "\n", to: STDERR_FILENO)
  }

  /// Writes what a person reads beside the result of a command: to standard output, with `--json` to
  /// standard error.
  static func writeNotice(_ text: String) {
    WaitingLine.clear()
    write(
      text.printable(keepingLines: true) + "\n", to: isJSON ? STDERR_FILENO : STDOUT_FILENO)
  }

  /// Writes a question without a line break, to standard error if standard output is no terminal or
  /// gets JSON.
  static func writeQuestion(_ text: String) {
    WaitingLine.clear()
    write(
      text.printable(), to: isJSON || !isTerminal ? STDERR_FILENO : STDOUT_FILENO)
  }

  /// Writes control sequences to standard error as they are.
  static func writeProgress(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes text to standard error without a line break, control characters escaped.
  static func writeError(_ text: String) {
    WaitingLine.clear()
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

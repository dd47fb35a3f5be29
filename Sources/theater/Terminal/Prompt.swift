import CLinux
import Glibc

/// Questions to the person at the terminal; without one, each answer is a line of standard input.
enum Prompt {
  /// Whether input and output are a terminal that can show a view, and no program reads the output.
  static var isInteractive: Bool {
    isTerminal && Console.isTerminal && !Console.isJSON && Console.environment("TERM") != "dumb"
  }

  private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether a person can answer a question beside the output of a command.
  static var canAsk: Bool { isTerminal && isatty(STDERR_FILENO) == 1 }

  /// Whether a person at a terminal reads the result of the command, and can choose before it goes on.
  static var canChoose: Bool { isTerminal && Console.isTerminal && !Console.isJSON }

  /// Writes a question, and reads the answer as a line; `nil` at the end of the input.
  static func answer(_ question: String) -> String? {
    Console.writeQuestion(question)
    return readLine(strippingNewline: true)
  }

  /// Writes a question to standard error: standard output may be a pipe.
  static func writeQuestion(_ text: String) { Console.writeError(text) }

  /// Reads a line; at a terminal after `prompt`.
  static func line(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { Console.writeQuestion("\(prompt): ") }
    guard let line = readLine(strippingNewline: true) else { throw missingInput(for: prompt) }
    return line
  }

  /// Throws if no answer can come. Called before a request that is useless without an answer. An
  /// open pipe may still bring an answer.
  static func requireInput(_ answer: String) throws(ExitError) {
    guard !isTerminal, linux_input_is_at_end() != 0 else { return }
    throw ExitError(
      .wrongUsage,
      "nothing can supply the \(answer): there is no terminal, and standard input has ended",
      hint: "Nothing was requested yet. Run it at a terminal, or keep standard input open and "
        + "write the \(answer) to it as a line.")
  }

  /// Reads a secret as a line. It may not be an argument: other users can read the arguments of a process.
  static func secretLine(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { return try line(prompt) }
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw ExitError(.wrongUsage, "standard input is empty", hint: "Give the code as one line.")
    }
    return line
  }

  /// Reads a password.
  ///
  /// - Parameters:
  ///   - fromInput: Whether it is a line of standard input; otherwise it is typed without echo.
  static func password(fromInput: Bool) throws(ExitError) -> String {
    if fromInput {
      guard let line = readLine(strippingNewline: true), !line.isEmpty else {
        throw ExitError(.wrongUsage, "--password-stdin was given, but standard input is empty")
      }
      return try validated(line)
    }
    return try hiddenLine("Password")
  }

  /// Reads the repetition of a new password, typed without echo.
  static func repetition() throws(ExitError) -> String { try hiddenLine("The same again") }

  /// Reads a line without echo.
  static func hiddenLine(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { Console.writeQuestion("\(prompt): ") }
    let line = isTerminal ? try RawTerminalMode.hiddenLine() : readLine(strippingNewline: true)
    guard let line else { throw missingInput(for: prompt) }
    guard !line.isEmpty else { throw ExitError(.failed, "nothing was typed") }
    return try validated(line)
  }

  private static func missingInput(for prompt: String) -> ExitError {
    guard !isTerminal else { return ExitError(.failed, "nothing was typed") }
    return ExitError(
      .wrongUsage, "no answer to \"\(prompt)\": there is no terminal, and standard input has ended",
      hint: "Give it as an option or as a line; see --help.")
  }

  /// The password, if all of its bytes were UTF-8. `readLine` replaces other bytes by U+FFFD, which
  /// would make different passwords equal.
  static func validated(_ password: String) throws(ExitError) -> String {
    guard !password.unicodeScalars.contains("\u{FFFD}") else {
      throw ExitError(
        .failed, "the password is not UTF-8", hint: "Set the terminal or the file to UTF-8.")
    }
    return password
  }
}

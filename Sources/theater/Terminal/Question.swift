import CLinux
import Glibc

/// Asking a person at a terminal, or taking the answers from standard input, a line each.
enum Question {
  /// Whether somebody sits at a terminal, sees what is painted and types at it.
  static var isScreen: Bool {
    isTerminal && Console.isTerminal && Console.environment("TERM") != "dumb"
  }

  private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// A line, typed after `prompt`.
  static func ask(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { Console.write("\(prompt): ") }
    guard let line = readLine(strippingNewline: true) else { throw nothing(for: prompt) }
    return line
  }

  /// Makes sure that somebody can give an answer, before anything is done that is of no use without.
  /// An open pipe may bring one: of what is done now, perhaps.
  static func expectAnswer(_ answer: String) throws(ExitError) {
    guard !isTerminal, linux_input_is_at_end() != 0 else { return }
    throw ExitError(
      .wrongUsage,
      "nobody can type the \(answer): there is no terminal, and standard input is at its end",
      hint: "Nothing was asked for yet. Run it at a terminal, or keep standard input open and give "
        + "the \(answer) there as a line when it comes.")
  }

  /// A line that is no password but not for the arguments either: typed, or from standard input.
  static func secretLine(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { return try ask(prompt) }
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw ExitError(.wrongUsage, "standard input is empty", hint: "Give the code as one line.")
    }
    return line
  }

  /// A password, from one line of standard input or typed without echo.
  ///
  /// - Parameter twice: Whether it is to be typed a second time.
  static func password(fromInput: Bool, twice: Bool) throws(ExitError) -> String {
    if fromInput {
      guard let line = readLine(strippingNewline: true), !line.isEmpty else {
        throw ExitError(.wrongUsage, "--password-stdin was given, but standard input is empty")
      }
      return try asTyped(line)
    }
    let password = try unseen("Password")
    if twice {
      guard try unseen("The same again") == password else {
        throw ExitError(.failed, "the two passwords differ", hint: "Begin again.")
      }
    }
    return password
  }

  /// A line that is not shown while it is typed.
  static func unseen(_ prompt: String) throws(ExitError) -> String {
    if isTerminal { Console.write("\(prompt): ") }
    let line = isTerminal ? try RawTerminalMode.unseenLine() : readLine(strippingNewline: true)
    guard let line else { throw nothing(for: prompt) }
    guard !line.isEmpty else { throw ExitError(.failed, "nothing was typed") }
    return try asTyped(line)
  }

  private static func nothing(for prompt: String) -> ExitError {
    guard !isTerminal else { return ExitError(.failed, "nothing was typed") }
    return ExitError(
      .wrongUsage, "there is no terminal, and no line of standard input, to ask for: \(prompt)",
      hint: "Give it as an option or as a line; see --help.")
  }

  /// The password, unless bytes of it were no UTF-8: reading puts the same sign in place of each,
  /// and passwords that differ would become one.
  static func asTyped(_ password: String) throws(ExitError) -> String {
    guard !password.unicodeScalars.contains("\u{FFFD}") else {
      throw ExitError(
        .failed, "the password is not UTF-8", hint: "Set the terminal or the file to UTF-8.")
    }
    return password
  }
}

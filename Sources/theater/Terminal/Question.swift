import Glibc

/// Asking a person at a terminal.
enum Question {
  /// A line, typed after `prompt`.
  static func ask(_ prompt: String) throws(Ending) -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Ending(
        .wrongUsage, "there is no terminal to ask for: \(prompt)",
        hint: "Give it as an option; see --help.")
    }
    Console.write("\(prompt): ")
    guard let line = readLine(strippingNewline: true) else {
      throw Ending(.failed, "nothing was typed")
    }
    return line
  }

  /// A password, from one line of standard input or typed without echo.
  ///
  /// - Parameter twice: Whether it is to be typed a second time.
  static func password(fromInput: Bool, twice: Bool) throws(Ending) -> String {
    if fromInput {
      guard let line = readLine(strippingNewline: true), !line.isEmpty else {
        throw Ending(.wrongUsage, "--password-stdin was given, but standard input is empty")
      }
      return try asTyped(line)
    }
    let password = try unseen("Password")
    if twice {
      guard try unseen("The same again") == password else {
        throw Ending(.failed, "the two passwords differ", hint: "Begin again.")
      }
    }
    return password
  }

  private static func unseen(_ prompt: String) throws(Ending) -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Ending(
        .wrongUsage, "there is no terminal to ask for the password",
        hint: "Give it on standard input with --password-stdin.")
    }
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Ending(.failed, "the terminal cannot hide what is typed")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ECHONL)
    Console.write("\(prompt): ")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw Ending(.failed, "nothing was typed")
    }
    return try asTyped(line)
  }

  /// The password, unless bytes of it were no UTF-8: reading puts the same sign in place of each,
  /// and passwords that differ would become one.
  static func asTyped(_ password: String) throws(Ending) -> String {
    guard !password.unicodeScalars.contains("\u{FFFD}") else {
      throw Ending(
        .failed, "the password is not UTF-8", hint: "Set the terminal or the file to UTF-8.")
    }
    return password
  }
}

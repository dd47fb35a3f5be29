/// The name of this program in suggested commands.
enum ProgramName {
  /// `theater`, or the path by which it was called.
  static let program: String = {
    guard let called = CommandLine.arguments.first, called.contains("/") else { return "theater" }
    return called
  }()

  /// The program with the options that select the controller of the current command.
  static var name: String { program + ControllerTarget.current.options }
}

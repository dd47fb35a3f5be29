import APIClient
import ArgumentParser
import Glibc
import JSON

/// How a command ends when it does not simply return.
struct ExitError: Error, Sendable, Hashable {
  /// What scripts decide by.
  enum Code: Int32, Sendable {
    case done = 0
    /// Refused or failed, with a message.
    case failed = 1
    case wrongUsage = 2
    case notRunning = 3
    case notLoggedIn = 4
  }

  var code: Code
  /// What a person reads; nothing where all was said before.
  var text: String
  /// Whether the text is what was asked for, such as help.
  var isAnswer = false

  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    text = Self.text(message, hint: hint)
  }

  /// An end of which everything was said.
  init(silent code: Code) {
    self.code = code
    text = ""
  }

  /// What the controller refused.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]?.printable
    let message = error?["message"]?.string ?? Self.reason(of: answer.status)
    code =
      answer.status == 401 && error?["code"]?.string == "notLoggedIn" ? .notLoggedIn : .failed
    var place = ""
    if let device = error?["device"]?.string { place = "\(device): " }
    if let step = error?["step"]?.integer { place = "step \(step), \(place)" }
    text = Self.text(place + message, hint: error?["hint"]?.string)
  }

  init(_ failure: ConnectionError) {
    switch failure {
    case .notRunning(let address):
      self.init(
        .notRunning, "no controller runs here (nobody answers at \(address))",
        hint: "Start it: \(Invocation.name) serve --config devices.json")
    case .broken(let reason):
      self.init(
        .failed, "the connection to the controller broke: \(reason)",
        hint: "Look at its log, and try again.")
    case .untrusted(let reason, let hint):
      self.init(.failed, "nothing was sent to the controller: \(reason)", hint: hint)
    }
  }

  /// Whatever ended a command.
  ///
  /// - Parameter arguments: The words after the program's name.
  init(_ error: any Error, arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
    switch error {
    case let ending as ExitError: self = ending
    case let failure as ConnectionError: self.init(failure)
    case is CancellationError: self.init(.failed, "interrupted")
    default: self.init(parserError: error, arguments: arguments)
    }
  }

  private init(parserError error: any Error, arguments: [String]) {
    let exit = Theater.exitCode(for: error)
    text = CompletionScript.replacingExpansions(in: Theater.fullMessage(for: error))
    if text.hasSuffix("\n") { text.removeLast() }
    if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
    isAnswer = exit.isSuccess
    code = exit.isSuccess ? .done : exit == .validationFailure ? .wrongUsage : .failed
    if code == .wrongUsage, let sentence = CommandSuggestion.sentence(for: arguments) {
      // In place of the first line: it only says which words are too many.
      text = ([sentence[...]] + text.split(separator: "\n").dropFirst()).joined(separator: "\n")
    }
  }

  /// Says why and ends the program.
  func leave() -> Never {
    if !text.isEmpty { isAnswer ? Console.say(text) : Console.complain(text) }
    if code == .done {
      do throws(ExitError) { try Console.checkOutput() } catch { error.leave() }
    }
    exit(code.rawValue)
  }

  private static func text(_ message: String, hint: String?) -> String {
    "\(message)" + (hint.map { "\n  \($0)" } ?? "")
  }

  private static func reason(of status: Int) -> String {
    status == 500
      ? "something went wrong in the controller; its log says what" : "the answer was \(status)"
  }
}

/// How this program was called, for the commands that it suggests.
enum Invocation {
  /// `theater`, or the path by which it was called.
  static let name: String = {
    guard let called = CommandLine.arguments.first, called.contains("/") else { return "theater" }
    return called
  }()
}

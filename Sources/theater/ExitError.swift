import APIClient
import ArgumentParser
import Glibc
import JSON

/// The end of a command with an exit code and a message.
struct ExitError: Error, Sendable, Hashable {
  /// The exit code.
  enum Code: Int32, Sendable {
    case done = 0
    /// Refused or failed, with a message.
    case failed = 1
    case wrongUsage = 2
    case notRunning = 3
    case notLoggedIn = 4
  }

  var code: Code
  /// The message; empty if it was printed before.
  var text: String
  /// Whether the text is the command's result, such as help; it then goes to standard output.
  var isAnswer = false

  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    text = Self.text(message, hint: hint)
  }

  /// Ends a command that has printed its message already.
  init(silent code: Code) {
    self.code = code
    text = ""
  }

  /// Reads the controller's refusal.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]?.printable
    let message = error?["message"]?.string ?? Self.reason(of: answer.status)
    let refusal = error?["code"]?.string
    code = answer.status == 401 && refusal == "notLoggedIn" ? .notLoggedIn : .failed
    var origin = ""
    if let device = error?["device"]?.string { origin = "\(device): " }
    if let step = error?["step"]?.string { origin = "step \(step), \(origin)" }
    text = Self.text(
      origin + message, hint: Self.hint(error?["hint"]?.string, refusal: refusal))
  }

  init(_ failure: ControllerConnectionError) {
    switch failure {
    case .notRunning(.socket(let path)):
      self.init(
        .notRunning, "no controller is running: no process listens at \(path)",
        hint: """
          Start it: \(ProgramName.name) serve --config devices.json
            If another user or another machine runs it: \(ProgramName.name) --at https://localhost:8080 …, with \
          that machine's name
          """)
    case .notRunning:
      self.init(
        .notRunning, Self.reason(of: failure),
        hint:
          "Check the address, and that the controller runs there. Other machines reach it only with "
          + "\"web\": {\"host\": …} in its devices.json.")
    case .broken(let reason):
      self.init(
        .failed, "the connection to the controller broke: \(reason)",
        hint: "Look at its log, and try again.")
    case .untrusted(let reason, let hint):
      self.init(.failed, "nothing was sent to the controller: \(reason)", hint: hint)
    case .certificate(let address, let found, let confirmed):
      self =
        confirmed.map { CertificateConfirmation.changed(address, found, from: $0) }
        ?? CertificateConfirmation.unknown(address, found)
    }
  }

  /// The reason why a request has no response, without what to do.
  static func reason(of failure: ControllerConnectionError) -> String {
    switch failure {
    case .notRunning(let address): "no controller answers at \(address)"
    case .broken(let reason), .untrusted(let reason, _): reason
    case .certificate(let address, _, nil): "the certificate of \(address) is not confirmed yet"
    case .certificate(let address, _, _):
      "the certificate of \(address) is another one than you confirmed"
    }
  }

  /// Describes any error of a command.
  ///
  /// - Parameter arguments: The command line without the program's name.
  init(_ error: any Error, arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
    switch error {
    case let error as ExitError: self = error
    case let failure as ControllerConnectionError: self.init(failure)
    case is CancellationError: self.init(.failed, "interrupted")
    default: self.init(parserError: error, arguments: arguments)
    }
  }

  private init(parserError error: any Error, arguments: [String]) {
    let exit = Theater.exitCode(for: error)
    if exit.isSuccess, DeviceSwap.isHelpRequest(arguments) {
      (code, text, isAnswer) = (.done, DeviceSwap.helpMessage(), true)
      return
    }
    text = CompletionScript.replacingExpansions(in: Theater.fullMessage(for: error))
    if text.hasSuffix("\n") { text.removeLast() }
    if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
    let suggestion =
      exit.isSuccess || exit == .validationFailure
      ? CommandSuggestion.sentence(for: arguments) : nil
    isAnswer = exit.isSuccess && suggestion == nil
    switch (suggestion, exit) {
    case (let suggestion?, .success):
      // Help on an unknown command.
      code = .wrongUsage
      text = """
        \(suggestion)
        Usage: \(Theater.usageString(for: Theater.self))
          See 'theater --help' for more information.
        """
    case (let suggestion?, _):
      // Replaces the first line, which only says which words are unexpected.
      code = .wrongUsage
      text = ([suggestion[...]] + text.split(separator: "\n").dropFirst()).joined(separator: "\n")
    case (nil, .success): code = .done
    case (nil, .validationFailure): code = .wrongUsage
    case (nil, _): code = .failed
    }
  }

  /// Prints the message and ends the program.
  func terminate() -> Never {
    if !text.isEmpty { isAnswer ? Console.writeLine(text) : Console.writeErrorLine(text) }
    if code == .done {
      do throws(ExitError) { try Console.checkOutput() } catch { error.terminate() }
    }
    exit(code.rawValue)
  }

  /// Returns a refusal's hint, followed by the command that resolves the refusal if there is one.
  /// The controller's hints name no commands, because the page shows them too.
  static func hint(_ hint: String?, refusal code: String?) -> String? {
    let command: String? =
      switch code {
      case "notLoggedIn": "login"
      case "proofNeeded": "prove"
      case "lastOwner": "accounts role EMAIL owner"
      case "factorActive": "totp remove"
      case "noFactor": "totp enrol"
      default: nil
      }
    let lines = [hint, command.map { "next: \(ProgramName.name) \($0)" }].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "\n  ")
  }

  private static func text(_ message: String, hint: String?) -> String {
    "\(message)" + (hint.map { "\n  \($0)" } ?? "")
  }

  private static func reason(of status: Int) -> String {
    status == 500
      ? "something went wrong in the controller; its log says what" : "the answer was \(status)"
  }
}

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

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

    /// The stable word for programs, where no refusal of the controller has one of its own.
    var word: String {
      switch self {
      case .done: "done"
      case .failed: "failed"
      case .wrongUsage: "wrongUsage"
      case .notRunning: "notRunning"
      case .notLoggedIn: "notLoggedIn"
      }
    }
  }

  var code: Code
  /// The stable word for programs: that of the controller's refusal, or that of the exit code.
  var word: String
  /// The description of the failure.
  var message: String
  /// The next action.
  var hint: String?
  /// The device that failed, and the step of a run; `nil` if the failure does not concern one.
  var device: String?
  var step: String?
  /// Whether the text was printed before.
  var isShown = false
  /// Whether the text is the command's result, such as help; it then goes to standard output.
  var isAnswer = false

  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    word = code.word
  }

  /// Ends a command that has printed its text already.
  ///
  /// - Parameter message: The description of the failure for programs, which get no text.
  init(silent code: Code, _ message: String = "its output says what failed") {
    self.init(code, message)
    isShown = true
  }

  /// Reads the controller's refusal.
  init(_ answer: ControllerResponse) {
    let error = answer.json["error"]?.printable
    let refusal = error?["code"]?.string
    let hint = Self.hint(
      error?["hint"]?.string, refusal: refusal, device: error?["device"]?.string)
    self.init(
      answer.status == 401 && refusal == "notLoggedIn" ? .notLoggedIn : .failed,
      error?["message"]?.string ?? Self.reason(of: answer.status), hint: hint)
    word = refusal ?? word
    device = error?["device"]?.string
    step = error?["step"]?.string
  }

  /// The message for a person, with the hint below it; empty if it was printed before.
  var text: String {
    if isShown { return "" }
    let origin = (step.map { "step \($0), " } ?? "") + (device.map { "\($0): " } ?? "")
    return origin + message + (hint.map { "\n  \($0)" } ?? "")
  }

  /// The error for programs: `{"error": {"code": …, "message": …, "hint": …}}`. Of a message of
  /// several lines the first one is the message, unless there is a hint.
  var json: JSON {
    let lines = message.split(separator: "\n", maxSplits: 1)
    let isSplit = hint == nil && lines.count == 2
    let hint = isSplit ? lines.last.map(String.init) : hint
    var error: JSONObject = [
      "code": .string(word),
      "message": .string(isSplit ? lines.first.map(String.init) ?? message : message),
    ]
    for (key, text) in [("hint", hint), ("device", device), ("step", step)] {
      if let text { error[key] = .string(text) }
    }
    return ["error": .object(error)]
  }

  init(_ failure: ControllerConnectionError) {
    switch failure {
    case .notRunning(.socket(let path)):
      self.init(
        .notRunning, "no controller is running: no process listens at \(path)",
        hint: """
          Start it: \(ProgramName.name) serve
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
      self.init(.done, DeviceSwap.helpMessage())
      isAnswer = true
      return
    }
    var text = CompletionScript.replacingExpansions(in: Theater.fullMessage(for: error))
    if text.hasSuffix("\n") { text.removeLast() }
    if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
    let suggestion =
      exit.isSuccess || exit == .validationFailure
      ? CommandSuggestion.sentence(for: arguments) : nil
    switch (suggestion, exit) {
    case (let suggestion?, .success):
      // Help on an unknown command.
      self.init(
        .wrongUsage,
        """
        \(suggestion)
        Usage: \(Theater.usageString(for: Theater.self))
          See 'theater --help' for more information.
        """)
    case (let suggestion?, _):
      // Replaces the first line, which only says which words are unexpected.
      self.init(
        .wrongUsage,
        ([suggestion[...]] + text.split(separator: "\n").dropFirst()).joined(separator: "\n"))
    case (nil, .success): self.init(.done, text)
    case (nil, .validationFailure): self.init(.wrongUsage, text)
    case (nil, _): self.init(.failed, text)
    }
    isAnswer = exit.isSuccess && suggestion == nil
  }

  /// Prints the message, with `--json` as an object, and ends the program.
  func terminate() -> Never {
    if isAnswer {
      // Completions without a candidate have no line.
      if !text.isEmpty { Console.writeLine(text) }
    } else if code != .done, Console.isJSON {
      Console.writeErrorObject(json)
    } else if !text.isEmpty {
      Console.writeErrorLine(text)
    }
    if code == .done {
      do throws(ExitError) { try Console.checkOutput() } catch { error.terminate() }
    }
    exit(code.rawValue)
  }

  /// Returns a refusal's hint, followed by the commands that resolve the refusal if there are some.
  /// The controller's hints name no commands, because the page shows them too.
  static func hint(_ hint: String?, refusal code: String?, device: String? = nil) -> String? {
    let commands = HintedCommands.commands(for: code, hint: hint, device: device)
    let next = commands.map { "\(ProgramName.name) \($0)" }.joined(separator: ", ")
    let lines = [hint, next.isEmpty ? nil : "next: \(next)"].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "\n  ")
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

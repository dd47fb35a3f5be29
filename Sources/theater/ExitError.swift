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
}

import AccountFlows
import Validation

/// The one-time code flow with one line of input for each answer. The code is never an argument:
/// other users can read those.
struct NonInteractiveCode<Screen: ScreenModel> {
  /// The question for a missing address: `E-mail address`.
  let prompt: String
  /// The address or number that gets the code.
  let address: String?
  /// The code flow within the screen.
  let flow: @Sendable (Screen) -> CodeFlow?
  let input: @Sendable (CodeFlow.Input) -> Screen.Input

  /// Requests a code and submits it.
  /// - Throws: `ExitError` at the first refusal, and before a code is requested if standard input
  ///   has ended.
  func enter(_ prompt: inout NonInteractivePrompt<Screen>) async throws -> Screen {
    var screen = await prompt.send(
      input(.contact(.typed(try address ?? Prompt.line(self.prompt)))))
    if flow(screen)?.canSubmit == true { try Prompt.requireInput("code") }
    screen = await prompt.send(input(.contact(.submit)))
    guard let contactScreen = flow(screen)?.contactScreen, let code = flow(screen)?.code else {
      throw ExitError(
        flow(screen)?.failure ?? flow(screen)?.contactScreen.mistake ?? .network("No code."))
    }
    Console.writeNotice(Self.notice(code.ticket, sentTo: contactScreen.contact))
    screen = await prompt.send(input(.code(.typed(try Prompt.secretLine("Code")))))
    if flow(screen)?.canSubmit == true { screen = await prompt.send(input(.code(.submit))) }
    guard flow(screen)?.authorization != nil else {
      throw ExitError(flow(screen)?.failure ?? code.mistake)
    }
    return screen
  }

  private static func notice(_ ticket: CodeTicket, sentTo contact: String) -> String {
    var text = "A code of \(ticket.length) digits was sent to \(ticket.destination ?? contact)."
    if let validity = ticket.validity { text += " It is good for \(validity / 60) minutes" }
    if let wait = ticket.wait {
      text += "\(ticket.validity == nil ? " A" : "; a")nother can be sent after \(wait) seconds"
    }
    return ticket.validity == nil && ticket.wait == nil ? text : text + "."
  }
}

extension NonInteractiveCode<CodeFlow> {
  /// A screen that is the code flow alone.
  init(prompt: String, address: String?) {
    self.init(prompt: prompt, address: address, flow: { $0 }, input: { $0 })
  }
}

extension CodeScreen {
  /// The error of a code with the wrong length.
  var mistake: ScreenFailure {
    .malformed(field: "code", message: "The code has \(ticket.length) digits.")
  }
}

extension CodeRequestScreen {
  /// The error of the address, if it is invalid.
  fileprivate var mistake: ScreenFailure? {
    form[field]?.message.map { .malformed(field: field.text, message: $0) }
  }
}

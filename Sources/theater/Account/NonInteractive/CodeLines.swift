import AccountFlows
import Validation

/// A one-time code for answers that come a line each. It never stands among the arguments, where
/// others could read it.
struct CodeLines<Screen: ScreenModel> {
  /// What is asked for where no place is known: `E-mail address`.
  let prompt: String
  /// Where the code is to go.
  let contact: String?
  /// The code's part of the screen.
  let flow: @Sendable (Screen) -> CodeFlow?
  let input: @Sendable (CodeFlow.Input) -> Screen.Input

  /// Has a code sent and takes it.
  /// - Throws: An `ExitError` at the first refusal, and before anything is sent where nobody can type
  ///   the code.
  func enter(_ play: inout NonInteractivePrompt<Screen>) async throws -> Screen {
    var screen = await play.send(
      input(.place(.typed(try contact ?? Question.ask(prompt)))))
    if flow(screen)?.canSubmit == true { try Question.expectAnswer("code") }
    screen = await play.send(input(.place(.submit)))
    guard let place = flow(screen)?.place, let code = flow(screen)?.code else {
      throw ExitError(flow(screen)?.failure ?? flow(screen)?.place.mistake ?? .network("No code."))
    }
    Console.say(Self.notice(code.ticket, sentTo: place.contact))
    screen = await play.send(input(.code(.typed(try Question.secretLine("Code")))))
    if flow(screen)?.canSubmit == true { screen = await play.send(input(.code(.submit))) }
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

extension CodeLines<CodeFlow> {
  /// The code alone.
  init(prompt: String, contact: String?) {
    self.init(prompt: prompt, contact: contact, flow: { $0 }, input: { $0 })
  }
}

extension CodeScreen {
  /// What is wrong with a code that could not even be submitted.
  var mistake: ScreenFailure {
    .malformed(field: "code", message: "The code has \(ticket.length) digits.")
  }
}

extension CodeRequestScreen {
  /// What is wrong with the place.
  fileprivate var mistake: ScreenFailure? {
    form[field]?.message.map { .malformed(field: field.text, message: $0) }
  }
}

import AccountFlows

/// The one-time code screen in a terminal.
struct CodeView: TerminalView {
  var paint = ANSIStyle(hasColour: Console.hasColour)
  /// What the person is to do; where the code went, when not given.
  var title: String?
  /// Whether there is a way back from here.
  var hasBack = false

  func lines(_ screen: CodeScreen, turn: Int) -> [String] {
    var lines = [
      paint.strong(title ?? sent(screen.ticket)), "",
      paint.field(
        "code", screen.code, isHidden: false, hasCursor: !screen.isLocked, isValid: screen.isOver),
      "",
    ]
    if screen.isLoading {
      lines.append(paint.progress("Asking …", turn: turn))
    } else if let failure = screen.failure {
      lines.append(paint.bad("✗ \(failure.text)"))
    } else if let left = screen.triesLeft, !screen.isOver {
      lines.append("\(left) \(left == 1 ? "try is" : "tries are") left.")
    }
    if !screen.isOver { lines.append(help(screen)) }
    return lines
  }

  private func sent(_ ticket: CodeTicket) -> String {
    let place = ticket.destination.map { " to \(ANSIStyle.visible($0))" } ?? ""
    return "A code of \(ticket.length) digits was sent\(place)."
  }

  private func help(_ screen: CodeScreen) -> String {
    let rest =
      (screen.ticket.takesRecoveryCode ? ["Enter: hand in"] : [])
      + (hasBack ? ["Esc: back"] : []) + ["Ctrl-C: stop"]
    if screen.countdown > 0 {
      let again = "Send again in \(TimeText.text(Double(screen.countdown)))"
      return paint.faint(([again] + rest).joined(separator: " · "))
    }
    guard screen.ticket.wait != nil else { return paint.faint(rest.joined(separator: " · ")) }
    return paint.strong("Ctrl-R: send again")
      + paint.faint(" · " + rest.joined(separator: " · "))
  }

  func inputs(for key: Key, on screen: CodeScreen) -> [CodeScreen.Input] {
    switch key {
    case .enter: [.submit]
    case .again: [.sendAgain]
    default: screen.code.typing(key).map { [.typed($0)] } ?? []
    }
  }
}

extension CodeScreen {
  /// Takes a code that nobody sends: key by key on a screen, otherwise as a line.
  ///
  /// - Returns: What the code brought.
  /// - Throws: An `ExitError`; without a screen also for a code that was refused.
  func ask(_ service: some CodeService, _ prompt: String) async throws -> Authorization {
    let driver = driver(service: service)
    let end =
      Question.isScreen
      ? try await CodeView(title: prompt).play(driver)
      : try await NonInteractivePrompt.play(driver) { play in
        let screen = await play.send(.typed(try Question.secretLine(prompt)))
        return screen.canSubmit ? await play.send(.submit) : screen
      }
    guard let authorization = end.authorization else { throw ExitError(end.failure ?? end.mistake) }
    return authorization
  }
}

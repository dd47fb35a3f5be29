import AccountFlows

/// The one-time code screen in a terminal.
struct CodeView: TerminalView {
  var style = ANSIStyle(hasColour: Console.hasColour)
  /// The heading; `nil` shows the code's destination.
  var title: String?
  /// Whether Escape leads back to the address.
  var hasBack = false

  func lines(_ screen: CodeScreen, turn: Int) -> [String] {
    var lines = [
      style.strong(title ?? sent(screen.ticket)), "",
      style.field(
        "code", screen.code, isHidden: false, hasCursor: !screen.isLocked, isValid: screen.isOver),
      "",
    ]
    if screen.isLoading {
      lines.append(style.progress("Asking…", turn: turn))
    } else if let failure = screen.failure {
      lines.append(style.bad("✗ \(failure.text)"))
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
      (screen.ticket.takesRecoveryCode ? ["Enter: submit"] : [])
      + (hasBack ? ["Esc: back"] : []) + ["Ctrl-C: stop"]
    if screen.countdown > 0 {
      let again = "Send again in \(TimeText.text(Double(screen.countdown)))"
      return style.faint(([again] + rest).joined(separator: " · "))
    }
    guard screen.ticket.wait != nil else { return style.faint(rest.joined(separator: " · ")) }
    return style.strong("Ctrl-R: send again")
      + style.faint(" · " + rest.joined(separator: " · "))
  }

  func inputs(for key: Key, on screen: CodeScreen) -> [CodeScreen.Input] {
    switch key {
    case .enter: [.submit]
    case .resend: [.sendAgain]
    default: screen.code.edited(by: key).map { [.typed($0)] } ?? []
    }
  }
}

extension CodeScreen {
  /// Reads a code from an authenticator app: key by key in a terminal, otherwise as one line.
  ///
  /// - Throws: `ExitError`; without a terminal also if the code is refused.
  func ask(_ service: some CodeService, _ prompt: String) async throws -> Authorization {
    let driver = driver(service: service)
    let end =
      Prompt.isInteractive
      ? try await CodeView(title: prompt).run(driver)
      : try await NonInteractivePrompt.run(driver) { input in
        let screen = await input.send(.typed(try Prompt.secretLine(prompt)))
        return screen.canSubmit ? await input.send(.submit) : screen
      }
    guard let authorization = end.authorization else { throw ExitError(end.failure ?? end.mistake) }
    return authorization
  }
}

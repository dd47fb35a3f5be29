import AccountScreens

/// The one-time code screen in a terminal.
struct CodeFace: TerminalFace {
  var paint = Paint(hasColour: Console.hasColour)

  func lines(_ screen: CodeScreen, turn: Int) -> [String] {
    let place = screen.ticket.destination.map { " to \(Paint.visible($0))" } ?? ""
    var lines = [
      paint.strong("A code of \(screen.ticket.length) digits was sent\(place)."), "",
      paint.field(
        "code", screen.code, isHidden: false, hasCursor: !screen.isLocked, isValid: screen.isOver),
      "",
    ]
    if screen.isLoading {
      lines.append(paint.progress("Asking …", turn: turn))
    } else if let failure = screen.failure {
      lines.append(paint.bad("✗ \(failure.text)"))
    }
    if !screen.isOver { lines.append(again(screen)) }
    return lines
  }

  private func again(_ screen: CodeScreen) -> String {
    screen.countdown > 0
      ? paint.faint("Send again in \(TimeText.text(Double(screen.countdown))) · Ctrl-C: stop")
      : "\(paint.strong("Ctrl-R: send again"))\(paint.faint(" · Ctrl-C: stop"))"
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
  /// Takes a code: key by key on a screen, otherwise a line each.
  ///
  /// - Returns: What the code brought.
  /// - Throws: An `Ending`; without a screen also for a code that was refused.
  func ask(_ service: some CodeService) async throws -> Authorization {
    let driver = driver(service: service)
    let end =
      Question.isScreen
      ? try await CodeFace().play(driver)
      : try await LinePlay.play(driver) { play in
        let screen = await play.send(.typed(try Question.ask("Code")))
        return screen.canSubmit ? await play.send(.submit) : screen
      }
    guard let authorization = end.authorization else {
      let mistake = "The code has \(end.ticket.length) digits."
      throw Ending(end.failure ?? .malformed(field: "code", message: mistake))
    }
    return authorization
  }
}

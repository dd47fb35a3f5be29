import APIClient
import ArgumentParser
import Devices
import JSON

/// `theater status`: what is on, how far it is, every device.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is on and how every device is.")

  @Flag(name: .shortAndLong, help: "Go on showing what changes.")
  var follow = false
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    guard follow else {
      let status = try await theater.get("/api/v1/status")
      if output.json { return Console.say(status.prettyText()) }
      let view = TheaterView(snapshot: status, at: Self.now)
      let text = StatusText(width: Console.width, hasColour: Console.hasColour)
      // Only for a look: what follows, scrolls or is read by scripts stays as it is.
      let address = AddressLines.lines(try await theater.get("/api/v1/address").printable)
      let end = address.isEmpty ? [] : [""] + address
      return Console.write(([text.text(view, at: Self.now)] + end).joined(separator: "\n") + "\n")
    }
    if output.json {
      try await theater.listen { event in
        let object: JSON = ["event": .string(event.name), "data": event.json]
        Console.say(object.text())
        try Console.checkOutput()
        return true
      }
    } else if Console.isTerminal {
      try await StatusScreen(theater: theater).run()
    } else {
      try await followInLines(theater)
    }
    throw ExitError(.notRunning, "the controller has stopped")
  }

  /// A line whenever something changes, for pipes and logs.
  private func followInLines(_ theater: RemoteTheater) async throws {
    var changes = ChangeLines()
    try await theater.listen { event in
      for line in changes.lines(for: event) { Console.say(line) }
      try Console.checkOutput()
      return true
    }
  }

  /// Monotonic seconds.
  static var now: Double { SystemClock().now() / .seconds(1) }
}

/// The status that repaints itself, until the controller ends the stream.
struct StatusScreen {
  let theater: RemoteTheater

  func run() async throws {
    let board = Board()
    // No cursor; and lines end at the edge, as a wrapped one would count as two.
    Console.write("\u{1B}[?25l\u{1B}[?7l")
    defer { Console.write("\u{1B}[?7h\u{1B}[?25h") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Progress moves between events.
        while true {
          try await Task.sleep(for: .seconds(1))
          await board.paint()
        }
      }
      group.addTask { try await TerminalInterrupt.wait() }
      group.addTask {
        try await theater.listen { event in
          await board.take(event)
          return true
        }
      }
      defer { group.cancelAll() }
      _ = try await group.nextResult()?.get()
    }
  }

  /// What is on the screen.
  private actor Board {
    private var view: TheaterView?
    private var painting = Painting()

    func take(_ event: ServerSentEvent) {
      if event.name == "snapshot" {
        view = TheaterView(snapshot: event.json, at: Status.now)
      } else {
        view?.take(event, at: Status.now)
      }
      paint()
    }

    func paint() {
      guard let view else { return }
      let text = StatusText(width: Console.width, hasColour: Console.hasColour)
        .text(view, at: Status.now)
      Console.write(painting.next(text, rows: Console.height))
    }
  }
}

/// Pictures of some lines, each painted over the one before.
struct Painting {
  private var paintedLines = 0

  /// What to write for the next picture.
  ///
  /// - Parameter rows: Of the terminal; what does not fit is left out, as the cursor cannot climb
  ///   back over what was scrolled away.
  mutating func next(_ text: String, rows: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix(max(1, rows - 1))
    // Up to where the last picture began; each line is written over and cleared behind.
    let up = paintedLines > 0 ? "\u{1B}[\(paintedLines)A" : ""
    paintedLines = lines.count
    return up + "\r" + lines.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }
}

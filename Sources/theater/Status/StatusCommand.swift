import APIClient
import ArgumentParser
import Devices
import Glibc
import JSON
import Platform
import TheaterAPI

/// `theater status`: the current activity, its progress, and every device.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is on in each room, and the state of every device.")

  @Flag(name: .shortAndLong, help: "Keep showing changes, in a terminal until q or Ctrl-C.")
  var follow = false
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    guard follow else {
      let status = try await theater.get(place.path(.status))
      if output.json { return Console.writeLine(status.prettyText()) }
      let view = LiveTheaterStatus(snapshot: status, at: Self.now)
      let text = StatusText(width: Console.width, hasColour: Console.hasColour)
      // Only in the plain listing: --follow and --json keep their format.
      let address = AddressLines.lines(
        try await theater.get(SystemEndpoint.address.path()).printable)
      let end = address.isEmpty ? [] : [""] + address
      return Console.write(([text.text(view, at: Self.now)] + end).joined(separator: "\n") + "\n")
    }
    if output.json {
      try await theater.listen { event in
        let object: JSON = ["event": .string(event.name), "data": event.json]
        Console.writeLine(object.text())
        try Console.checkOutput()
        return true
      }
    } else if Console.isTerminal {
      try await StatusScreen(theater: theater).run()
    } else {
      try await followInLines(theater)
    }
    throw await theater.streamEndError(
      otherwise: ExitError(.failed, "the controller ended the stream; run the command again"))
  }

  /// Prints a line for each change, for pipes and logs.
  private func followInLines(_ theater: RemoteTheater) async throws {
    var changes = ChangeLines()
    try await theater.listen { event in
      for line in changes.lines(for: event) { Console.writeLine(line) }
      try Console.checkOutput()
      return true
    }
  }

  /// Monotonic seconds.
  static var now: Double { SystemClock().now() / .seconds(1) }
}

extension RemoteTheater {
  /// Returns the error of a command whose event stream has ended or broken: that of a missing session or of a stopped
  /// controller, or else `other`.
  func streamEndError(otherwise other: ExitError) async -> any Error {
    do {
      // The end of the stream has no reason; a refused request has one.
      _ = try await get(PlaybackEndpoint.status.path())
      return other
    } catch let failure as ControllerConnectionError {
      switch failure {
      case .notRunning, .broken: return ExitError(.notRunning, "the controller has stopped")
      case .untrusted, .certificate: return failure
      }
    } catch {
      return error
    }
  }
}

/// The status in a terminal, redrawn at each event until the controller ends the stream, or the person presses q or
/// Ctrl-C.
struct StatusScreen {
  let theater: RemoteTheater

  func run() async throws {
    // The system stops a process in the background that changes the terminal's mode.
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else {
      Console.write(RawTerminalMode.enterScreen)
      defer { Console.write(RawTerminalMode.leaveScreen) }
      return try await follow(keys: nil)
    }
    let keyboard = try Keyboard()
    defer { keyboard.close() }
    try await RawTerminalMode.withKeyInput(wakes: keyboard.wakes) {
      try await follow(keys: keyboard.readings)
    }
  }

  private func follow(keys: AsyncStream<Keyboard.Reading>?) async throws {
    let display = Display()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (registration, registered) = AsyncStream<Void>.makeStream()
      group.addTask { try await TerminalInterrupt.wait { registered.finish() } }
      // Nothing is drawn before Ctrl-C is waited for.
      for await _ in registration {}
      group.addTask {
        // Progress moves on between events.
        while true {
          try await Task.sleep(for: .seconds(1))
          await display.redraw()
        }
      }
      if let keys { group.addTask { try await handle(keys, display) } }
      group.addTask {
        // Lines on standard error would move the screen.
        try await theater.listen(report: { await display.show(loss: $0) }) { event in
          await display.apply(event)
          return true
        }
      }
      defer { group.cancelAll() }
      _ = try await group.nextResult()?.get()
    }
  }

  private func handle(_ readings: AsyncStream<Keyboard.Reading>, _ display: Display) async throws {
    var decoder = KeyDecoder()
    for await reading in readings {
      switch reading {
      case .continued: await display.drawAnew()
      case .bytes(let bytes):
        let keys = decoder.keys(in: bytes)
        if keys.contains(.text("q")) { throw ExitError(silent: .done) }
      }
    }
    throw ExitError.terminalEnded
  }

  /// The state of the display.
  private actor Display {
    private var view: LiveTheaterStatus?
    private var update = ScreenUpdate()
    /// Why the connection is lost; `nil` while it is open.
    private var loss: String?

    func show(loss: String?) {
      self.loss = loss
      redraw()
    }

    func apply(_ event: ServerSentEvent) {
      if event.name == "snapshot" {
        view = LiveTheaterStatus(snapshot: event.json, at: Status.now)
      } else {
        view?.apply(event, at: Status.now)
      }
      redraw()
    }

    /// Draws below what the terminal shows after a stop.
    func drawAnew() {
      update = ScreenUpdate()
      redraw()
    }

    func redraw() {
      guard let view else { return }
      let text = StatusText(width: Console.width, hasColour: Console.hasColour)
        .text(view, at: Status.now)
      let notice = loss.map { [ConnectionLines.text($0).printable()] } ?? []
      Console.write(
        update.next((notice + [text]).joined(separator: "\n"), rows: Console.height))
    }
  }
}

/// Replaces the lines that were written before with new ones.
struct ScreenUpdate {
  private var shownLines = 0

  /// The control sequences and lines that show `text` in place of the previous text.
  ///
  /// - Parameter rows: The terminal's height. Further lines are left out, because the cursor cannot
  ///   return to a line that has scrolled away.
  mutating func next(_ text: String, rows: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix(max(1, rows - 1))
    // Moves up to the first of the previous lines; then replaces and clears each line.
    let up = shownLines > 0 ? "\u{1B}[\(shownLines)A" : ""
    shownLines = lines.count
    return up + "\r" + lines.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }
}

import APIClient
import Devices
import JSON
import TheaterAPI

/// A person's use of the main menu at a terminal, until the person leaves it.
struct MenuSession {
  private let theater: RemoteTheater

  init(_ theater: RemoteTheater) { self.theater = theater }

  /// Shows the menu and does what is chosen, again and again.
  func run() async throws {
    while true {
      let menu = try await load()
      // Its texts are printable, and its headlines have styles.
      Console.write(menu.text + "\n")
      guard let action = choose(from: menu) else { return }
      do {
        guard try await perform(action) else { return }
      } catch {
        try report(error)
      }
      Console.writeLine("")
    }
  }

  /// Reads a choice; `nil` when the person leaves.
  private func choose(from menu: MainMenu) -> Choice? {
    while let line = Prompt.answer("A number (Enter: look again, q: leave): ") {
      let text = line.trimmed
      if text.isEmpty { return .refresh }
      if text.lowercased() == "q" { return nil }
      if let number = Int(text), menu.entries.indices.contains(number - 1) {
        return .action(menu.entries[number - 1].action)
      }
      Console.writeLine("Type a number from 1 to \(menu.entries.count), or q.")
    }
    // The shell's prompt begins a line.
    Console.writeLine("")
    return nil
  }

  private enum Choice {
    case refresh
    case action(MainMenu.Action)
  }

  private func load() async throws -> MainMenu {
    let answers = MainMenu.Answers(
      session: try await theater.get(SessionEndpoint.currentSession.path()),
      status: try await theater.get(PlaybackEndpoint.status.path()),
      activities: try await theater.get(PlaybackEndpoint.activities.path()),
      scenes: try await theater.get(DeviceEndpoint.scenes.path()))
    return MainMenu(
      answers, hasSession: ControllerTarget.current.token == nil,
      StatusText(width: Console.width, hasColour: Console.hasColour), at: Status.now)
  }

  /// - Returns: Whether the menu goes on.
  private func perform(_ choice: Choice) async throws -> Bool {
    guard case .action(let action) = choice else { return true }
    switch action {
    case .control(let control, let room):
      let answer = try await theater.post(room.path(control.endpoint), control.body)
      Console.writeLine(control.done(answer))
    case .end(let room):
      let answer = try await RunFollower(theater).run(room.path(.end), for: .end)
      if let hint = await DevicesLeftOn.hint(after: answer, in: room, theater) {
        Console.writeLine(hint)
      }
    case .begin(let activity, nil): try await begin(activity, nil, .saved)
    case .begin(let activity, let source?): return try await choose(from: source, for: activity)
    case .popcorn: try await RunFollower(theater).run(PlaybackEndpoint.popcorn.path())
    case .logOut:
      try await LogOut.logOut(theater)
      Console.writeLine("You are logged out.")
      return false
    }
    return true
  }

  /// Shows the items of an activity, and begins it with the chosen one.
  ///
  /// - Returns: Whether the menu goes on.
  private func choose(
    from source: MainMenu.ItemSource, for activity: String
  ) async throws -> Bool {
    var items = try await list(source)
    Console.writeLine(items.text)
    while let line = Prompt.answer(items.question) {
      switch items.choice(line) {
      case .leave: return false
      case .back: return true
      case .nextPage: items.turnPage()
      case .search(let words): items = try await list(source, search: words)
      case .frequency(let station):
        try await begin(activity, station, .saved)
        return true
      case .item(let entry):
        let start = try StoppedItem(entry: entry).map { try ResumeQuestion($0).ask() }
        try await begin(activity, entry["id"]?.string, start ?? .saved)
        return true
      case .unknown:
        Console.writeLine("Type a number of the list, or words to search for.")
        continue
      }
      Console.writeLine(items.text)
    }
    Console.writeLine("")
    return false
  }

  private func list(
    _ source: MainMenu.ItemSource, search: String = ""
  ) async throws -> ItemMenu {
    let answer = try await theater.library(source.category, search: search)
    // Two rows are for the number of items and the question.
    return ItemMenu(
      answer[source.category.rawValue]?.array ?? [], source, pageSize: Console.height - 3)
  }

  private func begin(
    _ activity: String, _ item: String?, _ start: StartPosition
  ) async throws {
    try await RunFollower(theater).run(
      PlaybackEndpoint.startActivity.path(activity), .object(StartOptions.body(item, start)),
      for: .start, isAnnounced: false)
  }

  /// Shows an error after which the menu goes on; throws any other one.
  private func report(_ error: any Error) throws {
    let error = ExitError(error, arguments: [])
    guard error.code == .failed, error != .cancelled else { throw error }
    if !error.text.isEmpty { Console.writeErrorLine(error.text) }
  }
}

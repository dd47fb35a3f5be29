import ArgumentParser
import Devices
import HomeTheater
import JSON
import TheaterAPI

/// Where a start begins an item that the person has stopped before.
enum StartPosition: Hashable {
  /// Where the person stopped it.
  case saved
  /// At its start.
  case beginning
}

/// The options that say where a start begins an item.
struct ResumeOptions: ParsableArguments {
  @Flag(help: "Begin where you stopped; at a terminal, without a question.")
  var resume = false
  @Flag(help: "Begin at the start, not where you stopped.")
  var fromStart = false

  func validate() throws {
    guard !resume || !fromStart else {
      throw ValidationError("Give either --resume or --from-start, not both.")
    }
  }

  /// What the options say; `nil` without one.
  var start: StartPosition? { fromStart ? .beginning : resume ? .saved : nil }
}

/// A film or song that the person has stopped before its end.
struct StoppedItem: Hashable {
  /// `nil` where a scene chooses it.
  let id: String?
  let title: String?
  /// In seconds.
  let position: Double
  /// In seconds; `nil` if it is unknown.
  let duration: Double?

  /// The item that a run of a scene would resume, as its plan says; `nil` if it would resume none.
  init?(plan: JSON) {
    guard let position = plan["resumedAt"]?.number else { return nil }
    self.position = position
    (id, title, duration) = (nil, nil, nil)
  }

  /// An entry of a list of the library; `nil` if it has no position.
  init?(entry: JSON) {
    guard let position = entry["position"]?.number else { return nil }
    self.position = position
    id = entry["id"]?.string
    title = entry["title"]?.string
    duration = entry["duration"]?.number
  }

  /// `43:10`, `43:10 of 1:52:00`.
  var place: String {
    let length = duration.map { " of \(TimeText.text($0))" } ?? ""
    return TimeText.text(position) + length
  }
}

/// The question whether an item begins where the person stopped it.
struct ResumeQuestion {
  private let item: StoppedItem

  init(_ item: StoppedItem) { self.item = item }

  /// The sentence before the question.
  var sentence: String { "You stopped \(item.title ?? "it") at \(item.place)." }

  /// Asks at the terminal until the answer is one of the two.
  ///
  /// - Throws: `ExitError.cancelled` at the end of the input.
  func ask() throws(ExitError) -> StartPosition {
    Console.writeLine(sentence)
    while let line = Prompt.answer("Enter to resume there, s to begin at the start: ") {
      if let start = Self.start(line) { return start }
    }
    Console.writeLine("")
    throw .cancelled
  }

  /// The meaning of an answer; `nil` for anything else.
  static func start(_ answer: String) -> StartPosition? {
    switch answer.filter({ !$0.isWhitespace }).lowercased() {
    case "", "r", "resume": .saved
    case "s", "start": .beginning
    default: nil
    }
  }
}

extension RemoteTheater {
  /// The largest number of stopped items in one answer.
  private static let mostStopped = 100

  /// Returns the film or song that a start with this title would resume; `nil` if it would resume none.
  func stoppedItem(
    _ title: String, in category: Devices.Category
  ) async throws -> StoppedItem? {
    guard category != .stations else { return nil }
    let stopped =
      try await get("\(PlaybackEndpoint.stopped.path())?limit=\(Self.mostStopped)")["items"]?.array
      ?? []
    let own = stopped.filter { $0["category"]?.string == category.rawValue }
    // Mostly a person has stopped nothing of this title: then the long list is not needed.
    guard stopped.count >= Self.mostStopped || TitleLookup(own, category).mayMean(title) else {
      return nil
    }
    let entries = try await library(category)[category.rawValue]?.array ?? []
    return TitleLookup(entries, category).entry(title).flatMap(StoppedItem.init(entry:))
  }

  /// Returns the film or song that a start of an activity with this title would resume.
  func stoppedItem(_ title: String, of activity: String) async throws -> StoppedItem? {
    let activities = try await get(PlaybackEndpoint.activities.path())["activities"]?.array
    let named = activities?.first { $0["name"]?.string == activity }
    guard let category = named?["category"]?.string.flatMap(Devices.Category.init) else {
      return nil
    }
    return try await stoppedItem(title, in: category)
  }
}

/// Finds the entry of a list that a typed title means, as the controller does.
struct TitleLookup {
  private let entries: [JSON]
  private let category: Devices.Category
  private let catalogue: Catalogue

  init(_ entries: [JSON], _ category: Devices.Category) {
    self.entries = entries
    self.category = category
    let items = entries.compactMap(CatalogueItem.init).map { item in
      LibraryItem(id: item.id, title: item.title, artist: item.artist, album: item.album)
    }
    catalogue = Catalogue(
      LibraryPlan(
        films: category == .films ? items : [], songs: category == .songs ? items : []))
  }

  /// Whether the title fits one entry or several.
  func mayMean(_ title: String) -> Bool {
    do {
      _ = try catalogue.find(title, in: category)
      return true
    } catch {
      return error.code != .notFound
    }
  }

  /// Returns the one entry that the title means; `nil` if there are none or several.
  func entry(_ title: String) -> JSON? {
    guard let found = try? catalogue.find(title, in: category).item else { return nil }
    return entries.first { $0["id"]?.string?.hasSameBytes(as: found.id) == true }
  }
}

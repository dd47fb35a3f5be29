import ArgumentParser
import Devices
import JSON
import TheaterAPI

/// `theater films`.
struct Films: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the films.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary(.films, output) }
}

/// `theater songs`.
struct Songs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the songs.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary(.songs, output) }
}

/// `theater stations`.
struct Stations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the radio stations.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary(.stations, output) }
}

/// `theater library`.
struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "Update the library.",
    subcommands: [Scan.self])

  /// `theater library scan`: exits with 1 if a player could not read something.
  struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make every player scan its discs and folders again.",
      discussion: "Lists the number of items of each player, and the files that it leaves out.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let theater = try RemoteTheater()
      let answer = try await WaitingLine.during("Reading discs and folders") {
        try await theater.post(PlaybackEndpoint.scanLibrary.path())
      }
      try output.show(answer, ScanText.text)
      let problems = (answer["players"]?.array ?? []).flatMap { $0["problems"]?.array ?? [] }
      if !problems.isEmpty { throw ExitError(silent: .failed, "something cannot be read") }
    }
  }
}

/// The reports of a library scan as text.
enum ScanText {
  /// One line for each player, its problems below it, and the totals.
  static func text(_ answer: JSON) -> String {
    var lines: [String] = []
    for player in answer["players"]?.array ?? [] {
      let found = count(player["items"], player["category"]?.string ?? "items")
      lines.append("\(player["player"]?.string ?? "?"): \(found)")
      for problem in player["problems"]?.array ?? [] {
        let place = problem["folder"]?.string ?? "its own discs"
        lines.append("  ✗ \(place): \(problem["message"]?.string ?? "it failed")")
        if let hint = problem["hint"]?.string { lines.append("    \(hint)") }
      }
      lines += leftOut(of: player)
    }
    let all = ["films", "songs", "stations"].map { count(answer[$0], $0) }
    return (lines + ["In all: \(all.joined(separator: ", "))."]).joined(separator: "\n")
  }

  /// One line for each file that a player leaves out, and the number of further ones.
  private static func leftOut(of player: JSON) -> [String] {
    let files = player["leftOut"]?.array ?? []
    var lines = files.map { file in
      let hint = file["hint"]?.string.map { ". \($0)" } ?? ""
      return "  – \(file["file"]?.string ?? "?"): \(file["reason"]?.string ?? "not listed")\(hint)"
    }
    let rest = (player["leftOutCount"]?.integer ?? 0) - files.count
    if rest > 0 { lines.append("  – \(rest) \(files.isEmpty ? "files" : "more files") left out") }
    return lines
  }

  /// `1 song`, `5 songs`.
  private static func count(_ number: JSON?, _ category: String) -> String {
    let number = number?.integer ?? 0
    return "\(number) \(number == 1 ? String(category.dropLast()) : category)"
  }
}

extension Devices.Category {
  /// The route that lists the items of this category.
  var endpoint: PlaybackEndpoint {
    switch self {
    case .films: .films
    case .songs: .songs
    case .stations: .stations
    }
  }
}

private func showLibrary(_ category: Devices.Category, _ output: OutputOptions) async throws {
  let list = category.rawValue
  let answer = try await RemoteTheater().library(category)
  try output.show(answer) { LibraryText.text($0[list]?.array ?? [], list: list) }
}

/// The lists of the library as text.
enum LibraryText {
  /// One line for each entry: title, artist, duration, where the person stopped it, players.
  static func text(_ entries: [JSON], list: String) -> String {
    if entries.isEmpty {
      return "There are no \(list). Add some to \"library\" in devices.json."
    }
    var columns = Columns()
    for (entry, cells) in zip(entries, rows(entries)) {
      columns.add(
        cells + [(entry["players"]?.array ?? []).compactMap(\.string).joined(separator: ", ")])
    }
    return columns.text
  }

  /// The cells of each entry: title, artist, duration, and where the person stopped it, if any was stopped.
  static func rows(_ entries: [JSON]) -> [[String]] {
    let isAnyStopped = entries.contains { $0["position"] != nil }
    return entries.map { entry in
      let cells = [
        entry["title"]?.string ?? "?", place(of: entry),
        entry["duration"]?.number.map(TimeText.text) ?? "",
      ]
      guard isAnyStopped else { return cells }
      let position = entry["position"]?.number
      return cells + [position.map { "stopped at \(TimeText.text($0))" } ?? ""]
    }
  }

  private static func place(of entry: JSON) -> String {
    if let frequency = entry["fm"] { return "\(frequency.text()) FM" }
    if let frequency = entry["am"] { return "\(frequency.text()) AM" }
    return [entry["artist"]?.string, entry["album"]?.string].compactMap { $0 }
      .joined(separator: ", ")
  }
}

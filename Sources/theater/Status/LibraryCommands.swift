import ArgumentParser
import JSON

/// `theater films`.
struct Films: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the films.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary("films", output) }
}

/// `theater songs`.
struct Songs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the songs.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary("songs", output) }
}

/// `theater stations`.
struct Stations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the radio stations.")
  @OptionGroup var output: OutputOptions
  func run() async throws { try await showLibrary("stations", output) }
}

private func showLibrary(_ list: String, _ output: OutputOptions) async throws {
  let answer = try await RemoteTheater().get("/api/\(list)")
  try output.show(answer) { LibraryText.text($0[list]?.array ?? [], list: list) }
}

/// The lists of the library as a person reads them.
enum LibraryText {
  /// A line an entry: title, artist, length, who can play it.
  static func text(_ entries: [JSON], list: String) -> String {
    if entries.isEmpty {
      return "There are no \(list). Add some to \"library\" in devices.json."
    }
    var columns = Columns()
    for entry in entries {
      columns.add(
        entry["title"]?.string ?? "?", place(of: entry),
        entry["duration"]?.number.map(TimeText.text) ?? "",
        (entry["players"]?.array ?? []).compactMap(\.string).joined(separator: ", "))
    }
    return columns.text
  }

  private static func place(of entry: JSON) -> String {
    if let frequency = entry["fm"] { return "\(frequency.text()) FM" }
    if let frequency = entry["am"] { return "\(frequency.text()) AM" }
    return [entry["artist"]?.string, entry["album"]?.string].compactMap { $0 }
      .joined(separator: ", ")
  }
}

import ArgumentParser
import Foundation
import JSON
import TheaterAPI

/// `theater audit`: lists logins, refusals and changes of accounts.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List logins, refusals and changes of accounts.",
    discussion: "A repeated refusal is listed once, with its count and the time of the last one.")

  @Option(parsing: .unconditional, help: "The most entries to list, 1 to 1000. (50)")
  var limit: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only entries since then: 2h, 7d, or a time like 2026-01-31T00:00:00Z.", valueName: "time"))
  var since: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only entries before this position, which the previous list ends with.", valueName: "place"))
  var before: Int64?
  @Flag(help: "All entries, as far back as the log goes.")
  var all = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let limit, !(1...1000).contains(limit) {
      throw ValidationError("--limit takes 1 to 1000.")
    }
    if let before, before < 1 { throw ValidationError("--before takes a whole number from 1 on.") }
    if all, limit != nil { throw ValidationError("--all goes without --limit.") }
  }

  func run() async throws {
    let theater = try RemoteTheater()
    var query = "?limit=\(all ? 1000 : limit ?? 50)"
    if let since { query += "&since=\(PercentEncoding.encode(try Self.time(since)))" }
    var place = before
    var pages: [[JSON]] = []
    repeat {
      let answer = try await theater.get(
        PeopleEndpoint.auditLog.path() + query + (place.map { "&before=\($0)" } ?? ""))
      pages.append(answer["entries"]?.array ?? [])
      place = answer["before"]?.integer.map(Int64.init)
    } while all && place != nil
    var shown: JSONObject = ["entries": .array(pages.reversed().flatMap { $0 })]
    if let place { shown["before"] = .integer(Int(place)) }
    try output.show(.object(shown), text)
  }

  private func text(_ answer: JSON) -> String {
    var columns = Columns(["when (UTC)", "who", "what", "concerning", "outcome", "from"])
    for entry in answer["entries"]?.array ?? [] {
      columns.add(
        entry["at"]?.string ?? "?", Self.who(entry), entry["deed"]?.string ?? "?",
        entry["subject"]?.string ?? "", Self.outcome(entry), Self.origin(entry))
    }
    guard let before = answer["before"]?.integer else { return columns.text }
    let options = [since.map { " --since \($0)" }, limit.map { " --limit \($0)" }]
    return columns.text + "\nearlier ones: \(ProgramName.name) audit --before \(before)"
      + options.compactMap(\.self).joined()
  }

  private static func time(_ text: String) throws -> String {
    guard let span = TimeSpan(argument: text) else { return text }
    return Date(timeIntervalSinceNow: -Double(span.seconds)).ISO8601Format()
  }

  /// The actor's name; a question mark marks an identity that was not proven.
  private static func who(_ entry: JSON) -> String {
    guard let who = entry["who"]?.string else { return "-" }
    return entry["proven"] == true ? who : "\(who)?"
  }

  /// The outcome; with count and time of the last repetition.
  private static func outcome(_ entry: JSON) -> String {
    let outcome = entry["outcome"]?.string ?? "?"
    guard let count = entry["count"]?.integer, let last = entry["last"]?.string else {
      return outcome
    }
    return "\(outcome) (\(count) times, until \(last))"
  }

  private static func origin(_ entry: JSON) -> String {
    [entry["address"]?.string, entry["device"]?.string].compactMap { $0 }
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

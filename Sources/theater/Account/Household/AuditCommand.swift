import ArgumentParser
import Foundation
import JSON

/// `theater audit`: who did what at the gate, from where, when, and how it ended.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show who came, who was refused, and who changed what.")

  @Option(help: "How many entries at most, 1 to 1000.")
  var limit = 50
  @Option(
    help: ArgumentHelp(
      "No older ones: 2h, 7d, or a time like 2026-01-31T00:00:00Z.", valueName: "time"))
  var since: String?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
  }

  func run() async throws {
    var path = "/api/audit?limit=\(limit)"
    if let since { path += "&since=\(pathPart(try Self.time(since)))" }
    let answer = try await RemoteTheater().get(path)
    try output.show(answer) {
      var columns = Columns(["when (UTC)", "who", "what", "concerning", "outcome", "from"])
      for entry in $0["entries"]?.array ?? [] {
        columns.add(
          entry["at"]?.string ?? "?", Self.who(entry), entry["deed"]?.string ?? "?",
          entry["subject"]?.string ?? "", entry["outcome"]?.string ?? "?", Self.place(entry))
      }
      return columns.text
    }
  }

  private static func time(_ text: String) throws -> String {
    guard let span = TimeSpan(argument: text) else { return text }
    return Date(timeIntervalSinceNow: -Double(span.seconds)).ISO8601Format()
  }

  /// Who only claims to be somebody has a question mark.
  private static func who(_ entry: JSON) -> String {
    guard let who = entry["who"]?.string else { return "-" }
    return entry["proven"] == true ? who : "\(who)?"
  }

  private static func place(_ entry: JSON) -> String {
    [entry["address"]?.string, entry["device"]?.string].compactMap { $0 }
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

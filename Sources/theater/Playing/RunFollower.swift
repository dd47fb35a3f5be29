import APIClient
import JSON

/// Begins a run of a scene and shows each step as it happens.
struct RunFollower: Sendable {
  let theater: RemoteTheater
  let options: WaitOptions

  init(_ theater: RemoteTheater, _ options: WaitOptions) {
    self.theater = theater
    self.options = options
  }

  /// Asks for the run, follows it to its end, and ends the command with 1 where it failed.
  func run(_ path: String, _ body: JSON? = nil) async throws {
    let answer = try await theater.post(path, body)
    guard let run = answer["run"], let id = run["id"]?.string else {
      throw ExitError(.failed, "the controller began no run")
    }
    if let place = answer["resumedAt"]?.number, !options.json {
      Console.say("going on at \(TimeText.text(place)) (--from-start begins anew)")
    }
    if options.noWait {
      Console.say(options.json ? answer.prettyText() : "accepted as \(id)")
      return
    }
    let end = try await follow(id, from: run, after: answer["event"]?.string)
    if options.json { Console.say(end.prettyText()) }
    try Self.judge(end)
  }

  /// Shows what happens to the run, and gives back its last report.
  private func follow(_ id: String, from first: JSON, after event: String?) async throws -> JSON {
    var lines = StepLines()
    func show(_ run: JSON) {
      if options.json { return }
      for line in lines.news(in: run) { Console.say(line) }
    }
    show(first)
    if first["status"]?.string != "running" { return first }
    var last: JSON?
    try await theater.listen(after: event) { event in
      switch event.name {
      case "run":
        let run = event.json
        guard run["id"]?.string == id else { return true }
        show(run)
        last = run
        return run["status"]?.string == "running"
      case "snapshot":
        // Events were lost: how the run stands now says it all.
        let run = try await theater.get("/api/v1/runs/\(id)")
        show(run)
        last = run
        return run["status"]?.string == "running"
      default: return true
      }
    }
    guard let last, last["status"]?.string != "running" else {
      throw ExitError(.failed, "the controller has stopped before the end of the run")
    }
    return last
  }

  private static func judge(_ run: JSON) throws {
    switch run["status"]?.string {
    case "done": return
    case "cancelled":
      throw ExitError(.failed, "a newer request took its place")
    default:
      // The step that failed has been shown with its reason.
      throw ExitError(silent: .failed)
    }
  }
}

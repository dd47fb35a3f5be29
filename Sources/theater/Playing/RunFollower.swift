import Devices
import APIClient
import JSON
import TheaterAPI

/// Begins a run of a scene and shows each step as it happens.
struct RunFollower: Sendable {
  let theater: RemoteTheater
  private let waits: Bool
  private let isJSON: Bool

  /// - Parameter options: `nil` to show each step to a person.
  init(_ theater: RemoteTheater, _ options: WaitOptions? = nil) {
    self.theater = theater
    waits = options?.noWait != true
    isJSON = options?.json == true
  }

  /// Requests the run and follows it to its end. A failed run ends the command with exit code 1.
  ///
  /// - Parameter isAnnounced: Whether a person who has not chosen to resume reads how to begin at the start.
  func run(_ path: String, _ body: JSON? = nil, isAnnounced: Bool = true) async throws {
    let answer = try await theater.post(path, body)
    guard let run = answer["run"], let id = run["id"]?.string else {
      throw ExitError(.failed, "the controller began no run")
    }
    if let place = answer["resumedAt"]?.number, !isJSON {
      let option = isAnnounced ? " (--from-start plays from the beginning)" : ""
      Console.writeLine("going on at \(TimeText.text(place))\(option)")
    }
    if !waits {
      Console.writeLine(isJSON ? answer.prettyText() : "accepted as \(id)")
      return
    }
    let status = try await follow(id, from: run, after: answer["event"]?.string)
    if isJSON {
      Console.writeLine(try await theater.get(DeviceEndpoint.run.path(id)).prettyText())
    }
    try Self.throwUnlessDone(status)
  }

  /// Shows each step of the run when it ends.
  ///
  /// - Returns: The run's last status.
  private func follow(
    _ id: String, from first: JSON, after event: String?
  ) async throws -> String? {
    var lines = StepLines()
    var status = first["status"]?.string
    let waiting = WaitingLine(Self.waiting)
    defer { waiting.end() }
    func show(_ run: JSON, _ steps: [JSON]) {
      status = run["status"]?.string
      for line in steps.compactMap({ lines.line(for: $0) }) where !isJSON {
        Console.writeLine(line)
      }
      waiting.change(to: lines.underWay ?? Self.waiting)
    }
    if !isJSON { for line in StepLines.kept(in: first) { Console.writeLine(line) } }
    show(first, first["steps"]?.array ?? [])
    if status != "running" { return status }
    try await theater.listen(after: event) { event in
      switch EventName(rawValue: event.name) {
      case .run:
        guard event.json["id"]?.string == id else { return true }
        show(event.json, [event.json["step"]].compactMap(\.self))
      case .snapshot:
        // Events were lost; the run's report has every step.
        let run = try await theater.get(DeviceEndpoint.run.path(id))
        show(run, run["steps"]?.array ?? [])
      case .device, .activity, .library, .configuration, .levels, nil: break
      }
      return status == "running"
    }
    guard status != "running" else {
      throw await theater.streamEndError(
        otherwise: ExitError(
          .failed, "the controller ended the stream before the end of the run",
          hint: "See what it does now: \(ProgramName.name) status"))
    }
    return status
  }

  private static let waiting = "Waiting for the devices"

  private static func throwUnlessDone(_ status: String?) throws {
    switch status {
    case "done": return
    case "cancelled":
      throw ExitError(.failed, "the run was cancelled, or a newer request replaced it")
    default:
      // The step that failed has been shown with its reason.
      throw ExitError(silent: .failed, "the run failed; its steps say why")
    }
  }
}

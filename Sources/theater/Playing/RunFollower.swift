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

  /// What the run does to the theater, for the line that shows its progress.
  enum Purpose: String {
    case start = "Getting ready"
    case end = "Shutting down"
    case scene = "Waiting for the devices"

    /// The line, with the steps that are under way: `Getting ready: projector on`.
    func line(_ steps: String?) -> String {
      guard let steps else { return rawValue }
      return self == .scene ? steps : "\(rawValue): \(steps)"
    }
  }

  /// Requests the run and follows it to its end. A failed run ends the command with exit code 1.
  ///
  /// - Parameters:
  ///   - isAnnounced: Whether a person who has not chosen to resume reads how to begin at the start.
  ///   - isResuming: Whether the person has asked to resume the item.
  /// - Returns: The controller's answer to the request.
  @discardableResult
  func run(
    _ path: String, _ body: JSON? = nil, for purpose: Purpose = .scene,
    isAnnounced: Bool = true, isResuming: Bool = false
  ) async throws -> JSON {
    let answer = try await theater.post(path, body)
    guard let run = answer["run"], let id = run["id"]?.string else {
      throw ExitError(.failed, "the controller began no run")
    }
    if !isJSON {
      let lines = Self.opening(
        answer.printable, for: purpose, isAnnounced: isAnnounced, isResuming: isResuming)
      for line in lines { Console.writeLine(line) }
    }
    if !waits {
      Console.writeLine(isJSON ? answer.prettyText() : "accepted as \(id)")
      return answer
    }
    let status = try await follow(id, from: run, after: answer["event"]?.string, for: purpose)
    if isJSON {
      Console.writeLine(try await theater.get(DeviceEndpoint.run.path(id)).prettyText())
    }
    try Self.throwUnlessDone(status)
    return answer
  }

  /// The lines before the steps: the room of an end, and where an item begins.
  static func opening(
    _ answer: JSON, for purpose: Purpose, isAnnounced: Bool, isResuming: Bool
  ) -> [String] {
    let ended = purpose == .end ? TransportText.room(of: answer) : nil
    let room = ended.map { ["\($0): shutting down"] } ?? []
    if let place = answer["resumedAt"]?.number {
      let option = isAnnounced ? " (--from-start plays from the beginning)" : ""
      return room + ["going on at \(TimeText.text(place))\(option)"]
    }
    let isPlaying = (answer["run"]?["steps"]?.array ?? []).contains { step in
      step["command"]?["play"].map { $0["position"] == nil } ?? false
    }
    guard isResuming, isPlaying else { return room }
    return room + ["no position of it is kept; it plays from its start"]
  }

  /// Shows each step of the run when it ends.
  ///
  /// - Returns: The run's last status.
  private func follow(
    _ id: String, from first: JSON, after event: String?, for purpose: Purpose
  ) async throws -> String? {
    var lines = StepLines()
    var status = first["status"]?.string
    let waiting = WaitingLine(purpose.line(nil))
    defer { waiting.end() }
    func show(_ run: JSON, _ steps: [JSON]) {
      status = run["status"]?.string
      for line in steps.compactMap({ lines.line(for: $0) }) where !isJSON {
        Console.writeLine(line)
      }
      waiting.change(to: purpose.line(lines.underWay))
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

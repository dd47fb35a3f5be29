import ArgumentParser
import JSON

/// Asks for a change of what plays, and says whether it was seen to happen.
private func steer(_ word: String, _ body: JSON? = nil, done: String) async throws {
  let answer = try await RemoteTheater().post("/api/v1/\(word)", body)
  Console.say(SteeringText.text(done, answer))
}

/// Asks for a change of the volume, and says what it has become.
private func turn(_ body: JSON) async throws {
  let answer = try await RemoteTheater().post("/api/v1/volume", body)
  Console.say(SteeringText.text(SteeringText.volume(answer), answer))
}

/// The answers of what steers, as a person reads them.
enum SteeringText {
  /// `done`, with a word where nobody has seen it happen.
  static func text(_ done: String, _ answer: JSON) -> String {
    let isSeen = answer["confirmation"]?.string == "observed"
    return isSeen ? done : "\(done) (accepted, not confirmed)"
  }

  /// `volume 45 %`, `muted` or `not muted`.
  static func volume(_ answer: JSON) -> String {
    if let volume = answer["volume"]?.integer { return "volume \(volume) %" }
    switch answer["muted"]?.bool {
    case true?: return "muted"
    case false?: return "not muted"
    case nil: return "done"
    }
  }
}

/// `theater pause`.
struct Pause: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Hold the film or song still.")
  func run() async throws { try await steer("pause", done: "paused") }
}

/// `theater resume`.
struct Resume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Let it go on.")
  func run() async throws { try await steer("resume", done: "playing") }
}

/// `theater next`.
struct Next: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Go to the next track.")
  func run() async throws { try await steer("next", done: "next track") }
}

/// `theater previous`.
struct Previous: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Go to the track before.")
  func run() async throws { try await steer("previous", done: "track before") }
}

/// `theater seek 12:30`, `theater seek +30`, `theater seek -30`.
struct Seek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Go to a place in the film or song.",
    discussion: "12:30 and 1:02:03 from the beginning; +30 and -1:00 from where it is.")

  @Argument(parsing: .allUnrecognized, help: "12:30, 1:02:03, 90, +30 or -30.")
  var place: [String]

  func run() async throws {
    let place = try Place(words: place)
    let text = TimeText.text(abs(place.seconds))
    let done =
      !place.isRelative
      ? "at \(text)" : place.seconds < 0 ? "back by \(text)" : "forward by \(text)"
    try await steer(
      "seek", .object([place.isRelative ? "by" : "to": .number(place.seconds)]), done: done)
  }

  func validate() throws { _ = try Place(words: place) }
}

/// `theater volume 40`, `theater volume +5`, `theater volume -5`.
struct Volume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Set the volume, 0 to 100 %, or change it: +5, -5.")

  @Argument(parsing: .allUnrecognized, help: "40, +5 or -5.")
  var volume: [String]

  func run() async throws {
    let change = try VolumeWords(words: volume)
    try await turn(.object([change.isRelative ? "by" : "to": .integer(change.points)]))
  }

  func validate() throws { _ = try VolumeWords(words: volume) }
}

/// `theater mute`, `theater mute off`.
struct Mute: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Silence the speakers, or let them sound again.")

  /// What is wanted of the speakers.
  enum Wish: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

  @Argument(help: "on, off or toggle.")
  var wish = Wish.toggle

  func run() async throws {
    switch wish {
    case .on: try await turn(["mute": true])
    case .off: try await turn(["mute": false])
    case .toggle: try await turn(["mute": "toggle"])
    }
  }
}

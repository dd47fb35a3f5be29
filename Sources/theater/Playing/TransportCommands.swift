import ArgumentParser
import Devices
import JSON
import TheaterAPI

/// Sends a playback command and prints whether the device confirmed it.
private func control(
  _ endpoint: PlaybackEndpoint, _ body: JSON? = nil, in place: RoomOption, done: String,
  _ output: OutputOptions
) async throws {
  let answer = try await RemoteTheater().post(place.path(endpoint), body)
  try output.show(answer) { TransportText.text(done, $0) }
}

/// Skips to the next or the previous part of what is on, and prints what that is.
private func skip(
  _ endpoint: PlaybackEndpoint, _ direction: String, in place: RoomOption, _ output: OutputOptions
) async throws {
  let answer = try await RemoteTheater().post(place.path(endpoint))
  try output.show(answer) { TransportText.skip(direction, $0) }
}

/// Changes the volume and prints the new one.
private func changeVolume(
  _ body: JSON, in place: RoomOption, _ output: OutputOptions
) async throws {
  let answer = try await RemoteTheater().post(place.path(.volume), body)
  try output.show(answer) { TransportText.text(TransportText.volume($0), $0) }
}

/// The responses of playback and volume commands as text.
enum TransportText {
  /// `done` after the room, with an addition if the device has not confirmed it.
  static func text(_ done: String, _ answer: JSON) -> String {
    let isConfirmed = answer["confirmation"]?.string == "observed"
    let outcome = isConfirmed ? done : "\(done) (accepted, not confirmed)"
    return room(of: answer).map { "\($0): \(outcome)" } ?? outcome
  }

  /// The title of the room in which a request has acted, else its name; `nil` in a theater with one room.
  static func room(of answer: JSON) -> String? {
    answer["roomTitle"]?.string ?? answer["room"]?.string
  }

  /// The outcome of `next` and `previous`: `next chapter`.
  static func skip(_ direction: String, _ answer: JSON) -> String {
    let category = answer["category"]?.string.flatMap(Devices.Category.init)
    return text("\(direction) \(part(of: category))", answer)
  }

  /// To what `next` and `previous` skip: a chapter of a film, a song on a disc, a station.
  static func part(of category: Devices.Category?) -> String {
    switch category {
    case .films: "chapter"
    case .stations: "station"
    case .songs, nil: "track"
    }
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
  static let configuration = CommandConfiguration(abstract: "Pause the film or song.")
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions
  func run() async throws { try await control(.pause, in: place, done: "paused", output) }
}

/// `theater resume`.
struct Resume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Continue the film or song.")
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions
  func run() async throws { try await control(.resume, in: place, done: "playing", output) }
}

/// `theater next`.
struct Next: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Skip to the next track of a disc, or the next chapter of a film.")
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions
  func run() async throws { try await skip(.next, "next", in: place, output) }
}

/// `theater previous`.
struct Previous: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Go back to the previous track of a disc, or the previous chapter of a film.")
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions
  func run() async throws { try await skip(.previous, "previous", in: place, output) }
}

/// `theater seek 12:30`, `theater seek +30`, `theater seek -30`.
struct Seek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Go to a position in the film or song.",
    discussion: "12:30 and 1:02:03 from the beginning; +30 and -1:00 from the current position.")

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("12:30, 1:02:03, 90, +30 or -30.", valueName: "place"))
  var position: [String]
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let target = try SeekTarget(words: position)
    let text = TimeText.text(abs(target.seconds))
    let done =
      !target.isRelative
      ? "at \(text)" : target.seconds < 0 ? "back by \(text)" : "forward by \(text)"
    try await control(
      .seek, .object([target.isRelative ? "by" : "to": .number(target.seconds)]), in: place,
      done: done, output)
  }

  func validate() throws { _ = try SeekTarget(words: position) }
}

/// `theater volume 40`, `theater volume +5`, `theater volume -5`.
struct Volume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Set the volume, 0 to 100 %, or change it: +5, -5.")

  @Argument(parsing: .allUnrecognized, help: "40, +5 or -5.")
  var volume: [String]
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let change = try VolumeArgument(words: volume)
    try await changeVolume(
      .object([change.isRelative ? "by" : "to": .integer(change.points)]), in: place, output)
  }

  func validate() throws { _ = try VolumeArgument(words: volume) }
}

/// `theater mute`, `theater mute off`.
struct Mute: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mute the amplifier, or unmute it.")

  /// The wanted state.
  enum State: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

  @Argument(help: "on, off or toggle.")
  var state = State.toggle
  @OptionGroup var place: RoomOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    switch state {
    case .on: try await changeVolume(["mute": true], in: place, output)
    case .off: try await changeVolume(["mute": false], in: place, output)
    case .toggle: try await changeVolume(["mute": "toggle"], in: place, output)
    }
  }
}

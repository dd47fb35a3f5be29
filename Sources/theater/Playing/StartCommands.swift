import ArgumentParser
import Devices
import JSON
import TheaterAPI

/// `theater watch "TITLE"`.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Watch a film.")

  @Argument(
    help: "The film's title; write -- before a title that begins with -.",
    completion: .custom(TitleCompletion.films))
  var title: String?
  @OptionGroup var options: StartOptions

  func run() async throws { try await options.start(.watch, of: .films, item: title) }

  func validate() throws {
    if let title { try NameArgument.requireText(title, "a film") }
    if title == nil, options.choice.activity == nil {
      throw ValidationError("Give the title of a film, or an activity with --activity.")
    }
  }
}

/// `theater listen "TITLE"`, `theater listen`.
struct Listen: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Listen to a song.",
    discussion: """
      Without a title it begins the activity that is on, which must need no song, or else the first \
      one that needs none, such as one that plays the disc in the player.
      """)

  @Argument(
    help: "The song's title; write -- before a title that begins with -.",
    completion: .custom(TitleCompletion.songs))
  var title: String?
  @OptionGroup var options: StartOptions

  func run() async throws { try await options.start(.listen, of: .songs, item: title) }

  func validate() throws {
    if let title { try NameArgument.requireText(title, "a song") }
  }
}

/// `theater radio "STATION or 98.5 FM"`.
struct Radio: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Listen to the radio.")

  @Argument(
    help: "The station's name, or a frequency: \"98.5 FM\".",
    completion: .custom(TitleCompletion.stations))
  var station: [String]
  @OptionGroup var choice: ActivityOptions
  @OptionGroup var waiting: WaitOptions

  func run() async throws {
    var body: JSONObject = ["item": .string(station.joined(separator: " "))]
    choice.add(.stations, to: &body)
    try await RunFollower(RemoteTheater(), waiting).run(
      choice.path(or: .radio), .object(body), for: .start)
  }

  func validate() throws {
    if station.isEmpty { throw ValidationError("Give a station or a frequency.") }
    try NameArgument.requireText(station.joined(), "a station")
  }
}

/// `theater popcorn`.
struct Popcorn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make popcorn; what is on goes on.")
  @OptionGroup var waiting: WaitOptions

  func run() async throws {
    try await RunFollower(RemoteTheater(), waiting).run(PlaybackEndpoint.popcorn.path())
  }
}

/// `theater stop`.
struct Stop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "End what is on.", aliases: ["end"])
  @OptionGroup var place: RoomOption
  @OptionGroup var waiting: WaitOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let answer = try await RunFollower(theater, waiting).run(
      place.path(.end), for: .end)
    guard !waiting.json, !waiting.noWait,
      let hint = await DevicesLeftOn.hint(after: answer, in: RoomPath(room: place.room), theater)
    else { return }
    Console.writeLine(hint)
  }
}

/// `theater off`.
struct Off: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Turn every device off, and cancel every running scene; with --room only those of a room.")
  @OptionGroup var place: RoomOption
  @OptionGroup var waiting: WaitOptions

  func run() async throws {
    try await RunFollower(RemoteTheater(), waiting).run(place.path(.off), for: .end)
  }
}

/// The option that names a room.
struct RoomOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The room. Commands for what is on mean by default the one that you named last, or else the first one.",
      valueName: "name"),
    completion: .custom(TitleCompletion.rooms))
  var room: String?

  func validate() throws {
    if let room { try NameArgument.requireText(room, "a room") }
  }

  /// The path of a request that is about the room.
  ///
  /// - Parameter arguments: The parts of the path that follow the room.
  func path(_ endpoint: PlaybackEndpoint, _ arguments: String...) -> String {
    RoomPath(room: room).path(.playback(endpoint), arguments)
  }

  /// The path of a request for a scene in the room.
  func path(_ endpoint: DeviceEndpoint, scene: String) -> String {
    RoomPath(room: room).path(.device(endpoint), [scene])
  }
}

/// The paths of requests that are about a room.
struct RoomPath: Sendable, Hashable {
  /// `nil` for requests that name none.
  let room: String?

  func path(_ endpoint: PlaybackEndpoint) -> String { path(.playback(endpoint), []) }

  func path(_ original: RoomEndpoint.Original, _ arguments: [String]) -> String {
    guard let room, let endpoint = RoomEndpoint(original) else {
      return switch original {
      case .playback(let endpoint): endpoint.path(arguments)
      case .device(let endpoint): endpoint.path(arguments)
      }
    }
    return endpoint.path([room] + arguments)
  }
}

/// Options of a command that starts a run.
struct WaitOptions: ParsableArguments {
  @Flag(help: "Do not wait for the end of the run.")
  var noWait = false
  @Flag(help: "Show the finished run as JSON, for scripts.")
  var json = false
}

/// The option that chooses one of several activities for an item.
struct ActivityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The activity that plays it; by default the current one, or else the first one that can.",
      valueName: "name"),
    completion: .custom(TitleCompletion.activities))
  var activity: String?

  func validate() throws {
    if let activity { try NameArgument.requireText(activity, "an activity") }
  }

  @OptionGroup var place: RoomOption

  /// The path of the request that starts the activity, or without one the path of an endpoint for a category.
  func path(or endpoint: PlaybackEndpoint) -> String {
    activity.map { place.path(.startActivity, $0) } ?? place.path(endpoint)
  }

  /// Adds the category of the item to the body of the request that starts a named activity.
  func add(_ category: Devices.Category, to body: inout JSONObject) {
    if activity != nil { body["category"] = .string(category.rawValue) }
  }
}

/// Options of a command that plays an item.
struct StartOptions: ParsableArguments {
  @OptionGroup var resuming: ResumeOptions
  @OptionGroup var choice: ActivityOptions
  @OptionGroup var waiting: WaitOptions

  /// Starts an activity and shows its steps. At a terminal it asks first where an item begins that the person has
  /// stopped, unless an option says so.
  ///
  /// - Parameter category: The category of the endpoint, for an item without a named activity.
  func start(
    _ endpoint: PlaybackEndpoint, of category: Devices.Category, item: String?
  ) async throws {
    let theater = try RemoteTheater()
    var (item, start) = (item, resuming.start)
    if start == nil, let title = item, Prompt.canChoose,
      let stopped = try await stoppedItem(title, category, theater)
    {
      start = try ResumeQuestion(stopped).ask()
      // The title means the item of the question, whatever players find meanwhile.
      item = stopped.id ?? item
    }
    var body = Self.body(item, start ?? .saved)
    if item != nil { choice.add(category, to: &body) }
    try await RunFollower(theater, waiting).run(
      choice.path(or: endpoint), .object(body), for: .start, isAnnounced: start == nil,
      isResuming: resuming.resume)
  }

  private func stoppedItem(
    _ title: String, _ category: Devices.Category, _ theater: RemoteTheater
  ) async throws -> StoppedItem? {
    do {
      guard let activity = choice.activity else {
        return try await theater.stoppedItem(title, in: category)
      }
      return try await theater.stoppedItem(title, of: activity)
    } catch let error as ExitError where error.code == .failed {
      // A token may start activities without seeing lists.
      return nil
    }
  }

  /// The body of the request.
  static func body(_ item: String?, _ start: StartPosition) -> JSONObject {
    var body: JSONObject = ["fromStart": .bool(start == .beginning)]
    if let item { body["item"] = .string(item) }
    return body
  }
}

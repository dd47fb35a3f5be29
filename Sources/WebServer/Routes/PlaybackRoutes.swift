import Accounts
import Devices
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON
import Platform
import Scenes
import ServiceLifecycle
import TheaterAPI

extension APIServices {
  /// What is on, the library, and steering playback.
  ///
  /// - Parameter room: The room of the request; `nil` for the first one of the file.
  func respond(
    to endpoint: PlaybackEndpoint, _ request: RequestContext, in room: RoomID?
  ) async throws -> Response {
    let principal = try request.theaterPrincipal()
    switch endpoint {
    case .status:
      return Response(try await configuration.status(of: theater, in: room, for: principal))
    case .events:
      return try await EventStream(
        broadcaster: broadcaster, accountService: accountService, limiter: streams,
        keepAlives: keepAlives, room: room
      ).response(to: request)
    case .films: return try await entries(.films, request, principal)
    case .songs: return try await entries(.songs, request, principal)
    case .stations: return try await entries(.stations, request, principal)
    case .stopped: return try await stopped(request, principal)
    case .picture: return try await picture(request, principal)
    case .scanLibrary: return try await scanLibrary(principal)
    case .activities:
      let activities = try await theater.activities(for: principal)
      return Response(["activities": .array(activities.map(\.json))])
    case .rooms:
      let rooms = try await theater.rooms(for: principal)
      return Response(["rooms": .array(rooms.map(\.json))])
    case .startActivity:
      let name = try request.captured("name")
      let category = try request.fields().category()
      return try await begin(request) { (item, fromStart, principal) async throws(TheaterError) in
        try await theater.begin(
          name, item: item, of: category, in: namedInPath(request), fromStart: fromStart,
          by: principal)
      }
    case .watch: return try await begin(.films, request)
    case .listen: return try await begin(.songs, request)
    case .radio: return try await begin(.stations, request)
    case .popcorn: return try await answer(request) { try await theater.popcorn(by: principal) }
    case .end:
      let place = await theater.controlledRoom(room, for: principal)
      return try await answer(request, in: place) {
        try await theater.end(in: room, by: principal)
      }
    case .off:
      return try await answer(request) {
        try await theater.turnEverythingOff(in: namedInPath(request), by: principal)
      }
    case .pause, .resume, .next, .previous, .seek, .volume:
      // Asked for first: a command may end the activity.
      let place = await theater.controlledRoom(room, for: principal)
      var object: JSONObject = [:]
      if endpoint == .volume {
        object = try await changeVolume(request.fields(), in: room, principal)
      } else {
        let confirmation = try await control(endpoint, request.fields(), in: room, principal)
        object["confirmation"] = .string(confirmation.rawValue)
        if let category = place?.category { object["category"] = .string(category.rawValue) }
      }
      place?.add(to: &object)
      return Response(.object(object))
    }
  }

  /// The room that the path names; `nil` for a path of the whole house. What can be begun, and
  /// `off`, are not limited to the room that the session has named last.
  private func namedInPath(_ request: RequestContext) -> RoomID? {
    (try? request.captured("room")).map { RoomID($0) }
  }

  private func entries(
    _ category: Category, _ request: RequestContext, _ principal: Principal
  ) async throws -> Response {
    let query = LibraryQuery(
      search: try request.query("search", "at most 200 characters") { text in
        text.unicodeScalars.count <= 200 ? text : nil
      },
      offset: try request.query("offset", "0 to 1000000", in: 0...1_000_000) ?? 0,
      limit: try request.query("limit", "1 to 1000", in: LibraryPages.limits)
        ?? LibraryPages.standardLimit)
    let page = try await theater.page(category, query, for: principal)
    return .list(
      category.rawValue, of: page.elements, further: ["total": .integer(page.total)]
    ) { $0.json }
  }

  private func stopped(_ request: RequestContext, _ principal: Principal) async throws -> Response {
    let limit = try request.query("limit", "1 to 100", in: 1...100) ?? 20
    let items = try await theater.stopped(limit: limit, for: principal)
    return .list("items", of: items) { category, element in
      var object = element.json.object ?? [:]
      object["category"] = .string(category.rawValue)
      return .object(object)
    }
  }

  private func scanLibrary(_ principal: Principal) async throws -> Response {
    let reports = try await theater.scanLibrary(by: principal)
    var answer: JSONObject = ["players": .array(reports.map(\.json))]
    for category in Category.allCases {
      answer[category.rawValue] = .integer(
        try await theater.entries(category, for: principal).count)
    }
    return Response(.object(answer))
  }

  // MARK: Runs

  private func begin(_ category: Category, _ request: RequestContext) async throws -> Response {
    try await begin(request) { (item, fromStart, principal) async throws(TheaterError) in
      try await theater.begin(
        category, item: item, in: namedInPath(request), fromStart: fromStart, by: principal)
    }
  }

  private func begin(
    _ request: RequestContext,
    _ start: (String?, Bool, Principal) async throws(TheaterError) -> StartedActivity
  ) async throws -> Response {
    let fields = try request.fields()
    // Read before the run starts: a client that listens from this event on misses none of the run.
    let event = theater.events.currentID
    let begun = try await start(
      fields.text("item"), fields.flag("fromStart"), request.theaterPrincipal())
    return await answer(request, begun.run, event: event)
  }

  /// Starts a run and returns the answer with it.
  ///
  /// - Parameter place: The room in which the run acts; `nil` where the answer names none.
  func answer(
    _ request: RequestContext, in place: ControlledRoom? = nil, _ start: () async throws -> Run
  ) async throws -> Response {
    let event = theater.events.currentID
    return await answer(request, try await start(), event: event, in: place)
  }

  /// 200 if the run ends within the preferred wait of the request, else 202.
  private func answer(
    _ request: RequestContext, _ run: Run, event: String, in place: ControlledRoom? = nil
  ) async -> Response {
    let report = await report(of: run, for: request)
    var body: JSONObject = ["run": report.json, "event": .string(event)]
    place?.add(to: &body)
    if let resumedAt = run.resumedAt { body["resumedAt"] = .number(resumedAt) }
    var response = Response(
      .object(body), status: report.status == .running ? .accepted : .ok)
    response.headers[.location] = DeviceEndpoint.run.path(report.id)
    if request.preferredWait.isAsynchronous {
      response.headers[.preferenceApplied] = "respond-async"
    } else if let seconds = request.preferredWait.seconds {
      response.headers[.preferenceApplied] = "wait=\(seconds)"
    }
    return response
  }

  /// The run's report at its end, or when the preferred wait of the request is over.
  func report(of run: Run, for request: RequestContext) async -> RunReport {
    let preferred = request.preferredWait
    guard let seconds = preferred.seconds, seconds > 0, !preferred.isAsynchronous else {
      return run.report
    }
    let wait = run.beginWait()
    // A timer of the event loop costs less than a task that sleeps.
    let timeout = request.context.channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
      wait.end()
    }
    defer { timeout.cancel() }
    return await withGracefulShutdownHandler {
      await wait.finished()
    } onGracefulShutdown: {
      wait.end()
    }
  }

  // MARK: Steering

  /// Sends a command to the player of a room.
  private func control(
    _ endpoint: PlaybackEndpoint, _ fields: BodyFields, in room: RoomID?, _ principal: Principal
  ) async throws -> Confirmation {
    switch endpoint {
    case .pause: return try await theater.pause(in: room, by: principal)
    case .resume: return try await theater.resume(in: room, by: principal)
    case .next: return try await theater.next(in: room, by: principal)
    case .previous: return try await theater.previous(in: room, by: principal)
    default: return try await seek(fields, in: room, principal)
    }
  }

  private func seek(
    _ fields: BodyFields, in room: RoomID?, _ principal: Principal
  ) async throws -> Confirmation {
    switch (try fields.number("to"), try fields.number("by")) {
    case (let position?, nil):
      return try await theater.seek(position, isRelative: false, in: room, by: principal)
    case (nil, let distance?):
      return try await theater.seek(distance, isRelative: true, in: room, by: principal)
    default: throw APIError.invalid("give either \"to\" or \"by\", in seconds")
    }
  }

  private func changeVolume(
    _ fields: BodyFields, in room: RoomID?, _ principal: Principal
  ) async throws -> JSONObject {
    let outcome = try await theater.changeVolume(
      try fields.volumeChange(), in: room, by: principal)
    var answer: JSONObject = ["confirmation": .string(outcome.confirmation.rawValue)]
    answer["volume"] = outcome.volume.map { .integer($0) }
    answer["muted"] = outcome.isMuted.map { .bool($0) }
    return answer
  }
}

extension ControlledRoom {
  /// Adds the room to an answer; nothing in a theater with one room.
  fileprivate func add(to object: inout JSONObject) {
    guard let room else { return }
    object["room"] = .string(room.id.name)
    if let title = room.label.title { object["roomTitle"] = .string(title) }
  }
}

extension LibraryPage.Element {
  /// The entry as the component `CatalogueEntry`.
  fileprivate var json: JSON {
    guard let position, var object = entry.json.object else { return entry.json }
    object["position"] = .number(position)
    return .object(object)
  }
}

extension OfferedActivity {
  /// The activity as an element of the component `Activities`.
  fileprivate var json: JSON {
    var object: JSONObject = [
      "name": .string(activity.name), "permitted": .bool(isPermitted),
    ]
    activity.label.add(to: &object)
    object["start"] = .string(activity.start)
    object["end"] = .string(activity.end)
    if let room { object["room"] = .string(room.name) }
    if let category = activity.category { object["category"] = .string(category.rawValue) }
    if let player = activity.player { object["player"] = .string(player.name) }
    if let amplifier = activity.amplifier { object["amplifier"] = .string(amplifier.name) }
    return .object(object)
  }
}

extension BodyFields {
  /// The category of an item; `nil` if it is missing.
  fileprivate func category() throws(APIError) -> Category? {
    guard let word = try text("category") else { return nil }
    guard let category = Category(rawValue: word) else {
      let words = Category.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid("\"category\" is \"\(word.quotation)\", expected one of: \(words)")
    }
    return category
  }

  fileprivate func volumeChange() throws(APIError) -> VolumeChange {
    switch (try integer("to"), try integer("by"), self["mute"]) {
    case (let volume?, nil, nil): return .to(volume)
    case (nil, let points?, nil): return .by(points)
    case (nil, nil, .bool(let isMuted)?): return isMuted ? .mute : .unmute
    case (nil, nil, .string("toggle")?): return .toggleMute
    default:
      throw .invalid(
        "give one of \"to\", \"by\" and \"mute\"",
        hint: "{\"to\": 40}, {\"by\": -5}, {\"mute\": true}, {\"mute\": \"toggle\"}.")
    }
  }
}

extension Response {
  /// The answer to a command that is done: `observed` or only `accepted`.
  init(_ confirmation: Confirmation) {
    self.init(["confirmation": .string(confirmation.rawValue)])
  }
}

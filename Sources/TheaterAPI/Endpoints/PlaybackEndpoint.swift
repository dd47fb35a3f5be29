import Devices
import JSON

/// The current activity, the library, and the control of playback.
public enum PlaybackEndpoint: String, Endpoint {
  case status, events, films, songs, stations, stopped, picture, scanLibrary
  case rooms, activities, startActivity, watch, listen, radio, popcorn, end, off
  case pause, resume, next, previous, seek, volume

  public static let title = "Watching and listening"

  public var route: Route {
    switch self {
    case .status:
      Route(
        .get, "/status", .permitted(.view, tokens: .view),
        "Shows what is on, its playback, every room and every device. Requests that control or end playback and name "
          + "no room mean the one that the session has named last, or else the first one of the file.",
        answers: [200: .json(.reference(.status))])
    case .events:
      Route(
        .get, "/events", .permitted(.view, tokens: .view),
        "Streams all changes as server-sent events.",
        parameters: [
          .init(
            name: "Last-Event-ID", place: .header, schema: .text(0...200),
            help: "The id of the last received event: the stream continues after it."),
          .init(
            name: "levels", place: .query, schema: .words(["true", "false"]),
            help:
              "Whether the stream also has the event `levels` of each amplifier with the capability "
              + "`levels`: at most 15 a second while it sounds, without an id."),
        ],
        answers: [
          200: .events(EventName.allCases)
        ], errors: [422, 429])
    case .films: list("films", .films)
    case .songs: list("songs", .songs)
    case .stations: list("stations", .stations)
    case .stopped:
      Route(
        .get, "/library/stopped", .permitted(.view, tokens: .view),
        "Lists the films and songs that the user stopped before their end, the most recent first.",
        parameters: [
          .init(
            name: "limit", place: .query, schema: .integer(1...100),
            help: "The largest number of entries; default 20.")
        ],
        answers: [200: .json(.reference(.stopped))], errors: [422])
    case .picture:
      Route(
        .get, "/library/picture", .permitted(.view, tokens: .view),
        "Returns the picture of a film or song that the user may choose. Only items with `picture` in the "
          + "lists have one.",
        parameters: [
          .init(
            name: "item", place: .query, isRequired: true, schema: .itemID,
            help: "The id of the item."),
          .init(
            name: "If-None-Match", place: .header, schema: Schema(json: ["type": "string"]),
            help: "The entity tags of the pictures that the client has."),
        ],
        answers: [
          200: .file(ItemPicture.Format.allCases.map(\.mediaType)), 304: .unchanged,
        ], errors: [404, 409, 422, 503])
    case .scanLibrary:
      Route(
        .post, "/library/scan", .permitted(.operate, tokens: .command("scan")),
        "Reads every player's catalogue again and reports what each found.",
        body: .json(.request()), answers: [200: .json(.reference(.libraryScan))])
    case .rooms:
      Route(
        .get, "/rooms", .permitted(.view, tokens: .view),
        "Lists the rooms with their devices, their activities and what is on. A theater without rooms "
          + "in its file is one room. Guests see the rooms of their activities.",
        answers: [200: .json(.reference(.rooms))])
    case .activities:
      Route(
        .get, "/activities", .permitted(.view, tokens: .view),
        "Lists the activities in the order of the file, each with its scenes, room, player and amplifier, "
          + "the category of its items, and whether the user may begin it.",
        answers: [200: .json(.reference(.activities))])
    case .startActivity:
      startRoute(
        "/activities/{name}", .play, tokens: .activity, "Starts an activity.",
        .namedActivityStart)
    case .watch:
      startRoute(
        "/watch", .play, tokens: .command("watch"), "Starts the activity that plays films.",
        .activityStart)
    case .listen:
      startRoute(
        "/listen", .play, tokens: .command("listen"), "Starts the activity that plays songs.",
        .activityStart)
    case .radio:
      startRoute(
        "/radio", .play, tokens: .command("radio"),
        "Starts the activity that plays stations; the item may be a frequency such as `98.5 FM`.",
        .activityStart)
    case .popcorn:
      startRoute(
        "/popcorn", .operate, tokens: .command("popcorn"),
        "Makes popcorn; what is on goes on.", .request())
    case .end:
      startRoute(
        "/end", .play, tokens: .command("end"), "Ends what is on.", .request())
    case .off:
      startRoute(
        "/off", .operate, tokens: .command("off"),
        "Turns off the whole house, and cancels every scene that runs.", .request())
    case .pause: transportRoute("/pause", "Pauses playback.")
    case .resume: transportRoute("/resume", "Resumes playback.")
    case .next: transportRoute("/next", "Skips to the next track.")
    case .previous: transportRoute("/previous", "Goes back to the previous track.")
    case .seek:
      transportRoute(
        "/seek", "Goes to a position, or forwards or backwards by a distance, in seconds.",
        .request(
          exactlyOneOf: [
            "to": .number(0...172_800), "by": .number(-172_800...172_800),
          ]))
    case .volume:
      transportRoute(
        "/volume", "Sets or changes the volume in percent, or mutes the amplifier.",
        .request(
          exactlyOneOf: [
            "to": .integer(0...100), "by": .integer(-100...100),
            "mute": .anyOf([.boolean, .words(["toggle"])]),
          ]),
        answer: .volumeChange)
    }
  }

  private func list(_ category: String, _ answer: Component) -> Route {
    Route(
      .get, "/\(category)", .permitted(.view, tokens: .view),
      "Lists the \(category) that the user may choose, page by page.",
      parameters: [
        .init(
          name: "search", place: .query, schema: .text(0...200),
          help: "Words that title, artist and album must have, regardless of case and accents."),
        .init(
          name: "offset", place: .query, schema: .integer(0...1_000_000),
          help: "The number of matching entries before the first one of the answer."),
        .init(
          name: "limit", place: .query, schema: .integer(LibraryPages.limits),
          help: "The largest number of entries; default \(LibraryPages.standardLimit)."),
      ],
      answers: [200: .json(.reference(answer))], errors: [422])
  }

  private func startRoute(
    _ path: String, _ permission: Permission, tokens: Route.TokenAccess, _ help: String,
    _ body: Schema
  ) -> Route {
    Route(
      .post, path, .permitted(permission, tokens: tokens), help, body: .json(body),
      parameters: [.prefer],
      answers: [200: .json(.reference(.startedRun)), 202: .json(.reference(.startedRun))],
      errors: [404, 409, 503])
  }

  private func transportRoute(
    _ path: String, _ help: String, _ body: Schema = .request(),
    answer: Component = .playerConfirmation
  ) -> Route {
    Route(
      .post, path, .permitted(.play, tokens: .command(rawValue)), help, body: .json(body),
      answers: [200: .json(.reference(answer))], errors: [409, 503])
  }
}

extension Schema {
  private static let start: Members = [
    "item": .text(0...CatalogueItem.longestID).described(
      "The id, the title or a part of the title."),
    "fromStart": .boolean.described("Whether to ignore the saved position."),
  ]
  fileprivate static let activityStart = Schema.request(optional: start)
  fileprivate static let namedActivityStart = Schema.request(
    optional: start + [
      "category": .words(Category.allCases.map(\.rawValue)).described(
        "The category of the item: an activity that takes no such item is refused.")
    ])
}

/// The pages of `GET /films`, `/songs` and `/stations`. A client asks for the next one with the number of entries that
/// it has as `offset`, until it has as many as `total`.
public enum LibraryPages {
  /// The number of entries that a client may ask for.
  public static let limits = 1...1000
  /// The largest number of entries without `limit`.
  public static let standardLimit = 1000
}

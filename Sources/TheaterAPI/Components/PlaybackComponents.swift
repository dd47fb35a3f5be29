import Devices

// The components of requests and responses about the current activity and the library.

extension Component {
  static let playbackComponents = [
    status, activity, activities, rooms, playback, catalogueEntry, films, songs, stations, stopped,
    libraryScan,
    libraryChange, soundLevels, confirmation, playerConfirmation, volumeChange,
  ]

  static let status = Component(
    "Status",
    .object(
      [
        "event": .eventID, "activity": .reference(activity), "rooms": roomList,
        "running": .list(of: .object(["id": .id, "scene": .name])).described(
          "The scenes that run, oldest first."),
        "devices": .list(of: .reference(device)),
      ],
      optional: [
        "playback": .reference(playback),
        "configuration": .reference(refusedEdit).described(
          "For owners, while `devices.json` has mistakes and the configuration from before is in "
            + "force."),
      ]))

  static let activity = Component(
    "Activity",
    .object(
      [
        "room": .name.described("A theater without rooms in its file is one room."),
        "status": .words(["idle", "starting", "running", "ending", "failed"]),
      ],
      optional: [
        "activity": .name, "scene": .name.described("A scene that plays by itself."),
        "title": .title, "item": .itemID, "itemTitle": .title,
        "artist": .title.described("The artist of the item."),
        "itemPicture": .boolean.described(
          "Whether there may be a picture of the item; missing if there is none."),
        "user": .id, "player": .name,
        "run": .id.described("The run that starts or ends the activity."),
        "resumedAt": .seconds.described("The saved position at which the first item resumed."),
        "retryAt": .seconds.described(
          "The position in seconds at which `/resume` tries the item again, after its player has failed."
        ),
        "error": .reference(failure),
      ]))

  /// The activities of `devices.json`, in its order.
  static let activities = Component(
    "Activities",
    .object([
      "activities": .list(
        of: .object(
          [
            "name": .name,
            "permitted": .boolean.described("Whether the user may begin it while nothing is on."),
            "start": .name.described("The scene that begins it."),
            "end": .name.described("The scene that ends it."),
          ],
          optional: .label + [
            "room": .name.described("The room that it is for; missing for none."),
            "category": .category.described(
              "The list from which its item is chosen; missing if it takes none."),
            "player": .name, "amplifier": .name,
          ]))
    ]))

  /// The rooms of `devices.json`, in its order.
  static let rooms = Component(
    "Rooms",
    .object(["rooms": roomList]))

  private static let roomList = Schema.list(
    of: .object(
      [
        "name": .name, "devices": .list(of: .name),
        "activities": .list(of: .name).described("The activities for this room."),
        "activity": .reference(activity),
      ],
      optional: .label + ["playback": .reference(playback)]))

  /// The anchor of a player's position.
  static let playback = Component(
    "Playback",
    .object(
      [
        "state": .words(Playback.Status.allCases.map(\.rawValue)),
        "position": .number(Playback.secondsRange), "rate": .number(Playback.rateRange),
      ],
      optional: [
        "item": .itemID, "duration": .number(Playback.secondsRange),
        "title": .title.described("The title that the station reports now."), "reason": .text(),
      ]))

  static let catalogueEntry = Component(
    "CatalogueEntry",
    .object(
      ["id": .itemID, "title": .title, "players": .list(of: .name)],
      optional: [
        "artist": .title, "album": .title, "track": .integer(CatalogueItem.trackRange),
        "disc": .integer(CatalogueItem.trackRange),
        "duration": .number(Playback.secondsRange), "format": .text(),
        "channels": .integer(CatalogueItem.channelRange), "rating": .ageLimit,
        "am": .number(TunerCommand.amRange).described("In kHz."),
        "fm": .number(TunerCommand.fmRange).described("In MHz."),
        "picture": .boolean.described(
          "Whether there may be a picture of it; missing if there is none."),
        "position": .seconds.described(
          "The saved position in seconds, at which a start resumes."),
        "category": .category.described("Its list, in answers with items of several."),
      ]))
  static let films = list("Films", "films")
  static let songs = list("Songs", "songs")
  static let stations = list("Stations", "stations")

  static let stopped = Component(
    "Stopped", .object(["items": .list(of: .reference(catalogueEntry))]))

  private static func list(_ name: String, _ member: String) -> Component {
    Component(
      name,
      .object([
        member: .list(of: .reference(catalogueEntry)),
        "total": .count.described("The number of matching entries, on all pages."),
      ]))
  }

  static let libraryScan = Component(
    "LibraryScan",
    .object([
      "films": .count, "songs": .count, "stations": .count,
      "players": .list(
        of: .object([
          "player": .name, "category": .category, "items": .count,
          "problems": .list(
            of: .object(["message": .text()], optional: ["hint": .text(), "folder": .text()])),
          "leftOut": .list(
            of: .object(["file": .text(), "reason": .text()], optional: ["hint": .text()])
          ).described("The first files that the player does not list."),
          "leftOutCount": .count.described("The number of all files that it does not list."),
        ])),
    ]))

  static let libraryChange = Component("LibraryChange", .object(["player": .name]))

  static let soundLevels = Component(
    "SoundLevels",
    .object([
      "device": .name,
      "peak": levels.described("The highest sample of each channel since the last event, in dBFS."),
      "rms": levels.described("The root mean square of each channel since then, in dBFS."),
    ]))

  private static let levels = Schema.list(
    of: .number(SoundLevels.range), count: SoundLevels.channelRange)

  static let confirmation = Component(
    "Confirmation", .object(["confirmation": .confirmation]))

  /// The answer of a player, with what it plays.
  static let playerConfirmation = Component(
    "PlayerConfirmation",
    .object(
      ["confirmation": .confirmation],
      optional: .controlledRoom + [
        "category": .category.described("The list from which the item of the player is.")
      ]))

  /// The volume, or whether the amplifier is muted: whichever the request changed.
  static let volumeChange = Component(
    "VolumeChange",
    .object(
      ["confirmation": .confirmation],
      optional: ["volume": .percent, "muted": .boolean] + .controlledRoom))
}

extension Schema.Members {
  /// The room in which a request acts.
  static let controlledRoom: Self = [
    "room": .name.described("The room of the request, in a theater with several rooms."),
    "roomTitle": .title,
  ]
}

extension Schema {
  /// The id of a film, song or station.
  static let itemID = Schema.text(1...CatalogueItem.longestID)
  /// A list of the library.
  fileprivate static let category = Schema.words(Category.allCases.map(\.rawValue))
  /// `observed` was reported by the device, `accepted` was not.
  fileprivate static let confirmation = Schema.words(["observed", "accepted"])
}

import ArgumentParser
import JSON
import TheaterAPI

/// `theater activities`.
struct ActivitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activities", abstract: "List the activities, and which of them are on.",
    discussion: "One that takes a film, song or station: watch, listen or radio --activity NAME.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let answer = try await theater.get(PlaybackEndpoint.activities.path())
    let rooms = try await theater.get(PlaybackEndpoint.rooms.path()).printable
    try output.show(answer) { PlaceText.activities($0, rooms) }
  }
}

/// `theater rooms`.
struct RoomsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rooms", abstract: "List the rooms, and what is on in each.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(PlaybackEndpoint.rooms.path())
    try output.show(answer, PlaceText.rooms)
  }
}

/// The activities and the rooms as text.
enum PlaceText {
  /// One line for each activity: name, title, room where there are several, what it plays, whether it is on.
  static func activities(_ answer: JSON, _ rooms: JSON) -> String {
    let activities = answer["activities"]?.array ?? []
    if activities.isEmpty {
      return "There are no activities. Add some to \"activities\" in devices.json."
    }
    let rooms = rooms["rooms"]?.array ?? []
    var columns = Columns()
    for activity in activities {
      var cells = [activity["name"]?.string ?? "?", activity["title"]?.string ?? ""]
      if rooms.count > 1 {
        let room = rooms.first { $0["name"] == activity["room"] }
        cells.append(room.flatMap(title) ?? "")
      }
      let room = rooms.first { $0["activity"]?["activity"] == activity["name"] }
      let status = room?["activity"]?["status"]?.string ?? ""
      columns.add(
        cells + [activity["category"]?.string ?? "", status == "running" ? "on" : status])
    }
    return columns.text
  }

  /// One line for each room: name, title, what is on.
  static func rooms(_ answer: JSON) -> String {
    var columns = Columns()
    let text = StatusText(width: 0, hasColour: false)
    for room in answer["rooms"]?.array ?? [] {
      let activity = room["activity"] ?? [:]
      let isIdle = activity["activity"] == nil && activity["scene"] == nil
      columns.add(
        room["name"]?.string ?? "?", room["title"]?.string ?? "",
        isIdle ? "nothing is on" : text.headline(activity, playback: room["playback"]))
    }
    return columns.text
  }

  private static func title(_ room: JSON) -> String? {
    room["title"]?.string ?? room["name"]?.string
  }
}

import Devices
import JSON

/// The state of the current activity.
package struct ActivityReport: Sendable, Hashable {
  /// The state of the activity; `failed` until the next one begins.
  package enum Status: String, Sendable, Hashable {
    case idle, starting, running, ending, failed
  }

  /// Whether an activity or scene begins, is on or ends.
  package var status = Status.idle
  /// The activity's name; `nil` when idle, and for a scene.
  package var activity: String?
  /// The name of a scene that plays by itself and begins no activity.
  package var scene: String?
  /// The title of the activity or scene, for people.
  package var title: String?
  /// The player's current item; until it plays, the chosen one.
  package var item: String?
  /// The title of `item`, for people; `nil` if it has none.
  package var itemTitle: String?
  /// The artist of `item`; `nil` without one.
  package var artist: String?
  /// Whether a player may have a picture of `item`.
  package var hasItemPicture = false
  /// The user who began it.
  package var user: String?
  /// The player that the activity follows.
  package var player: DeviceID?
  /// The run that began or ends it.
  package var run: String?
  /// The position in seconds from which the chosen item was resumed; `nil` for its start.
  package var resumedAt: Double?
  /// The position in seconds at which `resume` tries the item again that the player does not play any more; `nil`
  /// unless it has failed.
  package var retryAt: Double?
  /// The failure that stopped its run.
  package var error: TheaterError?

  /// The room and the members that are not `nil`; `itemPicture` only where it is true.
  package func json(in room: RoomID) -> JSON {
    var object: JSONObject = ["room": .string(room.name), "status": .string(status.rawValue)]
    if let activity { object["activity"] = .string(activity) }
    if let scene { object["scene"] = .string(scene) }
    if let title { object["title"] = .string(title) }
    if let item { object["item"] = .string(item) }
    if let itemTitle { object["itemTitle"] = .string(itemTitle) }
    if let artist { object["artist"] = .string(artist) }
    if hasItemPicture { object["itemPicture"] = .bool(true) }
    if let user { object["user"] = .string(user) }
    if let player { object["player"] = .string(player.name) }
    if let run { object["run"] = .string(run) }
    if let resumedAt { object["resumedAt"] = .number(resumedAt) }
    if let retryAt { object["retryAt"] = .number(retryAt) }
    if let error { object["error"] = error.json }
    return .object(object)
  }
}

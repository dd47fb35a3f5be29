import Devices
import JSON

/// The state of the current activity.
public struct ActivityReport: Sendable, Hashable {
  /// The state of the activity; `failed` until the next one begins.
  public enum Status: String, Sendable, Hashable {
    case idle, starting, running, ending, failed
  }

  /// Whether an activity or scene begins, is on or ends.
  public var status = Status.idle
  /// The activity's name; `nil` when idle, and for a scene.
  public var activity: String?
  /// The name of a scene that plays by itself and begins no activity.
  public var scene: String?
  /// The title of the activity or scene, for people.
  public var title: String?
  /// The player's current item; until it plays, the chosen one.
  public var item: String?
  /// The title of `item`, for people; `nil` if it has none.
  public var itemTitle: String?
  /// The artist of `item`; `nil` without one.
  public var artist: String?
  /// Whether a player may have a picture of `item`.
  public var hasItemPicture = false
  /// The user who began it.
  public var user: String?
  /// The player that the activity follows.
  public var player: DeviceID?
  /// The run that began or ends it.
  public var run: String?
  /// The position in seconds from which the chosen item was resumed; `nil` for its start.
  public var resumedAt: Double?
  /// The position in seconds at which `resume` tries the item again that the player does not play any more; `nil`
  /// unless it has failed.
  public var retryAt: Double?
  /// The failure that stopped its run.
  public var error: TheaterError?

  /// The room and the members that are not `nil`; `itemPicture` only where it is true.
  public func json(in room: RoomID) -> JSON {
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

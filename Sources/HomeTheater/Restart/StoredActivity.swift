import Devices
import Scenes

/// What was on in a room when the controller ended.
package struct StoredActivity: Sendable, Hashable {
  package var room: RoomID
  /// The name of the activity, or of the scene that plays by itself.
  package var name: String
  package var isScene: Bool
  /// The scene that ends it; `nil` for a scene that has replaced no activity.
  package var endScene: String?
  package var player: DeviceID?
  /// The id of the item.
  package var item: String?
  /// The account or guest pass of the person who began it; `nil` if it was deleted, or there was none.
  package var user: String?
  /// The volume limit of the person who last let sound begin, 0 to 100 %; `nil` for none.
  package var volumeLimit: Int?
  /// The age limit of the person who chose last, in years; `nil` for none.
  package var ageLimit: Int?

  package init(
    room: RoomID, name: String, isScene: Bool = false, endScene: String? = nil,
    player: DeviceID? = nil, item: String? = nil, user: String? = nil, volumeLimit: Int? = nil,
    ageLimit: Int? = nil
  ) {
    self.room = room
    self.name = name
    self.isScene = isScene
    self.endScene = endScene
    self.player = player
    self.item = item
    self.user = user
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
  }

  /// `nil` while nothing is on.
  init?(_ session: ActivitySession, in room: RoomID) {
    guard let activity = session.activity, let principal = session.principal else { return nil }
    self.init(
      room: room, name: activity.name, isScene: session.isScene,
      endScene: session.endScenes.last?.name, player: activity.player, item: session.report.item,
      user: principal.user, volumeLimit: principal.volumeLimit, ageLimit: principal.ageLimit)
  }

  /// The person who began it: the limits count on; permissions are asked of each request.
  var principal: Principal {
    Principal(
      user: user, permissions: [], activities: nil, volumeLimit: volumeLimit, ageLimit: ageLimit)
  }

  /// Returns the activity, or the activity made from the scene, as the plan defines it now; `nil` if the plan has
  /// lost it, or a role or device that it needs.
  func activity(in plan: TheaterPlan, _ roles: [DeviceID: Role]) -> Activity? {
    guard isScene else { return plan.activities[name] }
    guard let scene = plan.scenes[name], let player, let role = roles[player] else { return nil }
    return Activity(
      madeFrom: scene, player: player, role,
      amplifier: scene.steps.commandSteps.last { roles[$0.device]?.has(.input) == true }?.device,
      in: plan)
  }
}

/// The storage of what is on in each room, for the next start of the controller.
package protocol ActivityStore: Sendable {
  /// Stores what is on in a room in place of what was.
  func save(_ activity: StoredActivity) async throws
  /// Removes what was on in a room.
  func removeActivity(in room: RoomID) async throws
  /// Returns what was on in all rooms.
  func activities() async throws -> [StoredActivity]
}

/// Stores nothing.
package struct NoActivityStore: ActivityStore {
  package init() {}
  package func save(_ activity: StoredActivity) {}
  package func removeActivity(in room: RoomID) {}
  package func activities() -> [StoredActivity] { [] }
}

import Devices
import JSON
import Scenes

/// The scenes, activities, library, cables, groups and rooms of a theater, and the titles of its
/// devices: everything that `devices.json` configures apart from the plugins of the devices.
package struct TheaterPlan: Sendable, Hashable {
  /// By name.
  package var scenes: [String: Scene]
  /// The rooms that the file names for scenes, by the name of the scene.
  package var sceneRooms: [String: RoomID] = [:]
  /// The names of scenes in the order of the file.
  package var sceneOrder: [String] = []
  /// By name.
  package var activities: [String: Activity]
  /// The names of activities in the order of the file.
  package var activityOrder: [String] = []
  /// The configured films, songs, stations and media folders.
  package var library: LibraryPlan
  /// At most one for each source and for each input.
  package var cables: [CableEdge]
  /// The devices in the order of the file.
  package var devices: [DevicePlan] = []
  /// The groups in the order of the file.
  package var groups: [DeviceGroup] = []
  /// The rooms that the file names, in its order.
  package var rooms: [Room] = []

  package init(
    scenes: [String: Scene] = [:], activities: [String: Activity] = [:],
    library: LibraryPlan = LibraryPlan(), cables: [CableEdge] = []
  ) {
    self.scenes = scenes
    self.activities = activities
    self.library = library
    self.cables = cables
  }

  /// The scenes in the order of the file; those without a place in it follow by name.
  package var orderedScenes: [Scene] { Self.ordered(scenes, by: sceneOrder) }

  /// The activities in the order of the file; those without a place in it follow by name.
  package var orderedActivities: [Activity] { Self.ordered(activities, by: activityOrder) }

  private static func ordered<Value>(_ values: [String: Value], by order: [String]) -> [Value] {
    let named = order.compactMap { values[$0] }
    guard named.count < values.count else { return named }
    let rest = Set(values.keys).subtracting(order).sorted()
    return named + rest.compactMap { values[$0] }
  }
}

/// A cable of `devices.json`: the source that an amplifier receives on an input.
package struct CableEdge: Sendable, Hashable {
  /// A player or tuner, or an amplifier before another one.
  package var from: DeviceID
  /// An amplifier.
  package var to: DeviceID
  /// The amplifier's name of the input: `dvd`.
  package var input: String
  /// The volume in % at which an amplifier before another one runs; `nil` for the cable of a player.
  package var level: Int?

  package init(from: DeviceID, to: DeviceID, input: String, level: Int? = nil) {
    self.from = from
    self.to = to
    self.input = input
    self.level = level
  }
}

extension TheaterPlan {
  /// Returns the activity of this name, or throws `notFound`.
  func activity(named name: String) throws(TheaterError) -> Activity {
    guard let activity = activities[name] else {
      throw .unknown("activity", name, activities.keys)
    }
    return activity
  }

  /// Returns the scene of this name, or throws `notFound`.
  func scene(named name: String) throws(TheaterError) -> Scene {
    guard let scene = scenes[name] else { throw .unknown("scene", name, scenes.keys) }
    return scene
  }
}

extension TheaterError {
  /// The "not found" error for an unknown name, with the nearest known name as a hint.
  ///
  /// - Parameter kind: The kind of thing in a person's words: "scene".
  package static func unknown(_ kind: String, _ name: String, _ known: some Sequence<String>)
    -> TheaterError
  {
    let known = known.sorted()
    return TheaterError(
      .notFound, "there is no \(kind) \"\(name.quotation)\"",
      hint: nearest(to: name, in: known).map { "Did you mean \"\($0)\"?" }
        ?? (known.isEmpty ? "There is none." : "There is: \(listed(known))."))
  }
}

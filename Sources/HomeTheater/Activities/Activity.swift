import Devices

/// A use of the theater, such as watching a film: a scene that begins it and one that ends it.
public struct Activity: Sendable, Hashable {
  /// The key in `devices.json`: `film`.
  public var name: String
  /// What people read and see instead of the name.
  public var label: Label
  /// The room that the file names for it; `nil` to derive it from its devices.
  public var room: RoomID?
  /// The name of the scene that begins it.
  public var start: String
  /// The name of the scene that ends it.
  public var end: String
  /// The player of its item. Progress, pause and seek refer to it.
  public var player: DeviceID?
  /// The amplifier of its volume.
  public var amplifier: DeviceID?
  /// The category of the library from which its item is chosen.
  public var category: Category?
  /// The action when the player reaches the end.
  public var whenEnded: WhenEnded
  /// The action when the player does not go on: it has failed, waits for its medium, or is lost.
  public var whenFailed: WhenFailed
  /// The devices without which it makes no sense: it ends when one of them stays missing.
  public var endsWithout: Set<DeviceID>

  public init(
    name: String, label: Label = Label(), room: RoomID? = nil, start: String, end: String,
    player: DeviceID? = nil, amplifier: DeviceID? = nil, category: Category? = nil,
    whenEnded: WhenEnded = .end, whenFailed: WhenFailed = .standard,
    endsWithout: Set<DeviceID> = []
  ) {
    self.name = name
    self.label = label
    self.room = room
    self.start = start
    self.end = end
    self.player = player
    self.amplifier = amplifier
    self.category = category
    self.whenEnded = whenEnded
    self.whenFailed = whenFailed
    self.endsWithout = endsWithout
  }
}

extension Activity {
  /// The name for people.
  public var title: String? { label.title }
}

/// The action when the film, disc or station of an activity ends.
public enum WhenEnded: String, Sendable, Hashable, CaseIterable {
  /// The end scene runs.
  case end
  /// The activity stays as it is.
  case stay
}

/// The action when the player of an activity fails and does not play again in time.
public enum WhenFailed: Sendable, Hashable {
  /// The end scene runs after this time.
  case end(after: Duration)
  /// The activity stays as it is.
  case stay

  /// Long enough to try the item again or to choose another one, short enough for the lamp of a projector.
  public static let standard = WhenFailed.end(after: .seconds(20 * 60))
}

/// An activity, and whether a user may begin it while nothing is on.
public struct OfferedActivity: Sendable, Hashable {
  public let activity: Activity
  /// The room that it is for; `nil` for none.
  public let room: RoomID?
  /// Whether the user may begin it while nothing is on.
  public let isPermitted: Bool
}

extension TheaterPlan {
  /// Every activity, in the order of the file, and whether the principal may begin it.
  func activities(offeredTo principal: Principal) -> [OfferedActivity] {
    orderedActivities.map { activity in
      OfferedActivity(
        activity: activity, room: room(of: activity), isPermitted: principal.mayBegin(activity))
    }
  }
}

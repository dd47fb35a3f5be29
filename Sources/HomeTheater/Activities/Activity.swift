import Devices

/// A use of the theater, such as watching a film: a scene that begins it and one that ends it.
package struct Activity: Sendable, Hashable {
  /// The key in `devices.json`: `film`.
  package var name: String
  /// What people read and see instead of the name.
  package var label: Label
  /// The room that the file names for it; `nil` to derive it from its devices.
  package var room: RoomID?
  /// The name of the scene that begins it.
  package var start: String
  /// The name of the scene that ends it.
  package var end: String
  /// The player of its item. Progress, pause and seek refer to it.
  package var player: DeviceID?
  /// The amplifier of its volume.
  package var amplifier: DeviceID?
  /// The category of the library from which its item is chosen.
  package var category: Category?
  /// The action when the player reaches the end.
  package var whenEnded: WhenEnded
  /// The action when the player does not go on: it has failed, waits for its medium, or is lost.
  package var whenFailed: WhenFailed
  /// The devices without which it makes no sense: it ends when one of them stays missing.
  package var endsWithout: Set<DeviceID>

  package init(
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
  package var title: String? { label.title }
}

/// The action when the film, disc or station of an activity ends.
package enum WhenEnded: String, Sendable, Hashable, CaseIterable {
  /// The end scene runs.
  case end
  /// The activity stays as it is.
  case stay
}

/// The action when the player of an activity fails and does not play again in time.
package enum WhenFailed: Sendable, Hashable {
  /// The end scene runs after this time.
  case end(after: Duration)
  /// The activity stays as it is.
  case stay

  /// Long enough to try the item again or to choose another one, short enough for the lamp of a projector.
  package static let standard = WhenFailed.end(after: .seconds(20 * 60))
}

/// An activity, and whether a user may begin it while nothing is on.
package struct OfferedActivity: Sendable, Hashable {
  package let activity: Activity
  /// The room that it is for; `nil` for none.
  package let room: RoomID?
  /// Whether the user may begin it while nothing is on.
  package let isPermitted: Bool
}

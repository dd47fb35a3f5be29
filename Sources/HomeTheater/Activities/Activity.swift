import Devices

/// Something that a person does for an evening: a scene to begin with and one to end with.
package struct Activity: Sendable, Hashable {
  /// The key in `devices.json`: `film`.
  package var name: String
  /// What a person reads instead of the name.
  package var title: String?
  /// The scene that begins it.
  package var start: String
  /// The scene that ends it.
  package var end: String
  /// Whose playback its progress, pause and seek are about.
  package var player: DeviceID?
  /// Whose volume it has.
  package var amplifier: DeviceID?
  /// What it plays; decides which list a person chooses from.
  package var category: Category?
  /// What happens when the player reaches the end.
  package var whenEnded: WhenEnded

  package init(
    name: String, title: String? = nil, start: String, end: String, player: DeviceID? = nil,
    amplifier: DeviceID? = nil, category: Category? = nil, whenEnded: WhenEnded = .end
  ) {
    self.name = name
    self.title = title
    self.start = start
    self.end = end
    self.player = player
    self.amplifier = amplifier
    self.category = category
    self.whenEnded = whenEnded
  }
}

/// What happens to an activity when its film or song is over.
package enum WhenEnded: String, Sendable, Hashable, CaseIterable {
  /// The end scene runs.
  case end
  /// Everything stays as it is.
  case stay
}

/// The three lists of the library.
package enum Category: String, Sendable, Hashable, CaseIterable {
  case films, songs, stations
}

import JSON

/// What people read and see instead of a name of `devices.json`: of a device, scene, activity,
/// input, group or room.
public struct Label: Sendable, Hashable {
  /// The text instead of the name; `nil` to show the name.
  public var title: String?
  /// The drawing.
  public var icon: Icon?
  /// The part of the home, such as "Lounge" or "Upstairs", by which lists are grouped.
  public var area: String?

  public init(title: String? = nil, icon: Icon? = nil, area: String? = nil) {
    self.title = title
    self.icon = icon
    self.area = area
  }
}

/// A drawing that a front end shows beside a title.
public enum Icon: String, Sendable, Hashable, CaseIterable {
  case film, tv, camera, book
  case music, record, disc, radio, speaker
  case game, computer, phone, cast
  case popcorn, food, drink, party, children, sport
  case light, candle, sun, moon, sleep, star, garden
  case projector, screen, power, stop
}

extension Label {
  /// Adds the members `title`, `icon` and `area` to an object of the API, where the label has them.
  package func add(to object: inout JSONObject) {
    if let title { object["title"] = .string(title) }
    if let icon { object["icon"] = .string(icon.rawValue) }
    if let area { object["area"] = .string(area) }
  }
}

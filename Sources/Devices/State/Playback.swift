import JSON

/// The playback of a player, as an anchor from which progress is interpolated.
public struct Playback: Sendable, Hashable {
  /// The state of a player.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case stopped, opening, playing, paused, ended, failed
  }

  /// `playing` only while sound arrives; a wait for a disk or station is `opening`.
  public var status: Status
  /// The id of the film, song or station.
  public var item: String?
  /// The heard position at the time of the report, in seconds from the beginning.
  public var position: Double
  /// In seconds; `nil` without an end (a station), or if it is not known.
  public var duration: Double?
  /// How fast the position moves, -64 to 64: 1 at the usual speed, 0 while it stands still, negative
  /// backwards.
  public var rate: Double
  /// The title that a station names at the moment, such as artist and song.
  public var title: String?
  /// Why it fails, or why it waits.
  public var reason: String?

  /// Valid positions and durations, in seconds: up to 31 years, as a radio may play for long.
  public static let secondsRange = 0.0...1_000_000_000.0
  /// Valid rates: up to 64 times the usual speed, forwards or backwards.
  public static let rateRange = -64.0...64.0

  /// - Parameter rate: `nil` for 1 while playing, else 0.
  public init(
    _ status: Status, item: String? = nil, position: Double = 0, duration: Double? = nil,
    rate: Double? = nil, title: String? = nil, reason: String? = nil
  ) {
    self.status = status
    self.item = item
    self.position = position
    self.duration = duration
    self.rate = rate ?? (status == .playing ? 1 : 0)
    self.title = title
    self.reason = reason
  }

  /// The position after `elapsed` since this anchor was reported, within the item.
  public func position(after elapsed: Duration) -> Double {
    let moved = max(0, position + elapsed.seconds * rate)
    return duration.map { min($0, moved) } ?? moved
  }

  /// Reads `{"state": "playing", "item": "x", "position": 1.5, "duration": 60, "rate": 1}`; `nil`
  /// for an unknown state or a number out of range. A position beyond the duration is the duration.
  public init?(_ json: JSON) {
    guard let status = json["state"]?.string.flatMap(Status.init) else { return nil }
    let position = json["position"]?.number ?? 0
    let duration = json["duration"]?.number
    let rate = json["rate"]?.number
    guard Self.secondsRange.contains(position), Self.secondsRange.contains(duration ?? 0),
      Self.rateRange.contains(rate ?? 0)
    else { return nil }
    self.init(
      status, item: json["item"]?.string, position: min(position, duration ?? position),
      duration: duration, rate: rate, title: json["title"]?.string,
      reason: json["reason"]?.string)
  }

  /// The JSON that `init(_:)` reads.
  public var json: JSON {
    var object: JSONObject = ["state": .string(status.rawValue)]
    if let item { object["item"] = .string(item) }
    object["position"] = .number((position * 1000).rounded() / 1000)
    if let duration { object["duration"] = .number((duration * 1000).rounded() / 1000) }
    object["rate"] = .number(rate)
    if let title { object["title"] = .string(title) }
    if let reason { object["reason"] = .string(reason) }
    return .object(object)
  }
}

import Devices
import JSON

// Parts of messages within `ProtocolLimits`. Texts for people are cut. An identifier that is too long is refused,
// because a cut one would name nothing or another object.

extension RPCError {
  /// This error with its texts cut. Of its data, only `kind`, `hint` and `retryAfter` are kept.
  public var bounded: RPCError {
    var kept = JSONObject()
    for key in ["kind", "hint"] {
      if let text = data?[key]?.string {
        kept[key] = .string(text.boundedLine(maximumBytes: ProtocolLimits.message))
      }
    }
    if let wait = data?["retryAfter"]?.number { kept["retryAfter"] = .number(wait) }
    return RPCError(
      code, message.boundedLine(maximumBytes: ProtocolLimits.message),
      data: kept.isEmpty ? JSON?.none : .object(kept))
  }
}

extension Playback {
  /// This playback with its title and reason cut and without an impossible duration; `nil` when the id of its
  /// item is too long.
  public var bounded: Playback? {
    guard (item?.utf8.count ?? 0) <= ProtocolLimits.item else { return nil }
    var bounded = self
    bounded.title = title?.boundedLine(maximumBytes: ProtocolLimits.title)
    bounded.reason = reason?.boundedLine(maximumBytes: ProtocolLimits.title)
    if let duration, !Self.secondsRange.contains(duration) { bounded.duration = nil }
    return bounded
  }
}

extension CatalogueItem {
  /// This item with its texts cut; `nil` when its id is too long.
  public var bounded: CatalogueItem? {
    guard id.utf8.count <= ProtocolLimits.item else { return nil }
    var bounded = self
    bounded.title = title.boundedLine(maximumBytes: ProtocolLimits.title)
    bounded.artist = artist?.boundedLine(maximumBytes: ProtocolLimits.title)
    bounded.album = album?.boundedLine(maximumBytes: ProtocolLimits.title)
    bounded.format = format?.boundedLine(maximumBytes: ProtocolLimits.format)
    return bounded
  }
}

extension Attribute {
  /// This attribute with its texts cut; `nil` when its value is too large.
  public var bounded: Attribute? {
    let limit = ProtocolLimits.attributeValue
    let kept: JSON
    switch value {
    case .string(let text): kept = .string(text.boundedLine(maximumBytes: limit))
    case .array, .object:
      guard value.text().utf8.count <= limit else { return nil }
      kept = value.withBoundedLines(maximumBytes: limit)
    case .null, .bool, .integer, .number: kept = value
    }
    return Attribute(
      kept, unit: unit?.boundedLine(maximumBytes: ProtocolLimits.attributeUnit),
      label: label?.boundedLine(maximumBytes: ProtocolLimits.attributeLabel))
  }

  /// The bytes of this attribute under `name`: its texts in UTF-8, and 32 for the rest.
  public func byteCount(name: String) -> Int {
    let size =
      switch value {
      case .string(let text): text.utf8.count
      case .array, .object: value.text().utf8.count
      case .null, .bool, .integer, .number: 0
      }
    return name.utf8.count + size + (unit?.utf8.count ?? 0) + (label?.utf8.count ?? 0) + 32
  }
}

extension JSON {
  /// This value with each text and key in it as one line of at most `limit` bytes. If keys become
  /// equal, the value of the last one counts.
  public func withBoundedLines(maximumBytes limit: Int) -> JSON {
    switch self {
    case .string(let text): .string(text.boundedLine(maximumBytes: limit))
    case .array(let values): .array(values.map { $0.withBoundedLines(maximumBytes: limit) })
    case .object(let members):
      .object(
        JSONObject(
          members.map { key, value in
            (key.boundedLine(maximumBytes: limit), value.withBoundedLines(maximumBytes: limit))
          }))
    case .null, .bool, .integer, .number: self
    }
  }
}

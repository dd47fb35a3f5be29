import JSON

/// A device's state as text.
enum DeviceText {
  /// `on, dvd, surround, 50 %`; `~` marks assumed values, `?` values that are no longer known.
  static func state(_ device: JSON) -> String {
    switch device["availability"]?.string {
    case "starting": return "starting"
    case "unavailable": return "unavailable: \(device["reason"]?.string ?? "unknown reason")"
    default: break
    }
    let state = device["state"]?.object ?? [:]
    let parts = state.compactMap { key, reading -> String? in
      guard let value = reading["value"], let words = words(key, value) else { return nil }
      switch reading["provenance"]?.string {
      case "assumed": return "~\(words)"
      case "unknown": return "\(words)?"
      default: return words
      }
    }
    let all = parts + problem(device)
    return all.isEmpty ? "nothing known yet" : all.joined(separator: ", ")
  }

  /// A value with its unit; `nil` for values that are not worth showing.
  static func words(_ key: String, _ value: JSON) -> String? {
    switch (key, value) {
    case (_, .null): return nil
    case ("volume", _), ("brightness", _): return "\(value.text()) %"
    case ("muted", .bool(let isMuted)): return isMuted ? "muted" : nil
    case ("tray", .string(let tray)): return tray == "closed" ? nil : "tray \(tray)"
    case ("audio", .string(let audio)):
      return audio == "twoChannel" ? "two channels" : "\(audio) sound"
    case ("frequency", _):
      let isFM = (value.number ?? 0) < 200
      return "\(value.text()) \(isFM ? "MHz" : "kHz")"
    case ("picture", .string(let picture)):
      return picture == "wideScreen" ? "wide screen" : "\(picture) picture"
    case ("band", .string(let band)): return band.uppercased()
    case ("playback", _): return playback(value)
    default: return value.string ?? value.text()
    }
  }

  private static func playback(_ value: JSON) -> String? {
    guard let state = value["state"]?.string else { return nil }
    guard state != "stopped", let item = value["item"]?.string else { return state }
    return "\(state) \(item)"
  }

  /// The problem that the device reports, if any.
  private static func problem(_ device: JSON) -> [String] {
    (device["attributes"]?["problem"]?["value"]?.string).map { ["✗ \($0)"] } ?? []
  }

  /// The device's attributes, one line each.
  static func attributes(_ device: JSON) -> String {
    var columns = Columns()
    for (name, attribute) in device["attributes"]?.object ?? [:] {
      guard let value = attribute["value"], !value.isNull else { continue }
      let unit = attribute["unit"]?.string.map { " \($0)" } ?? ""
      columns.add(
        "  \(attribute["label"]?.string ?? name)", (value.string ?? value.text()) + unit)
    }
    return columns.text
  }
}

import JSON

/// The status as lines of text, a pure function of its arguments.
struct StatusText {
  /// The terminal's width in columns.
  let width: Int
  let hasColour: Bool

  /// The whole status.
  func text(_ view: LiveTheaterStatus, at time: Double) -> String {
    var lines = view.rooms.flatMap { roomLines($0, isNamed: view.rooms.count > 1, at: time) }
    let scenes = view.running.map(\.scene)
    if !scenes.isEmpty { lines.append("running: \(scenes.joined(separator: ", "))") }
    lines.append("")
    var columns = Columns()
    for device in view.devices {
      columns.add(
        device["id"]?.string ?? "?", device["title"]?.string ?? "", DeviceText.state(device))
    }
    lines += columns.lines
    if let edit = view.refusedEdit { lines += [""] + Self.lines(ofRefused: edit) }
    return lines.joined(separator: "\n")
  }

  /// The lines about what is on in a room.
  func roomLines(_ room: LiveRoom, isNamed: Bool, at time: Double) -> [String] {
    let name = isNamed ? (room.title ?? room.name).map { "\($0): " } ?? "" : ""
    var lines = [headline(room.activity, playback: room.playback, in: name)]
    if let error = room.activity["error"] {
      let origin = error["device"]?.string.map { "\($0): " } ?? ""
      lines.append("  ✗ \(origin)\(error["message"]?.string ?? "it failed")")
      lines += HintedCommands.lines(for: error).map { "    \($0)" }
    }
    if let line = progress(room, at: time) { lines.append(line) }
    return lines
  }

  /// The lines about a refused edit: what is wrong, where, and what to do.
  private static func lines(ofRefused edit: JSON) -> [String] {
    let count = edit["errors"]?.integer
    let errors = count.map { " (\($0) \($0 == 1 ? "error" : "errors"))" } ?? ""
    var lines = [
      "devices.json was edited and has mistakes\(errors); the configuration from before is in force."
    ]
    if let problem = edit["problem"] {
      lines += DifferenceText.line(problem).split(separator: "\n").map { "  \($0)" }
    }
    // A relative path would be looked up in this folder, and not in the controller's.
    let path = edit["problem"]?["file"]?.string.flatMap { $0.hasPrefix("/") ? " \($0)" : nil } ?? ""
    let place = ControllerTarget.current.address == nil ? "" : ", on the controller's machine"
    return lines + [
      "  Correct the file. All mistakes: \(ProgramName.program) config check\(path)\(place)"
    ]
  }

  /// The line about what is on.
  ///
  /// - Parameters:
  ///   - playback: The playback of its player, which may be paused.
  ///   - room: The room with a colon; empty where there is only one.
  func headline(_ activity: JSON, playback: JSON?, in room: String = "") -> String {
    guard let name = activity["activity"]?.string ?? activity["scene"]?.string else {
      return strong("\(room)\(room.isEmpty ? "Nothing" : "nothing") is on.")
    }
    var line = room + (activity["title"]?.string ?? name)
    if let item = activity["itemTitle"]?.string { line += ": \(item)" }
    let status = activity["status"]?.string ?? "?"
    let isPaused = status == "running" && playback?["state"]?.string == "paused"
    return strong(line) + " (\(isPaused ? "paused" : status))"
  }

  private func progress(_ room: LiveRoom, at time: Double) -> String? {
    guard let playback = room.playback, let position = room.position(at: time) else { return nil }
    let state = playback["state"]?.string ?? "?"
    if state == "stopped" { return nil }
    let reason = ["title", "reason"].compactMap { playback[$0]?.string }.map { ", \($0)" }.joined()
    guard let duration = playback["duration"]?.number, duration > 0 else {
      return "  \(state) \(TimeText.text(position))\(reason)"
    }
    let left = TimeText.text((duration - position).rounded(.up))
    let times = "\(TimeText.text(position)) of \(TimeText.text(duration)), \(left) left"
    let bar = ProgressBar(fraction: position / duration, width: min(40, max(10, width - 40)))
    return "  \(bar.text) \(times), \(state)\(reason)"
  }

  private func strong(_ text: String) -> String {
    hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}

/// A progress bar of fixed width.
struct ProgressBar {
  /// The filled part, 0 to 1; other values are clamped.
  let fraction: Double
  /// Characters between the brackets.
  let width: Int

  var text: String {
    let part = fraction.isFinite ? min(max(fraction, 0), 1) : 0
    let full = Int(part * Double(max(0, width)))
    return "[" + String(repeating: "█", count: full)
      + String(repeating: "░", count: max(0, width) - full) + "]"
  }
}

/// The controller's web address and its certificate as lines of text.
enum AddressLines {
  /// The lines for the response of `SystemEndpoint.address`; none if the address is not known.
  static func lines(_ answer: JSON) -> [String] {
    var columns = Columns()
    if let address = answer["address"]?.string { columns.add("web", address) }
    if let fingerprint = answer["fingerprint"]?.string {
      columns.add("certificate", "SHA-256 \(fingerprint)")
    }
    return columns.lines
  }
}

import Devices
import JSON
import TheaterAPI

/// The main menu of the terminal: the current activity of each room with its controls, and the activities
/// that the person may begin.
struct MainMenu {
  /// What an entry does.
  enum Action: Hashable {
    /// Sends a request that controls what is on in a room.
    case control(PlaybackControl, in: RoomPath)
    /// Ends what is on in a room.
    case end(RoomPath)
    /// Begins an activity, after the choice of an item of a category if it takes one.
    case begin(String, ItemSource?)
    case popcorn
    case logOut
  }

  /// The items from which an activity takes one.
  struct ItemSource: Hashable {
    let category: Devices.Category
    /// The player of the activity; `nil` without one.
    let player: String?
  }

  struct Entry: Hashable {
    let title: String
    /// The title of its room, where there are several.
    let room: String
    let action: Action
  }

  /// The lines above the entries.
  let heading: [String]
  let entries: [Entry]

  /// - Parameters:
  ///   - answers: The answers of the controller; control characters are removed from their texts.
  ///   - hasSession: Whether the person can log out: no access token is used in place of a session.
  ///   - time: The arrival of the status, in monotonic seconds.
  init(_ answers: Answers, hasSession: Bool, _ text: StatusText, at time: Double) {
    let status = LiveTheaterStatus(snapshot: answers.status, at: time)
    let hasRooms = status.rooms.count > 1
    let user = answers.session["user"]
    heading =
      ["Hello, \(user?["name"]?.string ?? "you")."]
      + status.rooms.flatMap { text.roomLines($0, isNamed: hasRooms, at: time) }
    var entries: [Entry] = []
    for room in status.rooms {
      entries += Self.controls(of: room, hasRooms: hasRooms, status, answers)
    }
    for activity in answers.activities where activity["permitted"]?.bool == true {
      guard let name = activity["name"]?.string else { continue }
      let room = activity["room"]?.string
      let title = status.rooms.first { $0.name == room }.flatMap { $0.title ?? $0.name }
      entries.append(
        Entry(
          title: activity["title"]?.string ?? name, room: hasRooms ? title ?? "" : "",
          action: .begin(name, answers.items(of: activity))))
    }
    if let popcorn = answers.scene("popcorn"), user?["role"]?.string != "guest" {
      entries.append(
        Entry(title: popcorn["title"]?.string ?? "Popcorn", room: "", action: .popcorn))
    }
    if hasSession { entries.append(Entry(title: "Log out", room: "", action: .logOut)) }
    self.entries = entries
  }

  /// The entries that control what is on in a room.
  private static func controls(
    of room: LiveRoom, hasRooms: Bool, _ status: LiveTheaterStatus, _ answers: Answers
  ) -> [Entry] {
    guard ["starting", "running", "failed"].contains(room.activity["status"]?.string) else {
      return []
    }
    let path = RoomPath(room: hasRooms ? room.name : nil)
    var controls: [PlaybackControl] = []
    switch room.playback?["state"]?.string {
    case "playing"?: controls.append(.pause)
    case "paused"?, "failed"?: controls.append(.resume)
    default: break
    }
    let player = status.devices.first {
      $0["id"]?.string != nil && $0["id"] == room.activity["player"]
    }
    if player?["role"]?.string.flatMap(Role.init)?.category == .songs {
      controls += [.next, .previous]
    }
    let activity = answers.activities.first { $0["name"] == room.activity["activity"] }
    // Of a scene that plays by itself the amplifier is not known.
    if activity == nil || activity?["amplifier"] != nil { controls += [.louder, .quieter] }
    let title = hasRooms ? room.title ?? room.name ?? "" : ""
    return controls.map { Entry(title: $0.title, room: title, action: .control($0, in: path)) }
      + [Entry(title: "Stop", room: title, action: .end(path))]
  }

  /// The heading and the numbered entries.
  var text: String {
    (heading + [""] + NumberedLines.lines(entries.map { [$0.title, $0.room] }))
      .joined(separator: "\n")
  }
}

extension MainMenu {
  /// The controller's answers of which the menu is made, all texts printable.
  struct Answers {
    let session: JSON
    let status: JSON
    let activities: [JSON]
    let scenes: [JSON]

    init(session: JSON, status: JSON, activities: JSON, scenes: JSON) {
      self.session = session.printable
      self.status = status
      self.activities = activities.printable["activities"]?.array ?? []
      self.scenes = scenes.printable["scenes"]?.array ?? []
    }

    func scene(_ name: String?) -> JSON? { scenes.first { $0["name"]?.string == name } }

    /// The items from which an activity takes one: its start scene has a parameter for it.
    func items(of activity: JSON) -> ItemSource? {
      let scene = scene(activity["start"]?.string)
      let kinds = (scene?["parameters"]?.object ?? [:]).map { $1.string }
      let category: Devices.Category? =
        kinds.contains("film")
        ? .films : kinds.contains("song") ? .songs : kinds.contains("station") ? .stations : nil
      return category.map { ItemSource(category: $0, player: activity["player"]?.string) }
    }
  }
}

/// A request that controls what is on.
enum PlaybackControl: Hashable, CaseIterable {
  case pause, resume, next, previous, louder, quieter

  /// The change of the volume by one choice, in percentage points.
  private static let volumeStep = 5

  var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .next: "Next track"
    case .previous: "Previous track"
    case .louder: "Louder"
    case .quieter: "Quieter"
    }
  }

  var endpoint: PlaybackEndpoint {
    switch self {
    case .pause: .pause
    case .resume: .resume
    case .next: .next
    case .previous: .previous
    case .louder, .quieter: .volume
    }
  }

  /// The body of the request; `nil` without one.
  var body: JSON? {
    switch self {
    case .pause, .resume, .next, .previous: nil
    case .louder: ["by": .integer(Self.volumeStep)]
    case .quieter: ["by": .integer(-Self.volumeStep)]
    }
  }

  /// The outcome for a person.
  func done(_ answer: JSON) -> String {
    switch self {
    case .pause: TransportText.text("paused", answer)
    case .resume: TransportText.text("playing", answer)
    case .next: TransportText.skip("next", answer)
    case .previous: TransportText.skip("previous", answer)
    case .louder, .quieter: TransportText.text(TransportText.volume(answer), answer)
    }
  }
}

/// Lines from which a person chooses by number.
enum NumberedLines {
  /// - Parameter first: The number of the first row.
  static func lines(_ rows: [[String]], from first: Int = 1) -> [String] {
    let width = "\(first + max(0, rows.count - 1))".count
    var columns = Columns()
    for (index, row) in rows.enumerated() {
      let number = "\(first + index)"
      columns.add(
        ["  " + String(repeating: " ", count: width - number.count) + number] + row)
    }
    return columns.lines
  }
}

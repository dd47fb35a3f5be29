import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  /// Reads the activities; those with an error are left out.
  mutating func readActivities(scenes: [String: Scene], cables: [CableEdge]) -> [String: Activity] {
    let plan = TheaterPlan(cables: cables)
    var activities: [String: Activity] = [:]
    for (name, activity) in member("activities").object ?? [:] where !isFull {
      let path: JSONPath = [.key("activities"), .key(name)]
      let start = text("start", of: activity, at: path)
      let end = text("end", of: activity, at: path)
      let begins = start.flatMap { checkScene($0, at: path.appending("start"), scenes) }
      let ends = end.flatMap { checkScene($0, at: path.appending("end"), scenes) }
      if let begins { checkStart(begins, at: path.appending("start")) }
      if let ends { checkEnd(ends, at: path.appending("end")) }
      let given = activity["category"]?.string.flatMap(Category.init)
      if let given, let own = begins?.category, given != own {
        report(
          .reference, at: path.appending("category"),
          "expected \"\(own.rawValue)\", because the start scene plays \(own.rawValue)",
          hint: "Without \"category\" the activity has that of its start scene.")
      }
      let player = text("player", of: activity, at: path).flatMap {
        device($0, at: path.appending("player"), as: Role.sources, what: "a player or tuner")
      }
      let amplifier = text("amplifier", of: activity, at: path).flatMap {
        device($0, at: path.appending("amplifier"), as: Role.having(.input), what: "an amplifier")
      }
      let endsWithout = (activity["endsWithout"]?.array ?? []).enumerated().compactMap {
        (index, id) in
        id.string.flatMap {
          device(
            $0, at: path.appending("endsWithout").appending(index), as: Role.allCases,
            what: "a device")
        }
      }
      guard !hasError(at: path), let start, let end else { continue }
      activities[name] = Activity(
        name: name, label: Label(activity), room: room(of: activity, at: path), start: start,
        end: end, player: player,
        amplifier: amplifier.map(plan.lastAmplifier) ?? player.flatMap(plan.amplifier),
        category: given ?? begins?.category,
        whenEnded: activity["whenEnded"]?.string.flatMap(WhenEnded.init) ?? .end,
        whenFailed: activity["whenFailed"]?.string.flatMap(WhenFailed.init(configured:))
          ?? .standard,
        endsWithout: Set(endsWithout))
    }
    return activities
  }

  /// The scene of this name; `nil` if it is missing, or has errors that are already reported.
  private mutating func checkScene(_ name: String, at path: JSONPath, _ scenes: [String: Scene])
    -> Scene?
  {
    if !sceneNames.contains(name), !isExplained(name, in: "scenes") {
      reportMissing("scene", name, among: member("scenes").object?.keys ?? [], at: path)
    }
    return scenes[name]
  }

  /// Checks the parameters of a start scene: a request that starts an activity has one item and no
  /// other argument.
  private mutating func checkStart(_ scene: Scene, at path: JSONPath) {
    let others = scene.parameters.filter { $0.value.category == nil }.keys.sorted()
    let choices = scene.parameters.filter { $0.value.category != nil }.keys.sorted()
    if let other = others.first {
      report(
        .reference, at: path,
        "\"\(scene.name)\" has the parameter \"\(other)\", which has no value when the activity begins",
        hint: "A scene that begins an activity can have a film, a song or a station.")
    }
    if choices.count > 1 {
      report(
        .reference, at: path,
        "\"\(scene.name)\" has several things to choose: \(choices.joined(separator: ", "))",
        hint: "A scene that begins an activity can have one.")
    }
  }

  private mutating func checkEnd(_ scene: Scene, at path: JSONPath) {
    guard let parameter = scene.parameters.keys.min() else { return }
    report(
      .reference, at: path,
      "\"\(scene.name)\" has the parameter \"\(parameter)\", which has no value when the activity ends",
      hint: "A scene that ends an activity has no parameters.")
  }
}

extension WhenFailed {
  /// The valid texts: 10 s to 99 h, or "stay". A player that opens an item needs some seconds.
  static let rule = TextRule.pattern(
    "^(stay|[1-9][0-9]{1,4} s|[1-9][0-9]{0,3} min|[1-9][0-9]? h)$")

  /// Reads `"20 min"` or `"stay"`; `nil` for a text that `rule` forbids.
  fileprivate init?(configured text: String) {
    guard text != "stay" else {
      self = .stay
      return
    }
    guard let time = DurationText.duration(of: text) else { return nil }
    self = .end(after: time)
  }
}

extension Scene {
  /// The list for the parameter of the scene.
  fileprivate var category: Category? { parameters.values.compactMap(\.category).first }
}

extension ParameterKind {
  fileprivate var category: Category? {
    switch self {
    case .film: .films
    case .song: .songs
    case .station: .stations
    case .text, .number: nil
    }
  }
}

import Devices
import JSON
import Scenes

/// The player that a scene starts, with its item.
struct ScenePlayback {
  let player: DeviceID
  private let role: Role
  /// The item, if a command names it.
  private(set) var item: ItemChoice?

  /// The player that plays after these commands, and its item; `nil` if they start no player.
  ///
  /// - Parameter current: The player of the current activity. A command that only resumes it does
  ///   not count.
  init?(of commands: [SceneCommand], current: DeviceID?, in catalogue: Catalogue) {
    var started: (player: SceneCommand, item: String?)?
    func release(_ player: DeviceID) { if started?.player.device == player { started = nil } }
    for planned in commands {
      let player = planned.device
      if let command = TunerCommand(planned.command) {
        switch command {
        case .off: release(player)
        case .on where player == current: break
        default: started = (planned, command.station)
        }
        continue
      }
      switch ItemChange(planned.command) {
      case .play(let item?)?: started = (planned, item)
      case .play(nil)?
      where started == nil && player != current
        && planned.command.spec.effect == .plays:
        started = (planned, nil)
      case .release?: release(player)
      case .play?, .skip?, nil: break
      }
    }
    guard let started else { return nil }
    player = started.player.device
    role = started.player.role
    item = started.item.map { catalogue.choice(of: $0) }
  }

  /// Whether the scene becomes the current activity. A scene that starts no activity, plays on
  /// another player and commands no amplifier runs beside the activity, such as a chime during a
  /// film.
  func becomesCurrent(
    _ scene: Scene, _ commands: [SceneCommand], replacing current: DeviceID?, in plan: TheaterPlan
  ) -> Bool {
    guard let current, current != player else { return true }
    return commands.contains { $0.role.has(.input) }
      || plan.activities.values.contains { $0.start == scene.name }
  }

  /// An activity made from the scene.
  func activity(
    madeFrom scene: Scene, _ commands: [SceneCommand], in plan: TheaterPlan
  ) -> Activity {
    let amplifier = commands.last { $0.role.has(.input) }?.device
    return Activity(madeFrom: scene, player: player, role, amplifier: amplifier, in: plan)
  }
}

extension Activity {
  /// The activity of a scene that plays by itself.
  ///
  /// - Parameter amplifier: `nil` for the one at the cable of the player.
  init(
    madeFrom scene: Scene, player: DeviceID, _ role: Role, amplifier: DeviceID?,
    in plan: TheaterPlan
  ) {
    self.init(
      name: scene.name, label: scene.label, start: scene.name, end: "", player: player,
      amplifier: amplifier.map(plan.lastAmplifier) ?? plan.amplifier(of: player),
      category: role.category)
  }
}

extension TunerCommand {
  /// The station that the command selects; `nil` if it names none.
  fileprivate var station: String? {
    switch self {
    case .station(let name): name
    case .am(let kilohertz?): StationFrequency.am(kilohertz).description
    case .fm(let megahertz?): StationFrequency.fm(megahertz).description
    case .on, .off, .am(nil), .fm(nil), .frequency: nil
    }
  }
}

extension Catalogue {
  /// The item with this id, as the library describes it; with the id for a title if it does not have the item.
  func choice(of item: String) -> ItemChoice {
    if let entry = entry(id: item) { return ItemChoice(entry.item) }
    return ItemChoice(
      id: item, title: item.boundedLine(maximumBytes: 200),
      isAudiobook: CatalogueItem(id: item, title: item).isAudiobook)
  }
}

import Devices
import JSON
import Scenes

/// The player that a scene starts, with its item. Such a scene becomes the current activity.
struct ScenePlayback {
  let player: any Device
  /// The item, if a step names it.
  private(set) var item: ItemChoice?

  /// The player and item after these steps; `nil` if they play nothing.
  ///
  /// - Parameter current: The player of the current activity. A step that only resumes it does not
  ///   count.
  init?(of steps: [PlannedStep], current: DeviceID?, in catalogue: Catalogue) {
    var started: (player: any Device, item: String?)?
    func release(_ player: any Device) { if started?.player.id == player.id { started = nil } }
    for step in steps {
      let player = step.device
      if let command = TunerCommand(step.command) {
        switch command {
        case .off: release(player)
        case .on where player.id == current: break
        default: started = (player, command.station)
        }
        continue
      }
      switch ItemMove(step.command) {
      case .play(let item?)?: started = (player, item)
      case .play(nil)?
      where started == nil && player.id != current
        && step.command.spec.effect == .plays:
        started = (player, nil)
      case .release?: release(player)
      case .play?, .skip?, nil: break
      }
    }
    guard let started else { return nil }
    player = started.player
    item = started.item.map { catalogue.choice(of: $0) }
  }

  /// Whether the scene becomes the current activity. A scene that plays on another player and commands
  /// no amplifier runs beside the activity, such as a chime during a film.
  func becomesCurrent(
    _ scene: Scene, _ steps: [PlannedStep], replacing current: DeviceID?, in plan: TheaterPlan
  ) -> Bool {
    guard let current, current != player.id else { return true }
    return steps.contains { $0.device.role.has(.input) }
      || plan.activities.values.contains { $0.start == scene.name }
  }

  /// The activity that the scene begins on this player; `nil` for a scene that begins none.
  func activity(begunBy scene: Scene, in plan: TheaterPlan) -> Activity? {
    plan.activities.values.filter { $0.start == scene.name && $0.player == player.id }
      .min { $0.name < $1.name }
  }

  /// An activity made from the scene.
  func activity(madeFrom scene: Scene, _ steps: [PlannedStep], in plan: TheaterPlan) -> Activity {
    let amplifier =
      steps.last { $0.device.role.has(.input) }?.device.id
      ?? plan.cables.first { $0.from == player.id }?.to
    return Activity(
      name: scene.name, title: scene.title, start: scene.name, end: "", player: player.id,
      amplifier: amplifier, category: player.role.category)
  }
}

extension TunerCommand {
  /// The station that the command selects; `nil` for the last one.
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
  /// The item with this id, with its title and length if the library has it.
  func choice(of item: String) -> ItemChoice {
    let entry = entry(id: item)?.item
    return ItemChoice(
      id: item, title: entry?.title ?? item.boundedLine(maximumBytes: 200),
      duration: entry?.duration)
  }
}

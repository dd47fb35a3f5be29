import Devices
import JSON
import Scenes

// A scene that runs by itself and plays something counts as the current activity.
extension HomeTheaterFacade {
  /// The player that planned steps start, with its item.
  struct Played: Sendable {
    let player: any Device
    /// The item, if a step names it.
    var choice: Choice?
  }

  /// Returns the player and item after these steps; `nil` if they play nothing. Resuming the player
  /// of the current activity does not count.
  func played(by steps: [PlannedStep]) -> Played? {
    var played: Played?
    for step in steps {
      let player = step.device
      if player.role == .tuner {
        switch TunerCommand(step.command) {
        case .off?: if played?.player.id == player.id { played = nil }
        case .on? where player.id == stage.activity?.player: break
        case .some(let command): played = Played(player: player, choice: station(of: command))
        case nil: break
        }
        continue
      }
      switch DiscMove(step.command) {
      case .play(let item?)?: played = Played(player: player, choice: choice(of: item))
      case .play(nil)?
      where played == nil && player.id != stage.activity?.player
        && step.command.spec.name == DVDPlayerCommand.Name.play.rawValue:
        played = Played(player: player)
      case .release?: if played?.player.id == player.id { played = nil }
      case .play?, .skip?, nil: break
      }
    }
    return played
  }

  /// Whether a scene that plays becomes the current activity. A scene that plays on another player and
  /// commands no amplifier runs beside the activity, such as a chime during a film.
  func becomesCurrent(_ played: Played, by steps: [PlannedStep], of scene: Scene) -> Bool {
    guard let player = stage.activity?.player, player != played.player.id else { return true }
    return steps.contains { $0.device.role == .amplifier }
      || plan.activities.values.contains { $0.start == scene.name }
  }

  /// Passes if this user may run a scene that plays something.
  func checkPlaying(_ scene: Scene, by principal: Principal) throws(TheaterError) {
    guard principal.activities == nil else {
      throw TheaterError(
        .forbidden, "the scene \"\(scene.name)\" plays something, and is not among what you may do",
        hint: "Ask an owner of this theater.")
    }
  }

  /// Begins a scene that plays: the activity that it begins, or one made from it.
  func begin(
    _ scene: Scene, _ played: Played, _ steps: [PlannedStep], by principal: Principal
  ) async throws(TheaterError) -> Run {
    let activities = plan.activities.values.filter {
      $0.start == scene.name && $0.player == played.player.id
    }
    if let activity = activities.min(by: { $0.name < $1.name }) {
      try check(activity, by: principal)
      let parting = try partingSteps(for: steps)
      try checkRatings(of: parting + steps, by: principal)
      try await leaveStage(takeTurn())
      return try await take(
        stage: activity, played.choice, parting + steps, resumedAt: nil, by: principal
      ).run
    }
    let activity = Activity(
      name: scene.name, title: scene.title, start: scene.name, end: "", player: played.player.id,
      amplifier: amplifier(of: played.player.id, in: steps), category: played.player.role.category)
    try checkPlaying(scene, by: principal)
    try await leaveStage(takeTurn())
    return try await take(
      stage: activity, isScene: true, played.choice, steps, resumedAt: nil, by: principal
    ).run
  }

  /// Throws if a player other than that of the current activity may be heard. A user without limits
  /// has started it with its own commands or buttons, and others may not steer it.
  func checkOtherPlayers() throws(TheaterError) {
    // While an activity begins or ends, the previous player is still stopping.
    guard stage.report.status != .starting, stage.report.status != .ending else { return }
    let players = devices.values.filter {
      $0.role.category != nil && $0.id != stage.activity?.player && mayBeHeard($0.id)
    }
    guard let player = players.map(\.id).min() else { return }
    throw TheaterError(
      .forbidden, "\(player) plays what no activity has begun, and it is not for you to steer",
      hint: "Wait for its end, or ask who began it.", device: player)
  }

  /// Whether a player plays, and its amplifier may be listening to it.
  private func mayBeHeard(_ player: DeviceID) -> Bool {
    guard let playback = snapshots[player]?.state.playback,
      playback.isHeard || (playback.status == .paused && playback.item != nil)
    else { return false }
    let cables = plan.cables.filter { $0.from == player }
    return cables.isEmpty
      || cables.contains { cable in
        guard let amplifier = snapshots[cable.to]?.state else { return true }
        return amplifier.power != .off && amplifier.input ?? cable.input == cable.input
      }
  }

  private func choice(of item: String) -> Choice {
    let entry = catalogue.entry(id: item)?.item
    return Choice(
      id: item, title: entry?.title ?? item.boundedLine(maximumBytes: 200),
      duration: entry?.duration)
  }

  private func station(of command: TunerCommand) -> Choice? {
    switch command {
    case .station(let name): choice(of: name)
    case .am(let kilohertz?): choice(of: StationFrequency.am(kilohertz).description)
    case .fm(let megahertz?): choice(of: StationFrequency.fm(megahertz).description)
    case .on, .off, .am(nil), .fm(nil), .frequency: nil
    }
  }

  /// The amplifier that a scene speaks to, else the one that the player is wired to.
  private func amplifier(of player: DeviceID, in steps: [PlannedStep]) -> DeviceID? {
    steps.last { $0.device.role == .amplifier }?.device.id
      ?? plan.cables.first { $0.from == player }?.to
  }
}

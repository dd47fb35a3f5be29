import Devices
import JSON
import Scenes

extension HomeTheaterFacade {
  /// What a request began.
  package struct Begun: Sendable {
    package let run: Run
    /// The place, in seconds, from which a film or song goes on.
    package let resumedAt: Double?
  }

  /// The activity that plays this category: `.films` for watching a film.
  package nonisolated func activity(for category: Category) throws(TheaterError) -> String {
    let candidates = plan.activities.values.filter { $0.category == category }
    guard let activity = candidates.map(\.name).min() else {
      throw TheaterError(
        .notFound, "no activity plays \(category.rawValue)",
        hint: "Add one to \"activities\" in devices.json.")
    }
    return activity
  }

  /// Begins an activity, in place of the one that is on.
  ///
  /// - Parameters:
  ///   - item: The title or id of what to play; a station may be a frequency such as "98.5 FM".
  ///   - fromStart: Whether a saved position is passed over.
  ///   - principal: The requesting user, for whom the position is saved.
  /// - Returns: At once, with the run.
  package func begin(
    _ name: String, item: String?, fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> Begun {
    guard let activity = plan.activities[name] else {
      throw unknown("activity", name, plan.activities.keys)
    }
    guard let scene = plan.scenes[activity.start] else {
      throw unknown("scene", activity.start, plan.scenes.keys)
    }
    try check(activity, by: principal)
    let choice = try choose(item, for: scene, of: activity, by: principal)
    var steps = try planner.plan(scene, arguments: choice?.arguments ?? [:])
    let parting = try partingSteps(for: steps)
    try checkRatings(of: parting + steps, by: principal)
    let turn = takeTurn()
    var resumedAt: Double?
    if !fromStart, let id = choice?.id, let user = principal.user {
      resumedAt = await positions.position(item: id, user: user, duration: choice?.duration)
      if let seconds = resumedAt {
        steps = steps.map { $0.device.id == activity.player ? $0.resuming(at: seconds) : $0 }
      }
    }
    try await leaveStage(turn)
    return try await take(
      stage: activity, choice, parting + steps, resumedAt: resumedAt, by: principal)
  }

  /// Ends the activity that is on, by its end scene as far as this person may go.
  package func end(by principal: Principal) async throws(TheaterError) -> Run {
    try checkStage(by: principal)
    return try await endStage(by: principal)
  }

  private func endStage(by principal: Principal) async throws(TheaterError) -> Run {
    guard stage.activity != nil else {
      throw TheaterError(.notNow, "nothing is on", hint: "Begin with: theater watch TITLE")
    }
    let steps = try endSteps()
    let name = stage.endScenes.last ?? "stop"
    try checkRatings(of: steps, by: principal)
    let turn = takeTurn()
    try await leaveStage(turn)
    let softened = limited(steps, by: principal)
    return startEnding(softened, named: name, turn: turn, by: principal)
  }

  /// Turns everything off: what plays is stopped, and every device that has a switch is told.
  package func turnEverythingOff(by principal: Principal) async throws(TheaterError) -> Run {
    try checkStage(by: principal)
    let turn = takeTurn()
    try await leaveStage(turn)
    let order: [Role] = [
      .dvdPlayer, .cdPlayer, .tuner, .popcornPopper, .amplifier, .projector, .screen, .lights,
    ]
    var steps: [PlannedStep] = []
    for role in order {
      let name = role == .screen ? "up" : "off"
      guard let command = try? Command(name, argument: nil, role: role) else { continue }
      for device in devices.values.filter({ $0.role == role }).sorted(by: { $0.id < $1.id }) {
        steps.append(
          PlannedStep(
            device: device, command: command, until: .accepted, onFailure: .continue,
            always: true))
      }
    }
    return startEnding(steps, named: "off", turn: turn, by: principal)
  }

  // MARK: The stage

  /// Ends the activity when its player has reached the end, and its beginning is done.
  func endIfOver() async {
    guard let activity = stage.activity, let principal = stage.principal,
      activity.whenEnded == .end, stage.report.status == .running, stage.hasEnded
    else { return }
    do {
      // What an item's end brings about is not beyond who began it.
      _ = try await endStage(by: principal)
    } catch {
      log("the end of \"\(activity.name)\": \(error.message)")
    }
  }

  func takeTurn() -> Int {
    stage.turn += 1
    return stage.turn
  }

  private func check(_ turn: Int) throws(TheaterError) {
    guard turn == stage.turn else {
      throw TheaterError(.cancelled, "a newer request took its place")
    }
  }

  /// The end steps of what is on, without those of devices that are used again.
  func partingSteps(for next: [PlannedStep]) throws(TheaterError) -> [PlannedStep] {
    guard stage.activity != nil else { return [] }
    let kept = Set(next.map(\.device.id))
    return try endSteps().filter { !kept.contains($0.device.id) }.map(\.continuing)
  }

  /// The steps that end what is on: its end scenes, before them the stop of each player that a scene
  /// by itself plays on and no end scene tells anything.
  private func endSteps() throws(TheaterError) -> [PlannedStep] {
    var steps: [PlannedStep] = []
    for name in stage.endScenes {
      guard let scene = plan.scenes[name] else { throw unknown("scene", name, plan.scenes.keys) }
      steps += try planner.plan(scene, arguments: [:])
    }
    let told = Set(steps.map(\.device.id))
    let stops = stage.scenePlayers.filter { !told.contains($0) }.compactMap { id -> PlannedStep? in
      // A tuner has no "stop".
      guard let player = devices[id],
        let stop = ["stop", "off"].lazy.compactMap({
          try? Command($0, argument: nil, role: player.role)
        }).first
      else { return nil }
      return PlannedStep(
        device: player, command: stop, until: .settled, onFailure: .stop, always: true)
    }
    return stops + steps
  }

  /// Ends what is on its way, and saves where the item is.
  func leaveStage(_ turn: Int) async throws(TheaterError) {
    await stage.run?.cancel()
    try check(turn)
    await finishPositions()
    try check(turn)
  }

  private func finishPositions() async {
    stage.saving?.cancel()
    stage.saving = nil
    await positions.end()
  }

  /// Replaces the current activity with this one, and starts its run.
  ///
  /// - Parameter isScene: Whether it is a scene that plays by itself; the replaced activity ends
  ///   with it.
  func take(
    stage activity: Activity, isScene: Bool = false, _ choice: Choice?, _ steps: [PlannedStep],
    resumedAt: Double?, by principal: Principal
  ) async throws(TheaterError) -> Begun {
    let turn = stage.turn
    stage.activity = activity
    stage.isScene = isScene
    if isScene {
      if let player = activity.player, !stage.scenePlayers.contains(player) {
        stage.scenePlayers.append(player)
      }
    } else {
      stage.endScenes = [activity.end]
      stage.scenePlayers = []
    }
    stage.principal = principal
    if let player = activity.player {
      choose(on: player, by: principal)
      watches[player]?.found = nil
    }
    stage.isFollowing = false
    stage.followedAt = clock.now()
    stage.duration = choice?.duration
    stage.hasEnded = false
    stage.failure = nil
    stage.report = ActivityReport(
      activity: isScene ? nil : activity.name, scene: isScene ? activity.name : nil,
      title: activity.title, item: choice?.id, itemTitle: choice?.title, user: principal.user,
      player: activity.player, resumedAt: resumedAt)
    if let user = principal.user, let player = activity.player,
      devices[player]?.role.category != .stations
    {
      await positions.begin(item: choice?.id, user: user)
      try check(turn)
      stage.saving = Task { [positions] in await positions.run() }
    }
    let steps = limited(steps, by: principal)
    let run = start(steps, named: activity.start, status: .starting, by: principal) {
      (facade, run) in
      await facade.begun(run, turn: turn)
    }
    return Begun(run: run, resumedAt: resumedAt)
  }

  private func startEnding(
    _ steps: [PlannedStep], named scene: String, turn: Int, by principal: Principal
  ) -> Run {
    let choice = stage.activity?.player.flatMap { watches[$0]?.turn }
    return start(steps, named: scene, status: .ending, by: principal) { (facade, run) in
      await facade.ended(run, turn: turn, lastChoice: choice)
    }
  }

  private func start(
    _ steps: [PlannedStep], named scene: String, status: ActivityReport.Status,
    by principal: Principal,
    then: @escaping @Sendable (HomeTheaterFacade, Run) async -> Void
  ) -> Run {
    let run = Run(id: history.nextID(), scene: scene, steps: steps, events: events)
    history.add(run)
    stage.run = run
    stage.report.status = status
    stage.report.run = run.report.id
    stage.report.error = nil
    events.publish(.activity(stage.report))
    run.start { [runner] run in
      await runner.run(steps, as: run) { (step) throws(DeviceError) in
        try await self.perform(step, by: principal)
      }
      await then(self, run)
    }
    return run
  }

  private func begun(_ run: Run, turn: Int) async {
    guard turn == stage.turn else { return }
    let report = run.report
    stage.report.status = report.status == .done ? .running : .failed
    // What was told meanwhile stands unless this is worse.
    stage.report.error = report.error ?? stage.report.error
    events.publish(.activity(stage.report))
    if report.status == .done {
      // From here on the player's item counts, whether or not it was ever seen with the chosen one.
      stage.isFollowing = true
      await catchUp()
    }
    guard turn == stage.turn else { return }
    await endIfOver()
  }

  /// - Parameter choice: The last choice on the activity's player when its end began.
  private func ended(_ run: Run, turn: Int, lastChoice choice: Int?) {
    guard turn == stage.turn else { return }
    let report = run.report
    if report.status == .done {
      if let player = stage.activity?.player { forgetChoice(choice, on: player) }
      stage.activity = nil
      stage.principal = nil
      stage.isScene = false
      stage.endScenes = []
      stage.scenePlayers = []
      stage.report = ActivityReport(run: report.id)
    } else {
      stage.report.status = .failed
      stage.report.error = report.error
    }
    events.publish(.activity(stage.report))
  }

  /// What somebody is told who named something that is not there.
  package nonisolated func unknown(_ kind: String, _ name: String, _ known: some Sequence<String>)
    -> TheaterError
  {
    let near = nearest(to: name, in: known)
    return TheaterError(
      .notFound, "there is no \(kind) \"\(name.quotation)\"",
      hint: near.map { "Did you mean \"\($0)\"?" }
        ?? "There is: \(listed(known.sorted())).")
  }
}

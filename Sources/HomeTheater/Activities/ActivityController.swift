import Devices
import JSON
import Scenes

/// A started activity: its run, and the position from which its item is resumed.
package struct StartedActivity: Sendable {
  package let run: Run
  /// In seconds; `nil` if the item begins from its start.
  package let resumedAt: Double?
}

/// Begins, switches and ends the current activity.
///
/// The newest request wins: each one takes a turn, cancels the run of the one before, and gives up
/// with `cancelled` when a newer one has taken a turn meanwhile.
@TheaterActor
final class ActivityController {
  private(set) var session = ActivitySession()
  private var turn = 0
  private let directory: DeviceDirectory
  private let library: Library
  private let policy: AccessPolicy
  private let ageLimits: AgeLimitMonitor
  private let engine: SceneEngine
  private let playback: PlaybackMonitor
  private let events: EventLog
  private let log: @Sendable (String) -> Void

  nonisolated init(
    directory: DeviceDirectory, library: Library, policy: AccessPolicy,
    ageLimits: AgeLimitMonitor, engine: SceneEngine, playback: PlaybackMonitor, events: EventLog,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.directory = directory
    self.library = library
    self.policy = policy
    self.ageLimits = ageLimits
    self.engine = engine
    self.playback = playback
    self.events = events
    self.log = log
  }

  // MARK: Begin

  /// Begins an activity in place of the current one.
  ///
  /// - Parameters:
  ///   - text: The title or id of the item; a station may be a frequency such as "98.5 FM".
  ///   - fromStart: Whether a saved position is ignored.
  func begin(
    _ name: String, item text: String?, fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    let plan = directory.plan
    let activity = try plan.activity(named: name)
    let scene = try plan.scene(named: activity.start)
    let endScene = try plan.scene(named: activity.end)
    try policy.check(activity, during: session, by: principal)
    let item = try resolver(for: principal).choice(text, for: scene, of: activity)
    var steps = try engine.plan(scene, arguments: item?.arguments ?? [:])
    let endSteps = try endSteps(before: steps)
    try policy.checkRatings(of: endSteps + steps, by: principal)
    let turn = takeTurn()
    var resumedAt: Double?
    if !fromStart, let item, let user = principal.user {
      resumedAt = await playback.savedPosition(of: item, user: user)
      if let seconds = resumedAt {
        steps = steps.map { $0.device.id == activity.player ? $0.resuming(at: seconds) : $0 }
      }
    }
    try await leaveCurrent(turn)
    session.begin(activity, endingWith: endScene, item, resumedAt: resumedAt, by: principal)
    let run = startBeginning(activity, item, endSteps + steps, by: principal)
    return StartedActivity(run: run, resumedAt: resumedAt)
  }

  /// Runs a scene. A scene that plays something becomes the current activity, unless it only adds the
  /// sound of another player to it. Any other scene runs beside the activity.
  func runScene(
    _ name: String, arguments texts: [String: String], by principal: Principal
  ) async throws(TheaterError) -> Run {
    let plan = directory.plan
    let scene = try plan.scene(named: name)
    try policy.checkControl(of: session, by: principal)
    if session.activity != nil, session.endScenes.map(\.name) == [name] {
      return try await end(by: principal)
    }
    let arguments = try resolver(for: principal).arguments(texts, for: scene)
    let steps = try engine.plan(scene, arguments: arguments)
    try policy.checkRatings(of: steps, by: principal)
    let current = session.activity?.player
    guard let played = ScenePlayback(of: steps, current: current, in: library.catalogue) else {
      return engine.start(steps, named: scene.name, by: principal)
    }
    guard played.becomesCurrent(scene, steps, replacing: current, in: plan) else {
      try policy.checkPlaying(scene, by: principal)
      return engine.start(steps, named: scene.name, by: principal)
    }
    return try await begin(scene, played, steps, in: plan, by: principal)
  }

  /// Begins a scene that plays: the activity that it begins, or one made from it.
  private func begin(
    _ scene: Scene, _ played: ScenePlayback, _ steps: [PlannedStep], in plan: TheaterPlan,
    by principal: Principal
  ) async throws(TheaterError) -> Run {
    if let activity = played.activity(begunBy: scene, in: plan) {
      let endScene = try plan.scene(named: activity.end)
      try policy.check(activity, during: session, by: principal)
      let endSteps = try endSteps(before: steps)
      try policy.checkRatings(of: endSteps + steps, by: principal)
      try await leaveCurrent(takeTurn())
      session.begin(
        activity, endingWith: endScene, played.item, resumedAt: nil, by: principal)
      return startBeginning(activity, played.item, endSteps + steps, by: principal)
    }
    let activity = played.activity(madeFrom: scene, steps, in: plan)
    try policy.checkPlaying(scene, by: principal)
    try await leaveCurrent(takeTurn())
    session.begin(scene: activity, played.item, by: principal)
    return startBeginning(activity, played.item, steps, by: principal)
  }

  private func resolver(for principal: Principal) -> ArgumentResolver {
    ArgumentResolver(catalogue: library.catalogue, ageLimit: principal.ageLimit)
  }

  /// Starts the run that begins the session's activity.
  private func startBeginning(
    _ activity: Activity, _ item: ItemChoice?, _ steps: [PlannedStep], by principal: Principal
  ) -> Run {
    if let player = activity.player {
      ageLimits.choose(on: player, by: principal)
      ageLimits.forgetStop(on: player)
    }
    // A station has no position.
    let hasPositions = activity.player.flatMap { directory[$0] }.map {
      $0.role.category != .stations
    }
    playback.begin(item, savingFor: hasPositions == true ? principal.user : nil)
    let turn = turn
    return start(steps, named: activity.start, status: .starting, by: principal) {
      (controller, run) in
      await controller.finishBeginning(run, turn: turn)
    }
  }

  private func finishBeginning(_ run: Run, turn: Int) async {
    guard turn == self.turn else { return }
    session.finishRun(run.report, status: .running)
    publish()
    if run.report.status == .done {
      playback.confirm()
      await update()
    }
    guard turn == self.turn else { return }
    await endIfOver()
  }

  // MARK: End

  /// Ends the current activity with its end scene, within the principal's limits.
  func end(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.checkControl(of: session, by: principal)
    return try await endCurrent(by: principal)
  }

  /// Stops every player and turns off every device.
  func turnEverythingOff(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.checkControl(of: session, by: principal)
    let turn = takeTurn()
    try await leaveCurrent(turn)
    var steps: [PlannedStep] = []
    for role in Role.inOffOrder {
      guard let command = role.off else { continue }
      steps += directory.devices(of: role).map { device in
        PlannedStep(
          device: device, command: command, until: .accepted, onFailure: .continue, always: true)
      }
    }
    return startEnding(steps, named: "off", turn: turn, by: principal)
  }

  private func endCurrent(by principal: Principal) async throws(TheaterError) -> Run {
    guard session.activity != nil else {
      throw TheaterError(.notNow, "nothing is on", hint: "Begin with: theater watch TITLE")
    }
    let steps = try endSteps()
    try policy.checkRatings(of: steps, by: principal)
    let name = session.endScenes.last?.name ?? "stop"
    let turn = takeTurn()
    try await leaveCurrent(turn)
    return startEnding(steps, named: name, turn: turn, by: principal)
  }

  /// Ends the activity if its player has reached the end and its beginning is done.
  private func endIfOver() async {
    guard let activity = session.activity, let principal = session.principal,
      activity.whenEnded == .end, session.report.status == .running, playback.hasEnded
    else { return }
    do {
      // The user who began the activity may end it, whatever has begun on other players since.
      _ = try await endCurrent(by: principal)
    } catch {
      log("the end of \"\(activity.name)\": \(error.message)")
    }
  }

  /// The end steps of the current activity, without those for devices that `next` uses again.
  private func endSteps(before next: [PlannedStep]) throws(TheaterError) -> [PlannedStep] {
    guard session.activity != nil else { return [] }
    let kept = Set(next.map(\.device.id))
    return try endSteps().filter { !kept.contains($0.device.id) }.map(\.continuing)
  }

  /// The steps of the current activity's end scenes. Before them, each player of a scene that played
  /// by itself is stopped, unless an end scene commands it.
  private func endSteps() throws(TheaterError) -> [PlannedStep] {
    var steps: [PlannedStep] = []
    for var scene in session.endScenes {
      // The configuration may have lost a device since the activity began.
      scene.steps.removeAll { directory[$0.device] == nil }
      steps += try engine.plan(scene, arguments: [:])
    }
    let commanded = Set(steps.map(\.device.id))
    let stops = session.scenePlayers.filter { !commanded.contains($0) }.compactMap { id in
      directory[id].flatMap { player in
        (player.role.stop ?? player.role.off).map { PlannedStep.stop(player, $0) }
      }
    }
    return stops + steps
  }

  private func startEnding(
    _ steps: [PlannedStep], named scene: String, turn: Int, by principal: Principal
  ) -> Run {
    let choice = session.activity?.player.flatMap { ageLimits.choiceNumber(on: $0) }
    return start(steps, named: scene, status: .ending, by: principal) { (controller, run) in
      await controller.finishEnding(run, turn: turn, lastChoice: choice)
    }
  }

  /// - Parameter choice: The number of the newest choice on the player when the end began.
  private func finishEnding(_ run: Run, turn: Int, lastChoice choice: Int?) {
    guard turn == self.turn else { return }
    if run.report.status == .done {
      if let player = session.activity?.player { ageLimits.forgetChoice(choice, on: player) }
      session.end(run: run.report)
    } else {
      session.finishRun(run.report, status: .failed)
    }
    publish()
  }

  // MARK: Turns

  private func takeTurn() -> Int {
    turn += 1
    return turn
  }

  private func check(_ turn: Int) throws(TheaterError) {
    guard turn == self.turn else {
      throw TheaterError(.cancelled, "a newer request replaced this one")
    }
  }

  /// Cancels the run that is under way and saves the position of the current item.
  private func leaveCurrent(_ turn: Int) async throws(TheaterError) {
    await session.run?.cancel()
    try check(turn)
    await playback.end()
    try check(turn)
  }

  private func start(
    _ steps: [PlannedStep], named scene: String, status: ActivityReport.Status,
    by principal: Principal,
    then completion: @escaping @Sendable (ActivityController, Run) async -> Void
  ) -> Run {
    let run = engine.start(steps, named: scene, by: principal) { run in
      await completion(self, run)
    }
    session.setRun(run, status: status)
    publish()
    return run
  }

  /// Saves the position and cancels the run that is under way.
  func shutDown() async {
    await session.run?.cancel()
    await playback.end()
  }

  // MARK: The configuration

  /// Takes the definitions of a new plan. The current activity goes on; if its player is gone, it
  /// reports that until it is ended or the player is back.
  func apply(_ plan: TheaterPlan) async {
    let before = session.report
    session.apply(plan)
    let lost = session.activity?.player.flatMap { directory[$0] == nil ? $0 : nil }
    if let lost {
      session.setError(
        TheaterError(
          .deviceFailed, "the player \"\(lost)\" is not configured any more",
          hint: "End the activity, or add the device to devices.json again.", device: lost),
        .player)
    }
    if session.report != before { publish() }
    if lost != nil { await playback.hold() }
  }

  // MARK: The player

  /// Updates the activity's item, error and end from a report of its player.
  func observe(_ snapshot: DeviceSnapshot, of player: any Device) async {
    guard player.id == session.activity?.player,
      let reading = snapshot.state.readings[.playback]
    else { return }
    guard var reported = snapshot.state.playback else { return await playback.hold() }
    reported.item = snapshot.state.currentItem(of: player.role)
    guard session.report.status != .ending, playback.accept(reported, at: reading.time) else {
      return
    }
    let turn = turn
    let before = session.report
    if let item = reported.item, item != before.item {
      let choice = library.catalogue.choice(of: item)
      session.setItem(choice.id, title: choice.title)
      playback.setDuration(choice.duration)
    }
    switch reported.status {
    case .failed:
      session.setError(
        TheaterError(
          .deviceFailed, reported.reason ?? "it stopped playing",
          hint: "Choose something else, or look at: theater plugins", device: player.id), .player)
    case .playing: session.clearError(.player)
    case .stopped, .opening, .paused, .ended: break
    }
    if session.report != before { publish() }
    await playback.savePosition(of: reported, at: reading.time)
    guard turn == self.turn else { return }
    await endIfOver()
  }

  /// Updates the activity from the newest report of its player, which may not have arrived yet.
  func update() async {
    guard let id = session.activity?.player, let player = directory[id] else { return }
    await observe(await player.snapshot(), of: player)
  }

  /// Reports an error of the activity's player. Errors of other players are ignored.
  func setError(_ error: TheaterError, _ source: ActivitySession.ErrorSource) {
    guard error.device == session.activity?.player else { return }
    session.setError(error, source)
    publish()
  }

  /// Clears an error of the activity's player.
  func clearError(_ source: ActivitySession.ErrorSource, of player: DeviceID) {
    guard player == session.report.error?.device else { return }
    session.clearError(source)
    publish()
  }

  private func publish() { events.publish(.activity(session.report)) }
}

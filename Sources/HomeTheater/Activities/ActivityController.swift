import Devices
import JSON
import Platform
import Scenes

/// A started activity: its run, and the position from which its item is resumed.
package struct StartedActivity: Sendable {
  /// The run of the start scene.
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
  /// The number of requests of people that have come, whether or not they have taken a turn.
  private var requestCount = 0
  /// The number of the newest request of a person that has taken a turn.
  private var newestRequest = 0
  /// The turn of the newest request that has come to its run. A newer one is on its way to its own.
  private var startedTurn = 0
  /// The devices that may still carry out a command of an earlier run.
  private var uncertainDevices = UncertainDevices()
  private let directory: DeviceDirectory
  private let library: Library
  private let policy: AccessPolicy
  private let ageLimits: AgeLimitMonitor
  private let engine: SceneEngine
  private let playback: PlaybackMonitor
  private let losses: LossTimers
  /// Whether the current player goes on.
  private var condition = PlayerCondition()
  private let clock: any TheaterClock
  private let events: EventLog
  private let log: @Sendable (String) -> Void

  nonisolated init(
    directory: DeviceDirectory, library: Library, policy: AccessPolicy,
    ageLimits: AgeLimitMonitor, engine: SceneEngine, playback: PlaybackMonitor,
    losses: LossTimers, clock: any TheaterClock, events: EventLog,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.directory = directory
    self.library = library
    self.policy = policy
    self.ageLimits = ageLimits
    self.engine = engine
    self.playback = playback
    self.losses = losses
    self.clock = clock
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
    try policy.check(activity, during: session, by: principal)
    let request = nextRequest()
    for category in scene.parameters.values.compactMap(\.category) {
      try await waitForCatalogues(of: category, naming: text, for: request, by: principal)
    }
    return try await beginActivity(
      name, item: text, fromStart: fromStart, by: principal, request: request)
  }

  /// Begins the activity that plays an item of a category, in place of the current one.
  ///
  /// - Parameters: As for an activity that is named.
  func begin(
    _ category: Category, item text: String?, fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    let request = nextRequest()
    try await waitForCatalogues(of: category, naming: text, for: request, by: principal)
    let name = try activity(for: category, playing: text, by: principal)
    return try await beginActivity(
      name, item: text, fromStart: fromStart, by: principal, request: request)
  }

  private func beginActivity(
    _ name: String, item text: String?, fromStart: Bool, by principal: Principal, request: Int
  ) async throws(TheaterError) -> StartedActivity {
    let plan = directory.plan
    let activity = try plan.activity(named: name)
    let scene = try plan.scene(named: activity.start)
    let endScene = try plan.scene(named: activity.end)
    try policy.check(activity, during: session, by: principal)
    let item = try resolver(for: principal).choice(text, for: scene, of: activity)
    let arguments = item?.arguments ?? [:]
    let whole = try replacingCurrent(by: scene, arguments, for: principal)
    // Before the saved position is read: this saves that of the current item, which may be chosen again.
    let turn = try await beginTurn(request)
    var resumedAt: Double?
    if !fromStart, let item, let user = principal.user,
      let category = activity.player.flatMap({ directory[$0]?.role.category })
    {
      resumedAt = await playback.savedPosition(of: item, category, user: user)
    }
    var limits = planPolicy(for: principal)
    if let player = activity.player { limits.resumePositions[player] = resumedAt }
    let scenePlan = try await planNext(whole, arguments, limits, turn: turn)
    session.begin(activity, endingWith: endScene, item, resumedAt: resumedAt, by: principal)
    let run = startBeginning(activity, item, scenePlan, by: principal)
    return StartedActivity(run: run, resumedAt: resumedAt)
  }

  /// Returns the name of the activity that plays an item of a category; without an item, the current activity if it
  /// is of this category. If none can play it, the error of ``begin(_:item:fromStart:by:)`` says why.
  func activity(
    for category: Category, playing item: String?, by principal: Principal
  ) throws(TheaterError) -> String {
    let plan = directory.plan
    let all = plan.orderedActivities.filter { $0.category == category }
    guard let first = all.first else {
      throw TheaterError(
        .notFound, "no activity plays \(category.rawValue)",
        hint: "Add one to \"activities\" in devices.json.")
    }
    let permitted = all.filter(principal.mayBegin)
    let resolver = resolver(for: principal)
    let isItemGiven = item?.isEmpty == false
    let able = permitted.filter { activity in
      guard let scene = plan.scenes[activity.start] else { return false }
      do {
        return try resolver.choice(item, for: scene, of: activity) != nil || !isItemGiven
      } catch {
        return false
      }
    }
    // Without an item the user means the player that is on, even if its activity needs an item.
    let candidates = isItemGiven ? able : permitted
    let current = session.activity.flatMap { activity in
      candidates.first { $0.name == activity.name }
        ?? candidates.first {
          activity.category == category && $0.player != nil && $0.player == activity.player
        }
    }
    return (current ?? able.first ?? permitted.first ?? first).name
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
    let request = nextRequest()
    try policy.checkArguments(of: scene, by: principal)
    try await waitForCatalogues(naming: texts, of: scene, for: request, by: principal)
    let arguments = try resolver(for: principal).arguments(texts, for: scene)
    let commands = try engine.commands(of: scene, arguments: arguments)
    try policy.checkRatings(of: commands, during: session, by: principal)
    let current = session.activity?.player
    if let played = ScenePlayback(of: commands, current: current, in: library.catalogue) {
      if played.becomesCurrent(scene, commands, replacing: current, in: plan) {
        return try await begin(
          scene, arguments, played, commands, in: plan, by: principal, request: request)
      }
      try policy.checkPlaying(scene, by: principal)
    }
    let scenePlan = try await engine.plan(
      scene, arguments: arguments, policy: planPolicy(for: principal))
    try engine.checkRunLimit()
    return engine.start(scenePlan, by: principal) { run in
      // It may have begun before another run that left a device uncertain, so it makes none certain.
      guard run.report.status != .done else { return }
      await self.recordUnconfirmedCommands(of: run.report, turn: self.turn)
    }
  }

  /// Plans a run of a scene without carrying it out: a dry run.
  ///
  /// - Throws: The errors of `runScene` for missing things and unfit arguments.
  func planScene(
    _ name: String, arguments texts: [String: String], by principal: Principal
  ) async throws(TheaterError) -> ScenePlan {
    let plan = directory.plan
    var scene = try plan.scene(named: name)
    try policy.checkControl(of: session, by: principal)
    try policy.checkArguments(of: scene, by: principal)
    try await waitForCatalogues(naming: texts, of: scene, for: nil, by: principal)
    let arguments = try resolver(for: principal).arguments(texts, for: scene)
    let commands = try engine.commands(of: scene, arguments: arguments)
    try policy.checkRatings(of: commands, during: session, by: principal)
    let current = session.activity?.player
    if session.activity != nil, session.endScenes.map(\.name) == [name] {
      scene.steps = endSteps()
    } else if let played = ScenePlayback(of: commands, current: current, in: library.catalogue),
      played.becomesCurrent(scene, commands, replacing: current, in: plan),
      played.activity(begunBy: scene, in: plan) != nil
    {
      scene = try replacingCurrent(by: scene, arguments, for: principal)
    }
    return try await engine.plan(
      scene, arguments: arguments, policy: planPolicy(for: principal))
  }

  /// A scene together with the end of the activity that it replaces, checked for the principal.
  private func replacingCurrent(
    by scene: Scene, _ arguments: [String: SceneArgument], for principal: Principal
  ) throws(TheaterError) -> Scene {
    let commands = try engine.commands(of: scene, arguments: arguments)
    let ending = Scene(name: scene.name, steps: endSteps(before: scene.steps))
    try policy.checkRatings(
      of: try engine.commands(of: ending) + commands, during: session, by: principal)
    var whole = scene
    whole.steps = ending.steps + scene.steps
    return whole
  }

  /// Begins a scene that plays: the activity that it begins, or one made from it.
  private func begin(
    _ scene: Scene, _ arguments: [String: SceneArgument], _ played: ScenePlayback,
    _ commands: [PlannedCommand], in plan: TheaterPlan, by principal: Principal, request: Int
  ) async throws(TheaterError) -> Run {
    if let activity = played.activity(begunBy: scene, in: plan) {
      let endScene = try plan.scene(named: activity.end)
      try policy.check(activity, during: session, by: principal)
      let whole = try replacingCurrent(by: scene, arguments, for: principal)
      let turn = try await beginTurn(request)
      let scenePlan = try await planNext(
        whole, arguments, planPolicy(for: principal), turn: turn)
      session.begin(
        activity, endingWith: endScene, played.item, resumedAt: nil, by: principal)
      return startBeginning(activity, played.item, scenePlan, by: principal)
    }
    let activity = played.activity(madeFrom: scene, commands, in: plan)
    try policy.checkPlaying(scene, by: principal)
    let turn = try await beginTurn(request)
    let scenePlan = try await planNext(scene, arguments, planPolicy(for: principal), turn: turn)
    session.begin(scene: activity, played.item, by: principal)
    return startBeginning(activity, played.item, scenePlan, by: principal)
  }

  private func resolver(for principal: Principal) -> ArgumentResolver {
    ArgumentResolver(
      catalogue: library.catalogue, ageLimit: principal.ageLimit,
      knownItems: principal.ageLimit == nil ? [] : policy.knownItems(during: session),
      unreadPlayers: Dictionary(
        uniqueKeysWithValues: Category.allCases.compactMap { category in
          library.unreadPlayers(of: category).first.map { (category, $0) }
        }))
  }

  // MARK: Players that have only just started

  /// The number of a request of a person, which may have to wait before it takes its turn.
  private func nextRequest() -> Int {
    requestCount += 1
    return requestCount
  }

  /// Waits until players that have only just started have listed their items, unless `text` names an item already.
  ///
  /// - Parameter request: The number of the request; `nil` for a dry run.
  /// - Throws: `cancelled` if a newer request has taken a turn meanwhile.
  private func waitForCatalogues(
    of category: Category, naming text: String?, for request: Int?, by principal: Principal
  ) async throws(TheaterError) {
    guard let text, !text.isEmpty, !library.unreadPlayers(of: category).isEmpty,
      !resolver(for: principal).isExact(text, in: category)
    else { return }
    await library.waitForCatalogues(of: category)
    if let request, request < newestRequest { throw .replaced }
  }

  private func waitForCatalogues(
    naming texts: [String: String], of scene: Scene, for request: Int?, by principal: Principal
  ) async throws(TheaterError) {
    for (name, text) in texts {
      guard let category = scene.parameters[name]?.category else { continue }
      try await waitForCatalogues(of: category, naming: text, for: request, by: principal)
    }
  }

  /// Starts the run that begins the session's activity.
  private func startBeginning(
    _ activity: Activity, _ item: ItemChoice?, _ scenePlan: ScenePlan, by principal: Principal
  ) -> Run {
    if let player = activity.player {
      ageLimits.recordChoice(on: player, by: principal)
      ageLimits.clearStop(on: player)
    }
    let category = activity.player.flatMap { directory[$0]?.role.category }
    // A station has no position.
    let hasPositions = category != nil && category != .stations
    playback.begin(
      item, of: category ?? .films, resumedAt: session.report.resumedAt,
      savingFor: hasPositions ? principal.user : nil)
    condition = PlayerCondition(since: clock.now())
    let turn = turn
    return start(scenePlan, status: .starting, by: principal) { (controller, run) in
      await controller.finishBeginning(run, turn: turn)
    }
  }

  private func finishBeginning(_ run: Run, turn: Int) async {
    guard turn == self.turn else { return }
    await recordUncertainDevices(after: run.report, turn: turn)
    guard turn == self.turn else { return }
    session.finishRun(run.report, status: .running)
    publish()
    switch run.report.status {
    case .done:
      playback.confirm()
      await update()
    case .failed: condition.failScene(at: clock.now())
    // A person uses the devices in another way.
    case .running, .cancelled: condition.stop(at: clock.now())
    }
    guard turn == self.turn else { return }
    updateLosses()
    await endIfOver()
  }

  /// Returns the saved positions of a user in seconds, the one that was saved last first.
  func savedPositions(of user: String) async -> [(item: UTF8Key, seconds: Double)] {
    await playback.savedPositions(of: user)
  }

  // MARK: End

  /// Ends the current activity with its end scene, within the principal's limits.
  func end(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.checkControl(of: session, by: principal)
    return try await endCurrent(by: principal, request: nextRequest())
  }

  /// Cancels every run, also those of scenes beside the activity, stops every player and turns off every
  /// device.
  func turnEverythingOff(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.checkControl(of: session, by: principal)
    let turn = try await beginTurn(nextRequest())
    await engine.cancelAll()
    try requireCurrent(turn)
    var steps: [Step] = []
    for role in Role.inOffOrder {
      guard let command = role.off else { continue }
      steps += directory.devices(of: role).map { device in
        .command(
          CommandStep(
            device: device.id, command: .fixed(command), until: .accepted, onFailure: .continue,
            always: true))
      }
    }
    return try await startEnding(Scene(name: "off", steps: steps), turn: turn, by: principal)
  }

  /// - Parameters:
  ///   - pastFailures: Whether the end goes on with the next step where one fails.
  ///   - request: The number of the request of a person; `nil` for an end by itself.
  private func endCurrent(
    by principal: Principal, pastFailures: Bool = false, request: Int? = nil
  ) async throws(TheaterError) -> Run {
    guard session.activity != nil else {
      throw TheaterError(.notNow, "nothing is on", hint: "Start a film, a song or a station first.")
    }
    try policy.checkRatings(
      of: try engine.commands(of: endScene()), during: session, by: principal)
    let turn = try await beginTurn(request)
    // Computed again, because the configuration may have lost a device meanwhile.
    var scene = endScene()
    if pastFailures { scene.steps = scene.steps.continuingPastFailures }
    return try await startEnding(scene, turn: turn, by: principal)
  }

  /// Ends the activity if its player has reached the end and its beginning is done, unless a request is on
  /// its way to replace it.
  private func endIfOver() async {
    guard turn == startedTurn, let activity = session.activity, let principal = session.principal,
      activity.whenEnded == .end, session.report.status == .running, playback.hasEnded
    else { return }
    do {
      // The user who began the activity may end it, even if other players have started since.
      _ = try await endCurrent(by: principal)
    } catch {
      log("the end of \"\(activity.name)\": \(error.message)")
    }
  }

  /// The end steps of the current activity, without those for devices that `next` uses again; none if no
  /// command is left.
  private func endSteps(before next: [Step]) -> [Step] {
    guard session.activity != nil else { return [] }
    let kept = next.devices
    let steps = endSteps().mapCommands { kept.contains($0.device) ? nil : $0 }
    return steps.commandSteps.isEmpty ? [] : steps.continuingPastFailures
  }

  /// The end of the current activity as a scene.
  private func endScene() -> Scene {
    Scene(name: session.endScenes.last?.name ?? "stop", steps: endSteps())
  }

  /// The steps of the current activity's end scenes. Before them, each player of a scene that played
  /// by itself is stopped, unless an end scene commands it.
  private func endSteps() -> [Step] {
    // The configuration may have lost a device since the activity began.
    let steps = session.endScenes.flatMap(\.steps).mapCommands {
      directory[$0.device] == nil ? nil : $0
    }
    let commanded = steps.devices
    let stops = session.scenePlayers.filter { !commanded.contains($0) }.compactMap { id in
      directory[id].flatMap { player in
        (player.role.stop ?? player.role.off).map {
          Step.command(CommandStep(device: id, command: .fixed($0), always: true))
        }
      }
    }
    return stops + steps
  }

  private func startEnding(
    _ scene: Scene, turn: Int, by principal: Principal
  ) async throws(TheaterError) -> Run {
    let scenePlan = try await planNext(scene, [:], planPolicy(for: principal), turn: turn)
    let choice = session.activity?.player.flatMap { ageLimits.choiceNumber(on: $0) }
    return start(scenePlan, status: .ending, by: principal) { (controller, run) in
      await controller.finishEnding(run, turn: turn, lastChoice: choice)
    }
  }

  /// - Parameter choice: The number of the newest choice on the player when the end began.
  private func finishEnding(_ run: Run, turn: Int, lastChoice choice: Int?) async {
    guard turn == self.turn else { return }
    await recordUncertainDevices(after: run.report, turn: turn)
    guard turn == self.turn else { return }
    if run.report.status == .done || session.activity == nil {
      if let player = session.activity?.player { ageLimits.forgetChoice(choice, on: player) }
      session.end(run: run.report)
      publish()
    } else {
      session.finishRun(run.report, status: .failed)
      publish()
      if run.report.status == .failed { condition.failScene(at: clock.now()) }
      await followAgain()
    }
  }

  /// Cancels one of the newest runs, and waits until it has stopped. The activity that it begins or
  /// ends has failed then.
  ///
  /// - Throws: `forbidden` unless the principal may end the activity, or run scenes if the run is
  ///   beside the activity.
  func cancelRun(id: String, by principal: Principal) async throws(TheaterError) -> RunReport {
    let run = try engine.run(id: id)
    if run !== session.run { try policy.require(.operate, of: principal) }
    try policy.checkControl(of: session, by: principal)
    await run.cancel()
    return run.report
  }

  // MARK: Turns

  private func requireCurrent(_ turn: Int) throws(TheaterError) {
    guard turn == self.turn else { throw .replaced }
  }

  /// Takes a turn, cancels the run that is under way and saves the position of the current item.
  ///
  /// - Parameter request: The number of the request of a person; `nil` for an end by itself.
  /// - Returns: The turn.
  /// - Throws: `cancelled` if a newer request has taken a turn meanwhile.
  private func beginTurn(_ request: Int?) async throws(TheaterError) -> Int {
    newestRequest = max(newestRequest, request ?? 0)
    turn += 1
    let turn = turn
    await session.run?.cancel()
    try requireCurrent(turn)
    if let report = session.run?.report {
      await recordUnconfirmedCommands(of: report, turn: turn - 1)
    }
    try requireCurrent(turn)
    await playback.end()
    try requireCurrent(turn)
    return turn
  }

  /// Records, after the run of a turn, which devices are uncertain and which are not any more.
  private func recordUncertainDevices(after report: RunReport, turn: Int) async {
    uncertainDevices.remove(after: report, turn: turn)
    if report.status != .done { await recordUnconfirmedCommands(of: report, turn: turn) }
  }

  /// Records the devices that may still carry out a command of a run that has ended.
  private func recordUnconfirmedCommands(of report: RunReport, turn: Int) async {
    for planned in report.unconfirmedCommands {
      let state = await directory[planned.device]?.snapshot().state
      uncertainDevices.insert(after: planned, seeing: state, turn: turn)
    }
  }

  /// The volume limit of a run for the principal, and the devices that are uncertain.
  private func planPolicy(for principal: Principal) -> PlanPolicy {
    PlanPolicy(volumeLimit: principal.volumeLimit, uncertainDevices: uncertainDevices.ids)
  }

  /// Plans the run of a request that has left the current activity. If there is no plan, the activity goes
  /// on, or has failed if its own run was cancelled.
  private func planNext(
    _ scene: Scene, _ arguments: [String: SceneArgument], _ limits: PlanPolicy, turn: Int
  ) async throws(TheaterError) -> ScenePlan {
    do {
      let scenePlan = try await engine.plan(scene, arguments: arguments, policy: limits)
      try requireCurrent(turn)
      return scenePlan
    } catch {
      guard turn == self.turn else { throw error }
      startedTurn = turn
      session.resume(after: error)
      publish()
      await followAgain()
      throw error
    }
  }

  /// Follows the player and times missing devices again after `beginTurn`, because the activity may go on.
  private func followAgain() async {
    playback.resume()
    await update()
    updateLosses()
  }

  private func start(
    _ scenePlan: ScenePlan, status: ActivityReport.Status, by principal: Principal,
    then completion: @escaping @Sendable (ActivityController, Run) async -> Void
  ) -> Run {
    let run = engine.start(scenePlan, by: principal) { run in await completion(self, run) }
    startedTurn = turn
    session.setRun(run, status: status)
    losses.cancelAll()
    publish()
    return run
  }

  /// Saves the position, and cancels all runs and the requests that are on their way to one.
  func shutDown() async {
    turn += 1
    losses.cancelAll()
    await engine.cancelAll()
    await playback.shutDown()
  }

  // MARK: The configuration

  /// Takes the definitions of a new plan. The current activity goes on; if its player is gone, it
  /// reports that until it is ended or the player is back.
  func apply(_ plan: TheaterPlan) async {
    let before = session.report
    session.apply(plan)
    let lost = session.activity?.player.flatMap { directory[$0] == nil ? $0 : nil }
    session.clearError(.configuration)
    if let lost {
      session.setError(
        TheaterError(
          .deviceFailed, "the player \"\(lost)\" is not configured any more",
          hint: "End the activity, or add the device to devices.json again.", device: lost),
        .configuration)
    }
    if session.report != before { publish() }
    if lost != nil { await playback.freezePosition() }
    updateLosses()
  }

  // MARK: The player

  /// Updates the activity's item, error and end from a report of its player.
  func observe(_ snapshot: DeviceSnapshot, of player: any Device) async {
    guard player.id == session.activity?.player,
      let reading = snapshot.state.readings[.playback]
    else { return }
    guard var reported = snapshot.state.playback else { return await playback.freezePosition() }
    reported.item = snapshot.state.currentItem(of: player.role)
    guard session.report.status != .ending, playback.accept(reported, at: reading.time) else {
      return
    }
    let before = session.report
    if let item = reported.item, item != before.item {
      let choice = library.catalogue.choice(of: item)
      session.setItem(choice)
      playback.setItem(choice)
    }
    condition.update(snapshot, at: clock.now())
    if condition.stuckSince == nil {
      session.clearFailure()
    } else if reported.status == .failed {
      session.setFailure(
        failure(reported.reason, of: player.id), retryingAt: playback.position)
    }
    if session.report != before { publish() }
    await playback.savePosition(of: reported, at: reading.time)
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

  /// The error of a player that does not play its item any more.
  private func failure(_ reason: String?, of player: DeviceID) -> TheaterError {
    var hint = "\"resume\" tries it again at \(playback.position.positionText)."
    if let activity = session.activity, case .end(let time) = activity.whenFailed {
      hint += " If nothing plays, \"\(activity.name)\" ends in \(time.words)."
    }
    return TheaterError(.deviceFailed, reason ?? "it stopped playing", hint: hint, device: player)
  }

  // MARK: Another try

  /// Returns the command that tries the current item again on its player, at the position at which that failed;
  /// `nil` if the player is not the current one, or goes on with the item by itself.
  func retryCommand(on player: any Device) async -> Command? {
    guard player.id == session.activity?.player, condition.stuckSince != nil,
      session.report.status == .running || session.report.status == .failed
    else { return nil }
    let status = await player.snapshot().state.playback?.status
    guard let item = session.report.item, status != .opening, status != .playing,
      status != .paused
    else { return nil }
    return player.role.playCommand(item, at: playback.position)
  }

  /// Gives a stuck player its whole time again, because a person tries the item again.
  func recordRetry(on player: DeviceID) {
    guard player == session.activity?.player else { return }
    condition.restart(at: clock.now())
    updateLosses()
  }

  /// Records that a person has stopped a player, so that the activity waits for nothing any more.
  func recordStop(of player: DeviceID) {
    guard player == session.activity?.player, [.running, .failed].contains(session.report.status)
    else { return }
    condition.stop(at: clock.now())
    let before = session.report
    session.clearFailure()
    if session.report != before { publish() }
    updateLosses()
  }

  // MARK: Losses

  /// Times how long the devices that the activity needs are missing, and how long its player does not go on. Called
  /// when a device is lost or comes back, and at each report of a player.
  func updateLosses() {
    losses.update(currentLosses()) { await self.endAfterLoss($0) }
  }

  /// The losses of the activity; none while it begins or ends.
  private func currentLosses() -> Set<Loss> {
    guard let activity = session.activity, [.running, .failed].contains(session.report.status)
    else { return [] }
    var losses = Set(
      activity.endsWithout.filter { id in
        guard directory[id] != nil, let snapshot = directory.snapshot(of: id) else { return true }
        return !snapshot.isReachable
      }.map { Loss.missing($0) })
    if let player = activity.player {
      condition.update(
        directory[player] == nil ? nil : directory.snapshot(of: player), at: clock.now())
      if let since = condition.stuckSince, case .end(let time) = activity.whenFailed {
        losses.insert(.stuck(player, until: since + time))
      }
    }
    return losses
  }

  /// Ends the activity because of a loss that has lasted for too long, unless a request is on its way to replace
  /// it. Other devices may be missing, too: no step that fails stops the end.
  private func endAfterLoss(_ loss: Loss) async {
    guard turn == startedTurn, let activity = session.activity, let principal = session.principal,
      currentLosses().contains(loss)
    else { return }
    let error = self.error(of: loss, in: activity)
    log("\(error.device?.name ?? activity.name): \(error.message)")
    do {
      _ = try await endCurrent(by: principal, pastFailures: true)
      session.setError(error, .loss)
      publish()
    } catch {
      log("the end of \"\(activity.name)\": \(error.message)")
    }
  }

  /// The reason why the activity ends.
  private func error(of loss: Loss, in activity: Activity) -> TheaterError {
    let end = "so \"\(activity.name)\" ended"
    switch loss {
    case .missing(let device):
      return TheaterError(
        .deviceFailed, "it was missing for \(LossTimers.patience.words), \(end)",
        hint: "See the state and the log of the device.", device: device)
    case .stuck(let player, _):
      var time = Duration.zero
      if case .end(let limit) = activity.whenFailed { time = limit }
      let failure = session.report.error?.message
      return TheaterError(
        .deviceFailed,
        "it did not play for \(time.words), \(end)\(failure.map { ": \($0)" } ?? "")",
        hint: "Start it again to go on where it stopped; the log of the device may say more.",
        device: player)
    }
  }

  private func publish() { events.publish(.activity(session.report)) }
}

extension TheaterError {
  /// The error of a request in place of which a newer one is carried out.
  fileprivate static var replaced: TheaterError {
    TheaterError(.cancelled, "a newer request replaced this one")
  }
}

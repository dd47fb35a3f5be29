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

/// Begins, switches and ends the activities of the rooms.
///
/// `HouseState` makes the decisions; the controller asks the library and the devices, and carries the
/// decisions out. The newest request of a room wins: each one takes a turn, cancels the run of the one
/// before, and gives up with `cancelled` when a newer one has taken a turn meanwhile.
@TheaterActor
final class ActivityController {
  let house: House
  let directory: DeviceDirectory
  private let library: Library
  private let policy: AccessPolicy
  private let ageLimits: AgeLimitMonitor
  private let engine: SceneEngine
  private let players: PlayerFollower
  private let losses: LossMonitor
  private let clock: any TheaterClock
  private let log: @Sendable (String) -> Void

  nonisolated init(
    house: House, directory: DeviceDirectory, library: Library, players: PlayerFollower,
    policy: AccessPolicy, ageLimits: AgeLimitMonitor, engine: SceneEngine,
    clock: any TheaterClock, log: @escaping @Sendable (String) -> Void
  ) {
    self.house = house
    self.directory = directory
    self.library = library
    self.policy = policy
    self.ageLimits = ageLimits
    self.engine = engine
    self.players = players
    losses = LossMonitor(house: house, directory: directory, clock: clock)
    self.clock = clock
    self.log = log
  }

  private var context: HouseContext {
    HouseContext(
      plan: directory.plan, roles: directory.devices.mapValues(\.role),
      catalogue: library.catalogue)
  }

  /// The room of requests that name none.
  var defaultRoom: RoomID { directory.plan.allRooms.first?.id ?? .standard }

  /// What is on in a room.
  func session(in room: RoomID) -> ActivitySession { house[room].session }

  // MARK: Begin

  /// Begins an activity in place of the one that is on in its room.
  ///
  /// - Parameters:
  ///   - text: The title or id of the item; a station may be a frequency such as "98.5 FM".
  ///   - category: The category that the user means; `nil` for that of the activity.
  ///   - room: The room of an activity that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether a saved position is ignored.
  /// - Throws: `invalid` for an item that the activity does not take; nothing has changed then.
  func begin(
    _ name: String, item text: String?, of category: Category?, in room: RoomID?,
    fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    let plan = directory.plan
    let activity = try plan.activity(named: name)
    let scene = try plan.scene(named: activity.start)
    let place = plan.room(of: activity) ?? room ?? defaultRoom
    try policy.check(activity, in: place, of: house.state, by: principal)
    if text?.isEmpty == false {
      try resolver(for: principal)
        .requireItemParameter(of: scene, of: activity, expecting: category)
    }
    let request = house.state.newRequest()
    for category in scene.parameters.values.compactMap(\.category) {
      try await waitForCatalogues(of: category, naming: text, by: principal)
    }
    return try await begin(
      activityNamed: name, item: text, of: category, in: room, fromStart: fromStart,
      by: principal, request: request)
  }

  /// Begins the activity that plays an item of a category, in place of the one that is on in its room.
  ///
  /// - Parameters: As for an activity that is named. An activity of the room goes before others.
  func begin(
    _ category: Category, item text: String?, in room: RoomID?, fromStart: Bool,
    by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    let request = house.state.newRequest()
    try await waitForCatalogues(of: category, naming: text, by: principal)
    let name = try activity(for: category, playing: text, in: room, by: principal)
    return try await begin(
      activityNamed: name, item: text, of: category, in: room, fromStart: fromStart,
      by: principal, request: request)
  }

  private func begin(
    activityNamed name: String, item text: String?, of category: Category?, in room: RoomID?,
    fromStart: Bool, by principal: Principal, request: Int
  ) async throws(TheaterError) -> StartedActivity {
    let plan = directory.plan
    let activity = try plan.activity(named: name)
    let scene = try plan.scene(named: activity.start)
    let place = plan.room(of: activity) ?? room ?? defaultRoom
    try policy.check(activity, in: place, of: house.state, by: principal)
    let item = try resolver(for: principal).choice(
      text, for: scene, of: activity, expecting: category)
    let decision = try house.state.decide(
      beginning: activity, with: try engine.resolve(scene, item?.arguments ?? [:]), item: item,
      in: room, context)
    let run = try await carryOut(
      decision, fromStart: fromStart, by: principal, request: request)
    return StartedActivity(run: run, resumedAt: run.resumedAt)
  }

  /// Returns the name of the activity that plays an item of a category; without an item, an activity that is on, if
  /// it is of this category. If none can play it, the error of ``begin(_:item:in:fromStart:by:)`` says why.
  func activity(
    for category: Category, playing item: String?, in room: RoomID?, by principal: Principal
  ) throws(TheaterError) -> String {
    let plan = directory.plan
    let all = plan.orderedActivities.filter { activity in
      activity.category == category
        && room.map { plan.room(of: activity) ?? $0 == $0 } ?? true
    }
    guard let first = all.first else {
      let place = room.map { " in the room \"\($0)\"" } ?? ""
      throw TheaterError(
        .notFound, "no activity plays \(category.rawValue)\(place)",
        hint: "Add one to \"activities\" in devices.json.")
    }
    let permitted = all.filter(principal.mayBegin)
    let resolver = resolver(for: principal)
    let isItemGiven = item?.isEmpty == false
    let able = permitted.filter { activity in
      guard let scene = plan.scenes[activity.start] else { return false }
      do {
        let choice = try resolver.choice(item, for: scene, of: activity, expecting: category)
        return choice != nil || !isItemGiven
      } catch {
        return false
      }
    }
    // Without an item the user means the player that is on, even if its activity needs an item.
    let candidates = isItemGiven ? able : permitted
    let rooms = [room ?? defaultRoom] + (room == nil ? house.state.usedRooms : [])
    let current = rooms.compactMap { room in
      house[room].session.activity.flatMap { candidates.continuing($0, of: category) }
    }.first
    return (current ?? able.first ?? permitted.first ?? first).name
  }

  // MARK: Scenes

  /// Runs a scene. `HouseState.decide(running:in:_:)` decides which activity it begins or ends.
  ///
  /// - Parameters:
  ///   - room: The room of a scene that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether a saved position is ignored.
  func runScene(
    _ name: String, arguments texts: [String: String], in room: RoomID?, fromStart: Bool,
    by principal: Principal
  ) async throws(TheaterError) -> Run {
    let request = house.state.newRequest()
    let decision = try await decide(name, texts, in: room, by: principal)
    return try await carryOut(decision, fromStart: fromStart, by: principal, request: request)
  }

  /// Plans a run of a scene without carrying it out: a dry run.
  ///
  /// - Throws: The errors of `runScene` for missing things and unfit arguments.
  func planScene(
    _ name: String, arguments texts: [String: String], in room: RoomID?, fromStart: Bool,
    by principal: Principal
  ) async throws(TheaterError) -> ScenePlan {
    let decision = try await decide(name, texts, in: room, by: principal)
    try check(decision, by: principal)
    var limits = planPolicy(for: principal)
    if !fromStart {
      // A run saves the position of the present item first, which may be the same one.
      for room in decision.rooms { await players.playback(in: room).savePosition() }
      limits.resumePositions = await resumePositions(of: decision, by: principal)
    }
    return try await engine.plan(decision, policy: limits)
  }

  /// The position at which the item of a beginning is resumed, by its player; empty for its start.
  private func resumePositions(
    of decision: HouseDecision, by principal: Principal
  ) async -> [DeviceID: ItemPosition] {
    guard case .begin(let beginning, let room) = decision.effect, let item = beginning.item,
      let user = principal.user, let player = beginning.activity.player,
      let category = directory[player]?.role.category,
      let seconds = await players.playback(in: room)
        .savedPosition(of: item, category, user: user)
    else { return [:] }
    return [player: ItemPosition(item: item.id, seconds: seconds)]
  }

  private func decide(
    _ name: String, _ texts: [String: String], in room: RoomID?, by principal: Principal
  ) async throws(TheaterError) -> HouseDecision {
    let scene = try directory.plan.scene(named: name)
    let place = directory.plan.room(of: name) ?? room ?? defaultRoom
    try policy.checkControl(of: [place], in: house.state, by: principal)
    try policy.checkArguments(of: scene, by: principal)
    try await waitForCatalogues(naming: texts, of: scene, by: principal)
    let arguments = try resolver(for: principal).arguments(texts, for: scene)
    return try house.state.decide(running: try engine.resolve(scene, arguments), in: room, context)
  }

  /// Throws `forbidden` unless the principal may do what a decision does.
  private func check(_ decision: HouseDecision, by principal: Principal) throws(TheaterError) {
    switch decision.effect {
    case .begin(let beginning, let room) where beginning.endScene == nil:
      try policy.checkControl(of: [room], in: house.state, by: principal)
      try policy.checkPlaying(decision.scene, by: principal)
    case .begin(let beginning, let room):
      try policy.check(beginning.activity, in: room, of: house.state, by: principal)
      // A guest may not use an amplifier that an activity of another person's room uses.
      let used = house.state.devicesUsed(outside: room)
      let amplifiers = decision.requested.steps.devices.filter {
        directory[$0]?.role.has(.input) == true
      }
      let others = Set(amplifiers.compactMap { used[$0] })
      try policy.checkControl(of: others.sorted(), in: house.state, by: principal)
    case .end, .turnOff: try policy.checkControl(of: decision.rooms, in: house.state, by: principal)
    case .beside(let plays):
      for device in decision.scene.steps.devices.sorted() {
        try policy.checkControl(of: device, in: house.state, by: principal)
      }
      if plays { try policy.checkPlaying(decision.scene, by: principal) }
    }
    try checkRatings(of: decision, by: principal)
  }

  private func checkRatings(
    of decision: HouseDecision, by principal: Principal
  ) throws(TheaterError) {
    try policy.checkRatings(of: decision.scene.steps.commands, in: house.state, by: principal)
  }

  // MARK: Carrying out

  /// Checks a decision, takes the turns that it needs, plans its run once and starts it.
  ///
  /// - Parameters:
  ///   - fromStart: Whether the item of a beginning begins at its start, and not where the user left it.
  ///   - request: The number of the request of a person; `nil` for an end by itself.
  private func carryOut(
    _ decision: HouseDecision, fromStart: Bool = false, by principal: Principal, request: Int?
  ) async throws(TheaterError) -> Run {
    if let request {
      try check(decision, by: principal)
      for room in decision.rooms { try house.state.requireNewest(request, in: room) }
    } else {
      // The user who began an activity may end it, even if other players have started since.
      try checkRatings(of: decision, by: principal)
    }
    guard !decision.rooms.isEmpty else {
      return try await runBeside(decision, by: principal)
    }
    let turns = try await takeTurns(in: decision.rooms, for: request)
    await engine.cancelRuns(of: decision.requested.name, except: activityRuns)
    var limits = planPolicy(for: principal)
    // The turn has saved the position of the present item, which may be the same one.
    if !fromStart { limits.resumePositions = await resumePositions(of: decision, by: principal) }
    let plan = try await planNext(present(decision), limits, turns)
    guard case .begin(let beginning, _) = decision.effect, let turn = turns.first else {
      return startEnding(plan, turns, by: principal)
    }
    return start(beginning, decision.requested, plan, turn, by: principal)
  }

  /// The decision for the present state, without the devices that the configuration has lost from an end.
  private func present(_ decision: HouseDecision) -> HouseDecision {
    var present = house.state.renewed(decision, context)
    if decision.goesPastFailures { present.goesPastFailures = true }
    guard case .begin = decision.effect else {
      present.scene.steps = present.scene.steps.mapCommands {
        directory[$0.device] == nil ? nil : $0
      }
      return present
    }
    return present
  }

  /// The runs that begin or end activities.
  private var activityRuns: [Run] { house.state.usedRooms.compactMap { house[$0].session.run } }

  private func runBeside(
    _ decision: HouseDecision, by principal: Principal
  ) async throws(TheaterError) -> Run {
    await engine.cancelRuns(of: decision.requested.name, except: activityRuns)
    let plan = try await engine.plan(decision, policy: planPolicy(for: principal))
    try engine.checkRunLimit()
    // Another request may have started one while this was planned.
    await engine.cancelRuns(of: decision.requested.name, except: activityRuns)
    return engine.start(plan, by: principal, turnedOff: endActivity(turnedOff:)) { run in
      await self.record(run.report, of: nil)
    }
  }

  /// Ends the activity whose player, or whose amplifier without one, a scene has turned off.
  private func endActivity(turnedOff device: DeviceID) async {
    guard let room = house.state.roomEnded(byTurningOff: device), house[room].isSettled,
      let turn = try? await takeTurns(in: [room], for: nil).first
    else { return }
    house.state.start(turn)
    await finishEnding(nil, turn, lastChoice: nil)
    updateLosses()
  }

  /// Takes the rooms for a request, cancels the runs that are under way there and saves the positions
  /// of their items.
  ///
  /// - Throws: `cancelled` if a newer request has taken one of the rooms meanwhile.
  private func takeTurns(
    in rooms: [RoomID], for request: Int?
  ) async throws(TheaterError) -> [HouseState.Turn] {
    let before = rooms.map { HouseState.Turn(room: $0, number: house[$0].turn) }
    let turns = rooms.map { house.state.takeTurn(in: $0, for: request) }
    do {
      for (turn, earlier) in zip(turns, before) {
        let run = house[turn.room].session.run
        if !isShared(run, outside: rooms) { try await answer(to: turns) { await run?.cancel() } }
        if let report = run?.report, report.status != .done {
          try await answer(to: turns) { await self.record(report, of: earlier) }
        }
        try await answer(to: turns) { await self.players.playback(in: turn.room).end() }
      }
      return turns
    } catch {
      await giveUp(turns, after: error)
      throw error
    }
  }

  /// Whether a run ends other rooms as well: it goes on there.
  private func isShared(_ run: Run?, outside rooms: [RoomID]) -> Bool {
    house.state.usedRooms.contains { room in
      !rooms.contains(room) && run != nil && house[room].session.run === run
        && house[room].session.report.status == .ending
    }
  }

  /// Lets the rooms go on that a request had taken and that no newer one has.
  private func giveUp(_ turns: [HouseState.Turn], after error: TheaterError) async {
    for turn in house.state.fail(turns, after: error) {
      house.publish(turn.room)
      await followAgain(turn.room)
    }
  }

  /// Waits for an answer on behalf of a request.
  ///
  /// - Throws: `cancelled` if the answer comes late: a newer request has taken one of the rooms.
  private func answer<Value: Sendable>(
    to turns: [HouseState.Turn], _ body: () async throws(TheaterError) -> Value
  ) async throws(TheaterError) -> Value {
    let value = try await body()
    try house.state.require(turns)
    return value
  }

  /// Plans the run of a request that has taken its rooms. If the planning fails, the present activity stays; it has
  /// failed if its own run was cancelled for the request.
  private func planNext(
    _ decision: HouseDecision, _ limits: PlanPolicy, _ turns: [HouseState.Turn]
  ) async throws(TheaterError) -> ScenePlan {
    do {
      return try await answer(to: turns) { () async throws(TheaterError) in
        try await engine.plan(decision, policy: limits)
      }
    } catch {
      await giveUp(turns, after: error)
      throw error
    }
  }

  /// Starts the run that begins an activity.
  ///
  /// - Parameter scene: The start scene alone.
  private func start(
    _ beginning: HouseDecision.Beginning, _ scene: Scene, _ plan: ScenePlan,
    _ turn: HouseState.Turn, by principal: Principal
  ) -> Run {
    let (room, activity) = (turn.room, beginning.activity)
    house[room].session.begin(
      beginning, commanding: scene.steps.devices, resumedAt: plan.resumedAt, by: principal)
    // What ends elsewhere leaves these devices alone from now on.
    for other in house.state.usedRooms where house[other].session.report.status == .ending {
      house[other].session.run?.leave(house[room].session.devices)
    }
    if let player = activity.player {
      ageLimits.recordChoice(on: player, by: principal)
      ageLimits.clearStop(on: player)
    }
    let category = activity.player.flatMap { directory[$0]?.role.category }
    // A station has no position.
    let hasPositions = category != nil && category != .stations
    players.playback(in: room).begin(
      beginning.item, of: category ?? .films, resumedAt: plan.resumedAt,
      savingFor: hasPositions ? principal.user : nil, since: clock.now())
    house[room].condition = PlayerCondition(since: clock.now())
    let run = engine.start(plan, by: principal, turnedOff: endActivity(turnedOff:)) { run in
      await self.finishBeginning(run.report, turn)
    }
    follow(run, .starting, turn)
    return run
  }

  private func startEnding(
    _ plan: ScenePlan, _ turns: [HouseState.Turn], by principal: Principal
  ) -> Run {
    let choices = turns.map { turn in
      house[turn.room].session.activity?.player.flatMap { ageLimits.choiceNumber(on: $0) }
    }
    let run = engine.start(plan, by: principal, turnedOff: endActivity(turnedOff:)) { run in
      for (turn, choice) in zip(turns, choices) {
        await self.finishEnding(run.report, turn, lastChoice: choice)
      }
    }
    for turn in turns { follow(run, .ending, turn) }
    return run
  }

  private func follow(_ run: Run, _ status: ActivityReport.Status, _ turn: HouseState.Turn) {
    house.state.start(turn)
    house[turn.room].session.setRun(run, status: status)
    updateLosses()
    house.publish(turn.room)
  }

  private func finishBeginning(_ report: RunReport, _ turn: HouseState.Turn) async {
    guard house.state.isCurrent(turn) else { return }
    await record(report, of: turn)
    guard house.state.finishBeginning(turn, report, at: clock.now()) else { return }
    house.publish(turn.room)
    if report.status == .done {
      players.playback(in: turn.room).confirm()
      await update(turn.room)
    }
    guard house.state.isCurrent(turn) else { return }
    updateLosses()
    await endIfOver(turn.room)
  }

  /// - Parameters:
  ///   - report: The run that ended the activity; `nil` for an end by itself.
  ///   - choice: The number of the newest choice on the player when the end began.
  private func finishEnding(
    _ report: RunReport?, _ turn: HouseState.Turn, lastChoice choice: Int?
  ) async {
    guard house.state.isCurrent(turn) else { return }
    if let report { await record(report, of: turn) }
    let player = house[turn.room].session.activity?.player
    guard let isOver = house.state.finishEnding(turn, report, at: clock.now()) else { return }
    if isOver, let player { ageLimits.forgetChoice(choice, on: player) }
    if isOver { engine.loudness.endRoom(turn.room) }
    house.publish(turn.room)
    if !isOver { await followAgain(turn.room) }
  }

  /// Records, after a run, which devices are uncertain and which are not any more.
  ///
  /// - Parameter turn: The turn of the run; `nil` for a run beside the activities.
  private func record(_ report: RunReport, of turn: HouseState.Turn?) async {
    var states: [DeviceID: DeviceState] = [:]
    if report.status != .done {
      for device in Set(report.unconfirmedCommands.map(\.device)) {
        states[device] = await directory[device]?.snapshot().state
      }
    }
    house.state.record(report, of: turn, seeing: states)
  }

  /// The volume limit of a run for the principal, and the devices that are uncertain.
  private func planPolicy(for principal: Principal) -> PlanPolicy {
    PlanPolicy(
      volumeLimit: principal.volumeLimit, uncertainDevices: house.state.uncertainDevices.ids)
  }

  // MARK: Players that have only just started

  private func resolver(for principal: Principal) -> ArgumentResolver {
    ArgumentResolver(
      catalogue: library.catalogue, ageLimit: principal.ageLimit,
      knownItems: principal.ageLimit == nil ? [] : policy.knownItems(in: house.state),
      unreadPlayers: Dictionary(
        uniqueKeysWithValues: Category.allCases.compactMap { category in
          library.unreadPlayers(of: category).first.map { (category, $0) }
        }),
      activities: directory.plan.orderedActivities.filter(principal.mayBegin))
  }

  /// Waits until players that have only just started have listed their items, unless `text` names an item already.
  private func waitForCatalogues(
    of category: Category, naming text: String?, by principal: Principal
  ) async throws(TheaterError) {
    guard let text, !text.isEmpty, !library.unreadPlayers(of: category).isEmpty,
      !resolver(for: principal).isExact(text, in: category)
    else { return }
    await library.waitForCatalogues(of: category)
  }

  private func waitForCatalogues(
    naming texts: [String: String], of scene: Scene, by principal: Principal
  ) async throws(TheaterError) {
    for (name, text) in texts {
      guard let category = scene.parameters[name]?.category else { continue }
      try await waitForCatalogues(of: category, naming: text, by: principal)
    }
  }

  // MARK: End

  /// Ends the activity that plays this category in the first room in which one does, with its end scene.
  ///
  /// - Throws: `notNow` if nothing of this category is on.
  func end(_ category: Category, by principal: Principal) async throws(TheaterError) -> Run {
    let room = directory.plan.allRooms.map(\.id).first {
      house[$0].session.activity?.category == category
    }
    guard let room else { throw TheaterError(.notNow, "no \(category.singular) is on") }
    return try await end(in: room, by: principal)
  }

  /// Ends what is on in a room with its end scene, within the principal's limits.
  func end(in room: RoomID, by principal: Principal) async throws(TheaterError) -> Run {
    try policy.checkControl(of: [room], in: house.state, by: principal)
    return try await endCurrent(in: room, by: principal, request: house.state.newRequest())
  }

  /// Cancels runs, also those of scenes beside the activities, stops every player and turns off
  /// every device: of a room, or of the house.
  ///
  /// - Parameter room: `nil` for the house.
  func turnEverythingOff(
    in room: RoomID?, by principal: Principal
  ) async throws(TheaterError) -> Run {
    let decision = house.state.turningOff(room, context)
    try policy.checkControl(of: decision.rooms, in: house.state, by: principal)
    if room == nil {
      let turns = try await takeTurns(in: decision.rooms, for: house.state.newRequest())
      await engine.cancelAll()
      return startEnding(
        try await planNext(present(decision), planPolicy(for: principal), turns), turns,
        by: principal)
    }
    await engine.cancelRuns(within: decision.requested.steps.devices, except: activityRuns)
    return try await carryOut(decision, by: principal, request: house.state.newRequest())
  }

  /// - Parameters:
  ///   - pastFailures: Whether the end goes on with the next step where one fails.
  ///   - request: The number of the request of a person; `nil` for an end by itself.
  private func endCurrent(
    in room: RoomID, by principal: Principal, pastFailures: Bool = false, request: Int? = nil
  ) async throws(TheaterError) -> Run {
    guard house[room].session.activity != nil else { throw nothingIsOn(in: room) }
    var decision = house.state.ending(room, context)
    decision.goesPastFailures = pastFailures
    return try await carryOut(decision, by: principal, request: request)
  }

  /// The error of a request that needs an activity, with a hint at another room in which one is on.
  func nothingIsOn(in room: RoomID) -> TheaterError {
    let other = house.state.usedRooms.first { house[$0].session.activity != nil }
    let hint = other.map { "Something is on in the room \"\($0)\": name it." }
    return TheaterError(
      .notNow, "nothing is on", hint: hint ?? "Start a film, a song or a station first.")
  }

  /// Ends the activity of a room if its player has reached the end and its beginning is done, unless a request is on
  /// its way to replace it.
  private func endIfOver(_ room: RoomID) async {
    let state = house[room]
    guard state.isSettled, let activity = state.session.activity,
      let principal = state.session.principal, activity.whenEnded == .end,
      state.session.report.status == .running, players.playback(in: room).hasEnded
    else { return }
    await endByItself(room, activity, by: principal)
  }

  /// Ends an activity without a request of a person.
  ///
  /// - Returns: Whether the end has begun.
  @discardableResult
  private func endByItself(
    _ room: RoomID, _ activity: Activity, pastFailures: Bool = false, by principal: Principal
  ) async -> Bool {
    do {
      _ = try await endCurrent(in: room, by: principal, pastFailures: pastFailures)
      return true
    } catch {
      log("the end of \"\(activity.name)\": \(error.message)")
      return false
    }
  }

  /// Returns the runs that are under way, oldest first.
  func runningRuns() -> [RunReport] { engine.runningRuns.map(\.report) }

  /// Cancels one of the newest runs, and waits until it has stopped. The activity that it begins or
  /// ends has failed then.
  ///
  /// - Throws: `forbidden` unless the principal may end the activity, or run scenes if the run is
  ///   beside the activities.
  func cancelRun(id: String, by principal: Principal) async throws(TheaterError) -> RunReport {
    try await cancel(try engine.run(id: id), by: principal)
  }

  /// Cancels the run of a scene that is under way, and waits until it has stopped.
  ///
  /// - Throws: `notNow` if no run of the scene is under way; as `cancelRun`.
  func cancelScene(
    _ name: String, by principal: Principal
  ) async throws(TheaterError) -> RunReport {
    guard let run = engine.runningRuns.last(where: { $0.report.scene == name }) else {
      _ = try directory.plan.scene(named: name)
      throw TheaterError(
        .notNow, "the scene \"\(name)\" is not running",
        hint: "The status shows the scenes that run.")
    }
    return try await cancel(run, by: principal)
  }

  private func cancel(_ run: Run, by principal: Principal) async throws(TheaterError) -> RunReport {
    let rooms = house.state.usedRooms.filter { house[$0].session.run === run }
    if rooms.isEmpty { try policy.require(.operate, of: principal) }
    try policy.checkControl(
      of: rooms.isEmpty ? directory.plan.allRooms.map(\.id) : rooms, in: house.state, by: principal)
    await run.cancel()
    return run.report
  }

  /// Saves the positions, and cancels all runs and the requests that are on their way to one.
  func shutDown() async {
    for room in house.state.usedRooms { _ = house.state.takeTurn(in: room, for: nil) }
    losses.cancelAll()
    await engine.cancelAll()
    await players.shutDown()
    await house.stored.waitForWrites()
  }

  // MARK: The configuration

  /// Takes the definitions of a new plan. The activities stay. One whose player was removed reports an error
  /// until it is ended or the player is back.
  func apply(_ plan: TheaterPlan) async {
    moveFromLostRooms(plan)
    for room in house.state.usedRooms {
      let before = house[room].session.report
      house[room].session.apply(plan)
      let lost = house[room].session.activity?.player.flatMap { directory[$0] == nil ? $0 : nil }
      house[room].session.clearError(.configuration)
      if let lost {
        house[room].session.setError(
          TheaterError(
            .deviceFailed, "the player \"\(lost)\" is not configured any more",
            hint: "End the activity, or add the device to devices.json again.", device: lost),
          .configuration)
      }
      if house[room].session.report != before { house.publish(room) }
      if lost != nil { await players.playback(in: room).freezePosition() }
    }
    updateLosses()
  }

  /// Moves the activities of removed rooms: each to its room in the new plan, or to a room without
  /// an activity.
  private func moveFromLostRooms(_ plan: TheaterPlan) {
    let rooms = plan.allRooms.map(\.id)
    for room in house.state.usedRooms where !rooms.contains(room) {
      let own = house[room].session.activity.flatMap { plan.activities[$0.name] }
      let wanted = [own.flatMap { plan.room(of: $0) }].compactMap(\.self) + rooms
      let other = wanted.first { house[$0].session.activity == nil }
      house.state.remove(room, movingTo: other)
      players.movePlayback(from: room, to: other)
      house.stored.record(nil, in: room)
      guard let other else {
        log("what was on in the room \"\(room)\" is forgotten: something is on in every other room")
        continue
      }
      house.publish(other)
    }
    engine.loudness.keep(Set(rooms))
  }

  // MARK: Players and losses

  /// Updates an activity from a report of its player, and ends it if the player has reached the end.
  func observe(_ snapshot: DeviceSnapshot, of player: any Device) async {
    if let room = await players.observe(snapshot, of: player) { await endIfOver(room) }
  }

  /// Updates the activities from the newest reports of their players, which may not have arrived yet.
  func update() async {
    for room in house.state.usedRooms { await update(room) }
  }

  private func update(_ room: RoomID) async {
    await players.update(room)
    await endIfOver(room)
  }

  /// Follows the player again after its room was taken, because the activity may go on.
  private func followAgain(_ room: RoomID) async {
    players.playback(in: room).resume()
    await resumeFollowing(room)
  }

  /// Gives a stuck player its whole time again, because a person tries the item again.
  func recordRetry(on player: DeviceID) {
    players.recordRetry(on: player)
    updateLosses()
  }

  /// Records that a person has stopped a player, so that its activity waits for nothing any more.
  func recordStop(of player: DeviceID) {
    players.recordStop(of: player)
    updateLosses()
  }

  /// Updates an activity from its player, and times its losses anew.
  func resumeFollowing(_ room: RoomID) async {
    await update(room)
    updateLosses()
  }

  /// Called when a device is lost or comes back, and at each report of a player.
  func updateLosses() { losses.update { await self.endAfterLoss($0) } }

  /// Ends an activity because of a loss that has lasted for too long, unless a request is on its way to replace
  /// it. Other devices may be missing, too: no step that fails stops the end.
  private func endAfterLoss(_ loss: Loss) async {
    let (room, state) = (loss.room, house[loss.room])
    guard state.isSettled, let activity = state.session.activity,
      let principal = state.session.principal, losses.losses(in: room).contains(loss)
    else { return }
    let error = losses.error(of: loss, in: activity)
    log("\(error.device?.name ?? activity.name): \(error.message)")
    guard await endByItself(room, activity, pastFailures: true, by: principal) else { return }
    house[room].session.setError(error, .loss)
    house.publish(room)
  }
}

extension [Activity] {
  /// The activity that goes on with the player of one that is on: itself, else another one of its player.
  fileprivate func continuing(_ activity: Activity, of category: Category) -> Activity? {
    first { $0.name == activity.name }
      ?? first {
        activity.category == category && $0.player != nil && $0.player == activity.player
      }
  }
}

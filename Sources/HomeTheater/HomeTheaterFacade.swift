import Devices
import JSON
import Platform
import Scenes

/// The theater as one object: films, music, radio, popcorn, transport and volume.
///
/// It only delegates to its parts, which own all state. It knows devices by their roles and scenes by
/// their steps; several facades may use the same devices. Every operation names its principal and
/// throws `forbidden` if the principal lacks a permission or exceeds a limit. `session(for:)` names it once
/// for many operations.
@TheaterActor
public final class HomeTheaterFacade {
  /// The log of the theater's events.
  package nonisolated let events: EventLog
  /// The levels of the amplifiers' sound.
  package nonisolated let levels = LevelMonitor()
  /// The clock of waits, timeouts and positions.
  package nonisolated let clock: any TheaterClock
  /// The devices, by name.
  package nonisolated var devices: [DeviceID: any Device] { directory.devices }
  /// The scenes, activities, library and cables in force.
  package nonisolated var plan: TheaterPlan { directory.plan }

  let directory: DeviceDirectory
  let activities: ActivityController
  private let restorer: ActivityRestorer
  let ageLimits: AgeLimitMonitor
  private let library: Library
  private let permitted: PermittedLibrary
  private let overview: RoomOverview
  private let policy: AccessPolicy
  private let engine: SceneEngine
  private let transport: TransportControl
  private nonisolated let cables: CableReconciler
  private nonisolated let observer: DeviceObserver
  private nonisolated let installer: PlanInstaller

  /// A theater of eight devices, one of each role, with the scenes for films, music, radio and popcorn.
  ///
  /// It commands them from the first operation of a session on. It observes them, plugs their cables
  /// and saves positions only while `run()` is under way.
  ///
  /// - Parameters:
  ///   - positions: The storage of the positions at which users left films and songs.
  ///   - clock: The clock of waits, timeouts and positions. The devices must use the same one.
  ///   - log: Receives messages for the owner's log.
  /// - Precondition: The devices have eight different names.
  public nonisolated convenience init(
    amp: any Amplifier, tuner: any Tuner, dvd: any DVDPlayer, cd: any CDPlayer,
    projector: any Projector, lights: any TheaterLights, screen: any Screen,
    popper: any PopcornPopper, positions: any PositionStore = InMemoryPositions(),
    clock: any TheaterClock = SystemClock(), log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let devices: [any Device] = [amp, tuner, dvd, cd, projector, lights, screen, popper]
    precondition(Set(devices.map(\.id)).count == devices.count, "two devices have one name")
    self.init(
      devices: devices,
      plan: .standard(
        amp: amp, tuner: tuner, dvd: dvd, cd: cd, projector: projector, lights: lights,
        screen: screen, popper: popper),
      positions: positions, clock: clock, log: log)
  }

  /// A theater of these devices. It does not observe them before `run`.
  ///
  /// - Parameters:
  ///   - activities: The storage of what is on, for the next start.
  ///   - log: Receives messages for the owner's log.
  ///   - limitStopped: Receives each stop because of an age limit.
  package nonisolated init(
    devices: [any Device], plan: TheaterPlan, positions store: any PositionStore,
    activities activityStore: any ActivityStore = NoActivityStore(),
    clock: any TheaterClock = SystemClock(), events: EventLog = EventLog(),
    log: @escaping @Sendable (String) -> Void = { _ in },
    limitStopped: @escaping @Sendable (LimitStop) async -> Void = { _ in }
  ) {
    self.events = events
    self.clock = clock
    directory = DeviceDirectory(devices: devices, plan: plan)
    library = Library(directory: directory, events: events, clock: clock, log: log)
    policy = AccessPolicy(directory: directory, library: library)
    ageLimits = AgeLimitMonitor(directory: directory, policy: policy)
    engine = SceneEngine(
      directory: directory, ageLimits: ageLimits, events: events, clock: clock, log: log)
    let house = House(
      events: events, stored: ActivityRecorder(store: activityStore, log: log),
      ageLimits: ageLimits, loudness: engine.loudness)
    let players = PlayerFollower(
      house: house, directory: directory, library: library, clock: clock,
      playback: {
        PlaybackMonitor(
          positions: PositionRecorder(store: store, clock: clock, log: log), clock: clock)
      })
    activities = ActivityController(
      house: house, directory: directory, library: library, players: players, policy: policy,
      ageLimits: ageLimits, engine: engine, clock: clock, log: log)
    transport = TransportControl(
      house: house, directory: directory, activities: activities, players: players,
      policy: policy, engine: engine, clock: clock)
    let enforcer = AgeLimitEnforcer(
      monitor: ageLimits, engine: engine, house: house, players: players, log: log,
      stopped: limitStopped)
    restorer = ActivityRestorer(
      house: house, directory: directory, library: library, players: players,
      ageLimits: ageLimits, loudness: engine.loudness, activities: activities, enforcer: enforcer,
      events: events, clock: clock, log: log)
    cables = CableReconciler(clock: clock) { edge, error in
      if let error { log("cable \(edge.from) → \(edge.to) (\(edge.input)): \(error)") }
    }
    observer = DeviceObserver(
      directory: directory, events: events, cables: cables, chainLevels: engine.chainLevels,
      library: library, activities: activities, enforcer: enforcer)
    installer = PlanInstaller(
      directory: directory, observer: observer, cables: cables, levels: levels,
      loudness: engine.loudness, library: library, ageLimits: ageLimits, activities: activities,
      events: events)
    permitted = PermittedLibrary(
      library: library, directory: directory, players: players, house: house, policy: policy)
    overview = RoomOverview(
      house: house, directory: directory, activities: activities, events: events, clock: clock)
    installer.begin()
  }

  // MARK: Lifetime

  /// The theater for one user: its operations without the parameter for the principal.
  public nonisolated func session(for principal: Principal) -> TheaterSession {
    TheaterSession(theater: self, principal: principal)
  }

  /// Observes the devices, plugs the cables, reads the players' catalogues, saves positions and goes on with what was
  /// on before the start, until the task is cancelled. Called once.
  public nonisolated func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.observer.run() }
      group.addTask { await self.cables.run() }
      group.addTask { await self.library.run() }
      group.addTask { await self.restorer.restoreAll() }
    }
  }

  /// Cancels runs and scans, saves the position and ends the event streams. Devices keep their power.
  public func shutDown() async {
    library.shutDown()
    await activities.shutDown()
    events.close()
  }

  /// Waits until no activity is on in any room, or until its task is cancelled.
  public func waitUntilIdle() async { await overview.waitUntilIdle() }

  /// Calls `body` with whether an activity is on, at once and after each change, until the task is
  /// cancelled or the theater shuts down.
  package func observeActivity(_ body: @Sendable (_ isOn: Bool) -> Void) async {
    await overview.observeActivity(body)
  }

  /// Replaces the devices and the plan while the theater runs. Needs the permission `administer`.
  ///
  /// A device that is the same object as before keeps its state, its cable and its part in the current
  /// activity. The current activity goes on with a device that replaces one of the same name. If its
  /// player or a scene is gone, it still can be ended with the devices that are left.
  package func apply(
    _ plan: TheaterPlan, devices: [any Device], by principal: Principal
  ) async throws(TheaterError) {
    try policy.require(.administer, of: principal)
    await installer.install(plan, devices: devices)
  }

  // MARK: Activities and scenes

  /// Describes a device: its role, its label, its rooms and its inputs.
  package nonisolated func description(of device: any Device) -> DeviceDescription {
    directory.description(of: device)
  }

  /// The devices in the order of the file; those without a place in it follow by name.
  package nonisolated var orderedDevices: [any Device] { directory.orderedDevices }

  /// The devices that a principal may see, in the order of the file: for a guest, those of the guest's rooms and
  /// of none.
  package nonisolated func devices(for principal: Principal) -> [any Device] {
    overview.devices(for: principal)
  }

  /// Returns every activity, in the order of the file. Needs the permission `view`.
  package nonisolated func activities(
    for principal: Principal
  ) async throws(TheaterError) -> [OfferedActivity] {
    try await policy.require(.view, of: principal)
    return plan.activities(offeredTo: principal)
  }

  /// Returns every scene, in the order of the file. Needs the permission `view`.
  package nonisolated func scenes(
    for principal: Principal
  ) async throws(TheaterError) -> [Scene] {
    try await policy.require(.view, of: principal)
    return plan.orderedScenes
  }

  /// Returns every room with what is on in it, in the order of the file; for a guest, those of the
  /// guest's activities. Needs the permission `view`.
  package func rooms(for principal: Principal) async throws(TheaterError) -> [RoomStatus] {
    try policy.require(.view, of: principal)
    return await overview.rooms(for: principal)
  }

  /// Returns the room in which a request acts, and what it plays there.
  ///
  /// - Parameter name: `nil` for the first room that the principal may see.
  package func controlledRoom(_ name: RoomID?, for principal: Principal) -> ControlledRoom? {
    overview.controlledRoom(name, for: principal)
  }

  /// Begins an activity in place of the one that is on in its room. Needs the permission `play`.
  ///
  /// - Parameters:
  ///   - item: The title or id of the item; a station may be a frequency such as "98.5 FM".
  ///   - category: The category of the item that the user means; `nil` for that of the activity.
  ///   - room: The room of an activity that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether the user's saved position is ignored.
  /// - Returns: Once the run has started.
  /// - Throws: `invalid` for an item that the activity does not take; nothing has changed then.
  package func begin(
    _ name: String, item: String?, of category: Category? = nil, in room: RoomID? = nil,
    fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    try policy.require(.play, of: principal)
    if let room { _ = try overview.resolveRoom(room, for: principal) }
    return try await activities.begin(
      name, item: item, of: category, in: room, fromStart: fromStart, by: principal)
  }

  /// Begins the activity that plays an item of a category, in place of the one that is on in its room. Needs the
  /// permission `play`.
  ///
  /// Of several activities it is one that is on, or else one of its player, or else the first of the
  /// file, among those that the principal may begin and whose player has the item. Without an item, an activity that
  /// is on goes before one that can begin.
  ///
  /// - Parameters: As for an activity that is named; with a room, only activities for it are considered.
  package func begin(
    _ category: Category, item: String?, in room: RoomID? = nil, fromStart: Bool,
    by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    try policy.require(.play, of: principal)
    if let room { _ = try overview.resolveRoom(room, for: principal) }
    return try await activities.begin(
      category, item: item, in: room, fromStart: fromStart, by: principal)
  }

  /// Ends what is on in a room with its end scene. Needs the permission `play`.
  package func end(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Run {
    try policy.require(.play, of: principal)
    return try await activities.end(
      in: try overview.resolveRoom(room, for: principal), by: principal)
  }

  /// Ends the activity that plays this category in the first room in which one does, with its end scene. Needs the
  /// permission `play`.
  ///
  /// - Throws: `notNow` if nothing of this category is on.
  func end(_ category: Category, by principal: Principal) async throws(TheaterError) -> Run {
    try policy.require(.play, of: principal)
    return try await activities.end(category, by: principal)
  }

  /// Stops every player and turns off every device of a room, or of the house. A room leaves alone
  /// what the activity of another room uses. Needs the permission `operate`.
  ///
  /// - Parameter room: `nil` for the house.
  package func turnEverythingOff(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Run {
    try policy.require(.operate, of: principal)
    if let room { _ = try overview.resolveRoom(room, for: principal) }
    return try await activities.turnEverythingOff(in: room, by: principal)
  }

  /// Makes popcorn beside the current activity: runs the scene "popcorn". Needs the permission
  /// `operate`.
  package func popcorn(by principal: Principal) async throws(TheaterError) -> Run {
    try await runScene("popcorn", arguments: [:], by: principal)
  }

  /// Runs a scene. A scene that begins or ends an activity does so; one that starts a player
  /// becomes the activity of its room, unless it uses another player than that activity and
  /// commands no amplifier, as a chime during a film; one that turns off the player of an activity
  /// ends it. Any other scene runs beside the activities, in place of an earlier run of the same
  /// scene. Needs the permission `operate`.
  ///
  /// A scene that becomes an activity resumes its item where the user left it, as `begin` does, unless a step names a
  /// position itself.
  ///
  /// - Parameters:
  ///   - room: The room of a scene that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether the user's saved position is ignored.
  package func runScene(
    _ name: String, arguments: [String: String], in room: RoomID? = nil, fromStart: Bool = false,
    by principal: Principal
  ) async throws(TheaterError) -> Run {
    try policy.require(.operate, of: principal)
    if let room { _ = try overview.resolveRoom(room, for: principal) }
    return try await activities.runScene(
      name, arguments: arguments, in: room, fromStart: fromStart, by: principal)
  }

  /// Plans a run of a scene without carrying it out: a dry run. Needs the permission `operate`.
  ///
  /// - Parameters: As of `runScene`.
  package func planScene(
    _ name: String, arguments: [String: String], in room: RoomID? = nil, fromStart: Bool = false,
    by principal: Principal
  ) async throws(TheaterError) -> ScenePlan {
    try policy.require(.operate, of: principal)
    if let room { _ = try overview.resolveRoom(room, for: principal) }
    return try await activities.planScene(
      name, arguments: arguments, in: room, fromStart: fromStart, by: principal)
  }

  /// Returns the runs that are under way, oldest first; for a guest, none of other rooms. Needs the permission `view`.
  package func runningRuns(for principal: Principal) throws(TheaterError) -> [RunReport] {
    try policy.require(.view, of: principal)
    return overview.runningRuns(for: principal)
  }

  /// Cancels the run of a scene that is under way, and waits until it has stopped. Needs the permissions of
  /// `cancelRun`.
  ///
  /// - Throws: `notNow` if no run of the scene is under way.
  package func cancelScene(
    _ name: String, by principal: Principal
  ) async throws(TheaterError) -> RunReport {
    try policy.require(.play, of: principal)
    return try await activities.cancelScene(name, by: principal)
  }

  /// The number of plans that were made.
  var planCount: Int { engine.planCount }

  /// Returns one of the newest runs. Needs the permission `view`.
  package func run(id: String, by principal: Principal) throws(TheaterError) -> Run {
    try policy.require(.view, of: principal)
    let run = try engine.run(id: id)
    guard plan.shows(runOf: run.report.scene, to: plan.rooms(openTo: principal)) else {
      throw .unknownRun(id)
    }
    return run
  }

  /// Cancels one of the newest runs, and waits until it has stopped. Needs the permission `play` for a
  /// run that begins or ends the current activity, and `operate` for any other.
  ///
  /// - Returns: The report of the run, which stays as it is if the run was over.
  package func cancelRun(
    id: String, by principal: Principal
  ) async throws(TheaterError) -> RunReport {
    try policy.require(.play, of: principal)
    return try await activities.cancelRun(id: id, by: principal)
  }

  // MARK: Transport and volume. Need the permission `play`. A room of `nil` is the first one.

  /// Pauses the player of the activity of a room.
  @discardableResult
  package func pause(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("pause", in: room, by: principal)
  }
  /// Resumes the player of the activity of a room.
  @discardableResult
  package func resume(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("play", in: room, by: principal)
  }
  /// Goes to the next track.
  @discardableResult
  package func next(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("next", in: room, by: principal)
  }
  /// Goes to the previous track.
  @discardableResult
  package func previous(
    in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("previous", in: room, by: principal)
  }

  private func sendToPlayer(
    _ name: String, in room: RoomID?, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try policy.require(.play, of: principal)
    return try await transport.sendToPlayer(
      name, in: try overview.resolveRoom(room, for: principal), by: principal)
  }

  /// Goes to a position in the item of a room, in seconds from its start or from the present position.
  @discardableResult
  package func seek(
    _ seconds: Double, isRelative: Bool, in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try policy.require(.play, of: principal)
    return try await transport.seek(
      seconds, isRelative: isRelative, in: try overview.resolveRoom(room, for: principal),
      by: principal)
  }

  /// Changes the volume of the amplifier of a room's activity, or of its first one while nothing is on.
  @discardableResult
  package func changeVolume(
    _ change: VolumeChange, in room: RoomID? = nil, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    try policy.require(.play, of: principal)
    return try await transport.changeVolume(
      change, in: try overview.resolveRoom(room, for: principal), by: principal)
  }

  /// Gives a device a command. Needs the command's permission.
  ///
  /// - Parameter json: `"on"` or `{"dim": 40}`.
  package func perform(
    _ json: JSON, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await transport.perform(json, on: id, until: until, by: principal)
  }

  /// Gives a device a command. Needs the command's permission.
  ///
  /// - Throws: `.refused` if the principal lacks the permission or exceeds a limit.
  func perform(
    _ command: Command, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(DeviceError) -> Confirmation {
    try await transport.perform(command, on: id, until: until, by: principal)
  }

  // MARK: Library and status

  /// Whether the library has at most 1,000 entries, so that a search takes about two milliseconds at most.
  package nonisolated var hasSmallLibrary: Bool { library.isSmall }

  /// Returns the entries of a category that the principal may choose: those within the age limit, and none of a
  /// category that no permitted activity plays. Needs the permission `view`.
  package func entries(
    _ category: Category, for principal: Principal
  ) throws(TheaterError) -> [Catalogue.Entry] {
    try policy.require(.view, of: principal)
    return permitted.entries(category, for: principal)
  }

  /// Returns a part of the entries of a category that the principal may choose, each with the principal's saved
  /// position. Needs the permission `view`.
  package func page(
    _ category: Category, _ query: LibraryQuery, for principal: Principal
  ) async throws(TheaterError) -> LibraryPage {
    try policy.require(.view, of: principal)
    return await permitted.page(category, query, for: principal)
  }

  /// Returns the films and songs that the principal has left before their end and may choose, as in `entries`, each
  /// with its category, the most recent one first. Needs the permission `view`.
  ///
  /// - Parameter limit: The most items.
  package func stopped(
    limit: Int, for principal: Principal
  ) async throws(TheaterError) -> [(category: Category, element: LibraryPage.Element)] {
    try policy.require(.view, of: principal)
    return await permitted.stopped(limit: limit, for: principal)
  }

  /// Returns the items of a category within the principal's age limit, each with the principal's saved position, once
  /// every player's catalogue has been read. Needs the permission `view`.
  func items(
    _ category: Category, for principal: Principal
  ) async throws(TheaterError) -> [ListedItem] {
    try policy.require(.view, of: principal)
    return await permitted.items(category, for: principal)
  }

  /// Returns the picture of an item of the library; `nil` if no player has one. Needs the permission `view`.
  ///
  /// - Throws: `notFound` if the item is neither among those that the principal may choose, as in `entries`, nor the
  ///   current one, which all see; `notFound` too if it is rated above the principal's age limit;
  ///   `deviceFailed` if its player does not answer.
  package func picture(
    of item: String, for principal: Principal
  ) async throws(TheaterError) -> ItemPicture? {
    try policy.require(.view, of: principal)
    return try await permitted.picture(of: item, for: principal)
  }

  /// Reads the catalogues of these categories that have not been read yet: while the theater runs, for a limited time.
  ///
  /// - Parameter permission: What the principal needs for the operation that names an item.
  func readCatalogues(
    of categories: some Collection<Category> & Sendable, for permission: Permission,
    by principal: Principal
  ) async throws(TheaterError) {
    try policy.require(permission, of: principal)
    if !categories.isEmpty { await library.read(categories) }
  }

  /// The categories of the items that the parameters of a scene may name.
  nonisolated func categories(ofScene name: String?) -> [Category] {
    name.flatMap { plan.scenes[$0] }?.parameters.values.compactMap(\.category) ?? []
  }

  /// Reads every player's catalogue again. Needs the permission `operate`.
  ///
  /// - Returns: One report a player, by the player's name. A principal with an age limit does not get the names of
  ///   files, because a file without a listed film has no rating.
  @discardableResult
  package func scanLibrary(by principal: Principal) async throws(TheaterError) -> [ScanReport] {
    try policy.require(.operate, of: principal)
    return await permitted.scan(for: principal)
  }

  /// What is on in a room, its playback and every device. Needs the permission `view`.
  ///
  /// - Parameter room: `nil` for the first one.
  /// - Returns: `{"event": …, "activity": …, "playback": …, "rooms": […], "running": […], "devices": […]}`.
  package func status(
    of room: RoomID? = nil, for principal: Principal
  ) async throws(TheaterError) -> JSON {
    try policy.require(.view, of: principal)
    return try await overview.status(of: room, for: principal)
  }
}

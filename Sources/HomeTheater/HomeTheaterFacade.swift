import Devices
import JSON
import Scenes

/// The theater as one object: films, music, radio, popcorn, transport and volume.
///
/// It only delegates to its parts, which own all state. It knows devices by their roles and scenes by
/// their steps; several facades may use the same devices. Every operation names its principal and
/// throws `forbidden` if the principal lacks a permission or exceeds a limit.
@TheaterActor
package final class HomeTheaterFacade {
  /// Everything that happens.
  package nonisolated let events: EventLog
  package nonisolated let clock: any TheaterClock
  /// The devices, by name.
  package nonisolated var devices: [DeviceID: any Device] { directory.devices }
  package nonisolated var plan: TheaterPlan { directory.plan }

  let directory: DeviceDirectory
  let activities: ActivityController
  let ageLimits: AgeLimitMonitor
  private let library: Library
  private let policy: AccessPolicy
  private let engine: SceneEngine
  private let transport: TransportControl
  private let enforcer: AgeLimitEnforcer
  private nonisolated let cables: CableReconciler

  /// A theater of these devices. It does not observe them before `run`.
  ///
  /// - Parameters:
  ///   - log: Receives messages for the owner's log.
  ///   - limitStopped: Receives each stop because of an age limit.
  package nonisolated init(
    devices: [any Device], plan: TheaterPlan, positions store: any PositionStore,
    clock: any TheaterClock = SystemClock(), events: EventLog = EventLog(),
    log: @escaping @Sendable (String) -> Void = { _ in },
    limitStopped: @escaping @Sendable (LimitStop) async -> Void = { _ in }
  ) {
    self.events = events
    self.clock = clock
    directory = DeviceDirectory(devices: devices, plan: plan)
    library = Library(directory: directory, events: events, log: log)
    policy = AccessPolicy(directory: directory, library: library)
    ageLimits = AgeLimitMonitor(directory: directory, policy: policy)
    engine = SceneEngine(
      directory: directory, ageLimits: ageLimits, events: events, clock: clock)
    activities = ActivityController(
      directory: directory, library: library, policy: policy, ageLimits: ageLimits,
      engine: engine,
      playback: PlaybackMonitor(
        positions: PositionRecorder(store: store, clock: clock, log: log), clock: clock),
      events: events, log: log)
    transport = TransportControl(
      directory: directory, activities: activities, policy: policy, engine: engine, clock: clock)
    enforcer = AgeLimitEnforcer(
      monitor: ageLimits, engine: engine, activities: activities, log: log, stopped: limitStopped)
    cables = CableReconciler(
      edges: plan.cables, devices: directory.devices, clock: clock
    ) { edge, error in
      if let error { log("cable \(edge.from) → \(edge.to) (\(edge.input)): \(error)") }
    }
  }

  // MARK: Lifetime

  /// Observes the devices, plugs the cables, reads the players' catalogues and saves positions, until
  /// the task is cancelled.
  package nonisolated func run() async {
    await withDiscardingTaskGroup { group in
      for device in devices.values {
        // On the thread on which the report arrives: waking another one takes longer than the work.
        group.addTask(executorPreference: ArrivalExecutor.shared) {
          for await snapshot in await device.snapshots() {
            await self.observe(snapshot, of: device)
          }
        }
      }
      group.addTask { await self.cables.run() }
      group.addTask { await self.library.run() }
    }
  }

  /// Saves the position and ends the event streams. Devices keep their power.
  package func shutDown() async {
    await activities.shutDown()
    events.close()
  }

  private nonisolated func observe(_ snapshot: DeviceSnapshot, of device: any Device) async {
    cables.observe(snapshot, of: device.id)
    let before = directory.snapshot(of: device.id)
    guard snapshot != before else { return }
    guard device.role.category != nil else { return record(snapshot, of: device) }
    await observePlayer(snapshot, of: device, before: before)
  }

  private nonisolated func record(_ snapshot: DeviceSnapshot, of device: any Device) {
    directory.record(snapshot, of: device.id)
    events.publish(.device(device.id, device.role, snapshot))
  }

  private func observePlayer(
    _ snapshot: DeviceSnapshot, of player: any Device, before: DeviceSnapshot?
  ) async {
    record(snapshot, of: player)
    library.observe(snapshot, of: player)
    guard let reading = snapshot.state.readings[.playback],
      reading != before?.state.readings[.playback]
    else { return }
    if let playback = snapshot.state.playback { enforcer.observe(playback, of: player) }
    await activities.observe(snapshot, of: player)
  }

  // MARK: Activities and scenes

  /// The name of the activity that plays this category: `.films` for watching a film.
  package nonisolated func activity(for category: Category) throws(TheaterError) -> String {
    let candidates = plan.activities.values.filter { $0.category == category }
    guard let activity = candidates.map(\.name).min() else {
      throw TheaterError(
        .notFound, "no activity plays \(category.rawValue)",
        hint: "Add one to \"activities\" in devices.json.")
    }
    return activity
  }

  /// Begins an activity in place of the current one. Needs the permission `play`.
  ///
  /// - Parameters:
  ///   - item: The title or id of the item; a station may be a frequency such as "98.5 FM".
  ///   - fromStart: Whether the user's saved position is ignored.
  /// - Returns: Once the run has started.
  package func begin(
    _ name: String, item: String?, fromStart: Bool, by principal: Principal
  ) async throws(TheaterError) -> StartedActivity {
    try policy.require(.play, of: principal)
    return try await activities.begin(name, item: item, fromStart: fromStart, by: principal)
  }

  /// Ends the current activity with its end scene. Needs the permission `play`.
  package func end(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.require(.play, of: principal)
    return try await activities.end(by: principal)
  }

  /// Stops every player and turns off every device. Needs the permission `operate`.
  package func turnEverythingOff(by principal: Principal) async throws(TheaterError) -> Run {
    try policy.require(.operate, of: principal)
    return try await activities.turnEverythingOff(by: principal)
  }

  /// Makes popcorn beside the current activity: runs the scene "popcorn". Needs the permission
  /// `operate`.
  package func popcorn(by principal: Principal) async throws(TheaterError) -> Run {
    try await runScene("popcorn", arguments: [:], by: principal)
  }

  /// Runs a scene. A scene that plays something becomes the current activity, unless it only adds the
  /// sound of another player to it. Any other scene runs beside the activity. Needs the permission
  /// `operate`.
  package func runScene(
    _ name: String, arguments: [String: String], by principal: Principal
  ) async throws(TheaterError) -> Run {
    try policy.require(.operate, of: principal)
    return try await activities.runScene(name, arguments: arguments, by: principal)
  }

  /// Returns one of the newest runs. Needs the permission `view`.
  package func run(id: String, by principal: Principal) throws(TheaterError) -> Run {
    try policy.require(.view, of: principal)
    return try engine.run(id: id)
  }

  // MARK: Transport and volume. Need the permission `play`.

  @discardableResult
  package func pause(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("pause", by: principal)
  }
  @discardableResult
  package func resume(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("play", by: principal)
  }
  /// Goes to the next track.
  @discardableResult
  package func next(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("next", by: principal)
  }
  /// Goes to the previous track.
  @discardableResult
  package func previous(by principal: Principal) async throws(TheaterError) -> Confirmation {
    try await sendToPlayer("previous", by: principal)
  }

  private func sendToPlayer(_ name: String, by principal: Principal)
    async throws(TheaterError) -> Confirmation
  {
    try policy.require(.play, of: principal)
    return try await transport.sendToPlayer(name, by: principal)
  }

  /// Goes to a position in the current item, in seconds from its start or from the present position.
  @discardableResult
  package func seek(
    _ seconds: Double, isRelative: Bool, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try policy.require(.play, of: principal)
    return try await transport.seek(seconds, isRelative: isRelative, by: principal)
  }

  /// Changes the volume of the current activity's amplifier, or of the first one while nothing is on.
  @discardableResult
  package func changeVolume(
    _ change: VolumeChange, by principal: Principal
  ) async throws(TheaterError) -> VolumeOutcome {
    try policy.require(.play, of: principal)
    return try await transport.changeVolume(change, by: principal)
  }

  /// Gives a device a command. Needs the command's permission.
  ///
  /// - Parameter json: `"on"` or `{"dim": 40}`.
  package func perform(
    _ json: JSON, on id: DeviceID, until: Completion, by principal: Principal
  ) async throws(TheaterError) -> Confirmation {
    try await transport.perform(json, on: id, until: until, by: principal)
  }

  // MARK: Library and status

  /// Returns the entries of a category within the principal's age limit.
  package func entries(_ category: Category, for principal: Principal) -> [Catalogue.Entry] {
    library.catalogue.entries(category, ageLimit: principal.ageLimit)
  }

  /// Reads every player's catalogue again. Needs the permission `operate`.
  ///
  /// - Returns: One report a player, by the player's name.
  @discardableResult
  package func scanLibrary(by principal: Principal) async throws(TheaterError) -> [ScanReport] {
    try policy.require(.operate, of: principal)
    return await library.scanAll()
  }

  /// The current activity, its playback and every device. Needs the permission `view`.
  ///
  /// - Returns: `{"event": …, "activity": …, "playback": …, "devices": […]}`.
  package func status(for principal: Principal) async throws(TheaterError) -> JSON {
    try policy.require(.view, of: principal)
    await activities.update()
    return await TheaterStatus(
      event: events.currentID, activity: activities.session.report, devices: devices,
      now: clock.now()
    ).json()
  }
}

import Devices
import JSON
import Scenes

/// The theater as one thing: film, music, radio, popcorn, end, pause, seek, volume.
///
/// It knows devices by their roles and scenes by their steps, not where either comes from; several
/// facades may stand over the same devices. What an activity does is a scene of the plan.
package actor HomeTheaterFacade {
  /// Everything that happens.
  package nonisolated let events: EventLog
  package nonisolated let devices: [DeviceID: any Device]
  package nonisolated let plan: TheaterPlan
  package nonisolated let clock: any TheaterClock
  let planner: ScenePlanner
  let runner: SceneRunner
  let positions: PositionKeeper
  let cabling: Cabling
  let log: @Sendable (String) -> Void
  let limitStopped: @Sendable (LimitStop) async -> Void

  var snapshots: [DeviceID: DeviceSnapshot] = [:]
  var catalogue: Catalogue
  /// The generation of each player whose catalogue has been read.
  var scanned: [DeviceID: Int] = [:]
  /// The scan of all players that is under way.
  var libraryScan: Task<[ScanReport], Never>?
  let scanRequests: AsyncStream<DeviceID>
  let scanRequest: AsyncStream<DeviceID>.Continuation
  var stage = Stage()
  /// The items that each player may go on to by itself.
  var watches: [DeviceID: AgeLimitMonitor] = [:]
  /// The number of choices that users have made for players.
  var choices = 0
  var history = RunHistory()

  /// A theater of these devices. Nothing happens before `run`.
  ///
  /// - Parameters:
  ///   - log: Receives the messages for an owner to read later.
  ///   - limitStopped: Receives each stop because of an age limit.
  package init(
    devices: [any Device], plan: TheaterPlan, positions store: any PositionStore,
    clock: any TheaterClock = SystemClock(), events: EventLog = EventLog(),
    log: @escaping @Sendable (String) -> Void = { _ in },
    limitStopped: @escaping @Sendable (LimitStop) async -> Void = { _ in }
  ) {
    let table = Dictionary(devices.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.devices = table
    self.plan = plan
    self.clock = clock
    self.events = events
    self.log = log
    self.limitStopped = limitStopped
    planner = ScenePlanner(devices: table)
    runner = SceneRunner(clock: clock)
    positions = PositionKeeper(store: store, clock: clock, log: log)
    cabling = Cabling(edges: plan.cables, devices: table, clock: clock) { edge, error in
      if let error { log("cable \(edge.from) → \(edge.to) (\(edge.input)): \(error)") }
    }
    catalogue = Catalogue(plan.library)
    (scanRequests, scanRequest) = AsyncStream.makeStream()
  }

  /// Watches the devices, keeps the cables plugged, reads the players' catalogues and saves
  /// positions, until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for device in devices.values {
        // Where the news arrives: waking another thread for each report costs more than the look.
        group.addTask(executorPreference: ArrivalExecutor.shared) {
          for await snapshot in await device.snapshots() {
            self.cabling.note(snapshot, of: device.id)
            await self.observe(device, snapshot)
          }
        }
      }
      group.addTask { await self.cabling.run() }
      group.addTask { for await id in self.scanRequests { await self.scan(id) } }
    }
  }

  /// Saves the position and ends the streams of events. Devices keep their power.
  package func shutDown() async {
    stage.saving?.cancel()
    await stage.run?.cancel()
    await positions.end()
    events.close()
  }

  private func observe(_ device: any Device, _ snapshot: DeviceSnapshot) async {
    let before = snapshots.updateValue(snapshot, forKey: device.id)
    guard snapshot != before else { return }
    events.publish(.device(device.id, device.role, snapshot))
    if snapshot.availability == .available, device.role.category != nil,
      scanned[device.id] != snapshot.generation
    {
      scanned[device.id] = snapshot.generation
      scanRequest.yield(device.id)
    }
    guard let reading = snapshot.state.readings[.playback],
      reading != before?.state.readings[.playback]
    else { return }
    if let playback = snapshot.state.playback { watch(playback, of: device) }
    await follow(device, snapshot)
  }
}

import Devices
import Platform
import Scenes

/// Goes on, after a restart of the controller, with the activities that their devices still report.
///
/// - A player that holds an item goes on, also with another item than before.
/// - A player that does not, while the amplifier is on (without one, any device of the activity), has been stopped
///   by the end of the controller: the activity is on, and `resume` goes on with the item.
/// - Everything else is over.
@TheaterActor
final class ActivityRestorer {
  /// How long the devices may take to report.
  nonisolated static let patience = LossMonitor.patience

  private let house: House
  private let directory: DeviceDirectory
  private let library: Library
  private let players: PlayerFollower
  private let ageLimits: AgeLimitMonitor
  private let loudness: LoudnessLimits
  private let events: EventLog
  private let clock: any TheaterClock
  private let log: @Sendable (String) -> Void

  nonisolated init(
    house: House, directory: DeviceDirectory, library: Library, players: PlayerFollower,
    ageLimits: AgeLimitMonitor, loudness: LoudnessLimits, events: EventLog,
    clock: any TheaterClock, log: @escaping @Sendable (String) -> Void
  ) {
    self.house = house
    self.directory = directory
    self.library = library
    self.players = players
    self.ageLimits = ageLimits
    self.loudness = loudness
    self.events = events
    self.clock = clock
    self.log = log
  }

  /// Restores what was on in each room, beside each other.
  ///
  /// - Parameter restored: Called for each room in which an activity goes on.
  func restoreAll(_ restored: @escaping @TheaterActor @Sendable (RoomID) async -> Void) async {
    let all = await house.stored.read()
    await withDiscardingTaskGroup { group in
      for stored in all {
        group.addTask {
          guard let room = await self.restore(stored) else { return }
          await restored(room)
        }
      }
    }
  }

  /// - Returns: The room in which the activity goes on; `nil` if it does not.
  private func restore(_ stored: StoredActivity) async -> RoomID? {
    let roles = directory.devices.mapValues(\.role)
    guard let activity = stored.activity(in: directory.plan, roles),
      let scene = directory.plan.scenes[activity.start]
    else {
      return forget(stored, because: "the configuration has lost it")
    }
    let used = scene.steps.devices.union([activity.player, activity.amplifier].compactMap(\.self))
    let witness = activity.amplifier.map { [$0] } ?? used.filter { $0 != activity.player }
    await waitForReports(of: Set(witness).union([activity.player].compactMap(\.self)))
    guard !Task.isCancelled else { return nil }
    if let category = activity.category { await library.waitForCatalogues(of: category) }
    let playback = activity.player.flatMap { directory.snapshot(of: $0) }
    let isHeld = playback?.isReachable == true && playback?.state.playback?.isHeld == true
    guard isHeld || witness.contains(where: isOn) else {
      return forget(stored, because: "its devices are off")
    }
    let room = directory.plan.room(of: activity) ?? stored.room
    let item = stored.item.map { library.catalogue.choice(of: $0) }
    let category = activity.player.flatMap { directory[$0]?.role.category }
    var position: Double?
    if let item, let category, category != .stations, let user = stored.user {
      position = await players.playback(in: room).savedPosition(of: item, category, user: user)
    }
    guard isFree(room, for: activity) else {
      return forget(stored, because: "something else is on")
    }
    let endScene = stored.endScene ?? (stored.isScene ? nil : activity.end)
    house[room].session.restore(
      HouseDecision.Beginning(
        activity: activity, item: item, endScene: endScene.flatMap { directory.plan.scenes[$0] }),
      isScene: stored.isScene, commanding: scene.steps.devices, by: stored.principal)
    if let player = activity.player { ageLimits.recordChoice(on: player, by: stored.principal) }
    if let amplifier = activity.amplifier {
      loudness.restore(stored.volumeLimit, of: room, on: amplifier)
    }
    follow(activity, item, of: category, at: position, isHeld: isHeld, in: room)
    if room != stored.room { house.stored.record(nil, in: stored.room) }
    house.publish(room)
    log("\"\(activity.name)\" goes on in the room \"\(room)\"")
    return room
  }

  /// Follows the player from its newest report on. One that has been stopped waits for `resume`.
  private func follow(
    _ activity: Activity, _ item: ItemChoice?, of category: Category?, at position: Double?,
    isHeld: Bool, in room: RoomID
  ) {
    guard let player = activity.player else { return }
    let playback = players.playback(in: room)
    let user = category == .stations ? nil : house[room].session.principal?.user
    playback.begin(item, of: category ?? .films, resumedAt: position, savingFor: user, since: .zero)
    guard !isHeld else { return playback.confirm() }
    guard item != nil else { return }
    house[room].condition.failScene(at: clock.now())
    let error = players.failure(
      "the controller was restarted", of: player, in: activity, at: playback)
    house[room].session.setFailure(error, retryingAt: playback.position)
  }

  private func isOn(_ device: DeviceID) -> Bool {
    guard let snapshot = directory.snapshot(of: device) else { return false }
    return snapshot.isReachable && snapshot.state.power == .on
  }

  /// Whether no request has taken the room, and the player is on in no other one.
  private func isFree(_ room: RoomID, for activity: Activity) -> Bool {
    directory.plan.allRooms.contains { $0.id == room } && house[room].session.activity == nil
      && house[room].isUntouched
      && activity.player.map { house.state.room(playing: $0) == nil } ?? true
  }

  private func forget(_ stored: StoredActivity, because reason: String) -> RoomID? {
    log("\"\(stored.name)\" does not go on after the restart: \(reason)")
    if house[stored.room].isUntouched, house[stored.room].session.activity == nil {
      house.stored.record(nil, in: stored.room)
    }
    return nil
  }

  // MARK: Reports

  /// Waits until these devices have reported, for at most `patience`.
  private func waitForReports(of devices: Set<DeviceID>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.waitUntilReported(devices) }
      group.addTask { [clock] in try? await clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
  }

  private func waitUntilReported(_ devices: Set<DeviceID>) async {
    let changes = events.subscribe()
    defer { changes.end() }
    changes.signal()
    for await _ in changes.signals where devices.allSatisfy(hasReported) { return }
  }

  private func hasReported(_ device: DeviceID) -> Bool {
    guard directory[device] != nil else { return true }
    return directory.snapshot(of: device).map { $0.isReachable && !$0.state.readings.isEmpty }
      ?? false
  }
}

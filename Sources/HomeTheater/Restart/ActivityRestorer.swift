import Devices
import Platform
import Scenes

/// Goes on, after a restart of the controller, with the activities that their devices still report.
///
/// - A player that holds an item goes on, also with another item than before.
/// - A player that does not, while the amplifier is on (without one, any device of the activity but lights), has been
///   stopped by the end of the controller: the activity is on, and `resume` goes on with the item.
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
  private let activities: ActivityController
  private let enforcer: AgeLimitEnforcer
  private let events: EventLog
  private let clock: any TheaterClock
  private let log: @Sendable (String) -> Void

  nonisolated init(
    house: House, directory: DeviceDirectory, library: Library, players: PlayerFollower,
    ageLimits: AgeLimitMonitor, loudness: LoudnessLimits, activities: ActivityController,
    enforcer: AgeLimitEnforcer, events: EventLog, clock: any TheaterClock,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.house = house
    self.directory = directory
    self.library = library
    self.players = players
    self.ageLimits = ageLimits
    self.loudness = loudness
    self.activities = activities
    self.enforcer = enforcer
    self.events = events
    self.clock = clock
    self.log = log
  }

  /// Restores what was on in each room, beside each other.
  func restoreAll() async {
    let all = await house.stored.read()
    await withDiscardingTaskGroup { group in
      for stored in all {
        group.addTask {
          guard let room = await self.restore(stored) else { return }
          await self.followAgain(room)
        }
      }
    }
  }

  /// Follows what goes on in a room, whose item may be another one by now.
  private func followAgain(_ room: RoomID) async {
    await activities.resumeFollowing(room)
    guard let player = house[room].session.activity?.player.flatMap({ directory[$0] }),
      let playback = directory.snapshot(of: player.id)?.state.playback
    else { return }
    enforcer.observe(playback, of: player)
  }

  /// - Returns: The room in which the activity goes on; `nil` if it does not.
  private func restore(_ stored: StoredActivity) async -> RoomID? {
    guard let expected = target(of: stored) else {
      return forget(stored, because: "the configuration has lost it")
    }
    let devices = expected.powered.union([expected.activity.player].compactMap(\.self))
    guard await hasWaitedForReports(of: devices) else { return nil }
    if let category = expected.activity.category {
      await library.waitForCatalogues(of: category)
    }
    let item = stored.item.map { library.catalogue.choice(of: $0) }
    let position = await savedPosition(of: item, on: expected.activity.player, stored.user)
    // The configuration may be another one by now, and the controller may be ending.
    guard !Task.isCancelled else { return nil }
    guard let target = target(of: stored) else {
      return forget(stored, because: "the configuration has lost it")
    }
    let playing = target.activity.player.flatMap { directory.snapshot(of: $0) }
    let isHeld = playing?.isReachable == true && playing?.state.playback?.isHeld == true
    guard isHeld || target.powered.contains(where: isOn) else {
      return forget(stored, because: "its devices are off")
    }
    guard isFree(target.room, for: target.activity) else {
      return forget(stored, because: "something else is on in \"\(target.room)\"")
    }
    restore(stored, as: target, with: item)
    follow(target, item, at: position, isHeld: isHeld)
    if target.room != stored.room { house.stored.record(nil, in: stored.room) }
    house.publish(target.room)
    log("\"\(stored.name)\" goes on in the room \"\(target.room)\"")
    return target.room
  }

  /// A stored activity as the present configuration defines it.
  private struct Target {
    let activity: Activity
    let room: RoomID
    let startScene: Scene
    /// The scene that ends it; `nil` for a scene that has replaced no activity.
    let endScene: Scene?
    /// The devices that say whether it is on.
    let powered: Set<DeviceID>
  }

  private func target(of stored: StoredActivity) -> Target? {
    let (plan, roles) = (directory.plan, directory.devices.mapValues(\.role))
    guard let activity = stored.activity(in: plan, roles), let start = plan.scenes[activity.start]
    else { return nil }
    let room = plan.room(of: activity) ?? stored.room
    guard plan.allRooms.contains(where: { $0.id == room }) else { return nil }
    let end = stored.isScene ? stored.endScene : activity.end
    var powered = Set(activity.amplifier.map { [$0] } ?? start.steps.devices.sorted())
    if let player = activity.player { powered.remove(player) }
    let others = powered.filter { roles[$0] != .lights }
    return Target(
      activity: activity, room: room, startScene: start,
      endScene: end.flatMap { plan.scenes[$0] }, powered: others.isEmpty ? powered : others)
  }

  private func savedPosition(
    of item: ItemChoice?, on player: DeviceID?, _ user: String?
  ) async -> Double? {
    guard let item, let user, let category = player.flatMap({ directory[$0]?.role.category }),
      category != .stations
    else { return nil }
    return await players.savedPosition(of: item, category, user: user)
  }

  /// Restores the session and the limits of the person, unless another person has let sound begin since the start.
  private func restore(_ stored: StoredActivity, as target: Target, with item: ItemChoice?) {
    house[target.room].session.restore(
      HouseDecision.Beginning(
        activity: target.activity, item: item, endScene: target.endScene),
      isScene: stored.isScene, commanding: target.startScene.steps.devices, by: stored.principal)
    if let player = target.activity.player {
      ageLimits.restore(stored.ageLimit, on: player, permitting: stored.item)
    }
    loudness.restore(stored.volumeLimit, of: target.activity)
  }

  /// Follows the player from its newest report on. One that has been stopped waits for `resume`.
  private func follow(
    _ target: Target, _ item: ItemChoice?, at position: Double?, isHeld: Bool
  ) {
    guard let player = target.activity.player else { return }
    let category = directory[player]?.role.category ?? .films
    let playback = players.playback(in: target.room)
    let user = category == .stations ? nil : house[target.room].session.principal?.user
    playback.begin(item, of: category, resumedAt: position, savingFor: user, since: .zero)
    playback.confirm()
    guard !isHeld, item != nil else { return }
    house[target.room].condition.interrupt()
    let error = TheaterError(
      .notNow, "the controller was restarted while it played",
      hint: "\"resume\" plays it again at \(playback.position.positionText).", device: player)
    house[target.room].session.setFailure(error, retryingAt: playback.position)
  }

  private func isOn(_ device: DeviceID) -> Bool {
    guard let snapshot = directory.snapshot(of: device) else { return false }
    return snapshot.isReachable && snapshot.state.power == .on
  }

  /// Whether no request has taken the room, and the player is on in no other one.
  private func isFree(_ room: RoomID, for activity: Activity) -> Bool {
    house[room].isUntouched && house[room].session.activity == nil
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
  ///
  /// - Returns: `false` if the controller ends meanwhile.
  private func hasWaitedForReports(of devices: Set<DeviceID>) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.hasReported(devices) }
      group.addTask { [clock] in (try? await clock.sleep(for: Self.patience)) != nil }
      let hasWaited = await group.next() ?? false
      group.cancelAll()
      return hasWaited && !Task.isCancelled
    }
  }

  /// Waits until these devices have reported; `false` if the events end before.
  private func hasReported(_ devices: Set<DeviceID>) async -> Bool {
    let changes = events.subscribe()
    defer { changes.end() }
    changes.signal()
    for await _ in changes.signals where devices.allSatisfy(hasReported) { return true }
    return false
  }

  private func hasReported(_ device: DeviceID) -> Bool {
    guard directory[device] != nil else { return true }
    return directory.snapshot(of: device).map { $0.isReachable && !$0.state.readings.isEmpty }
      ?? false
  }
}

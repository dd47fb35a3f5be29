import Devices
import JSON
import Platform
import Scenes

/// What a principal may see of the rooms, their devices and the runs that are under way.
@TheaterActor
final class RoomOverview {
  private let house: House
  private let directory: DeviceDirectory
  private let activities: ActivityController
  private let events: EventLog
  private let clock: any TheaterClock

  nonisolated init(
    house: House, directory: DeviceDirectory, activities: ActivityController, events: EventLog,
    clock: any TheaterClock
  ) {
    self.house = house
    self.directory = directory
    self.activities = activities
    self.events = events
    self.clock = clock
  }

  /// The room of a request.
  ///
  /// - Parameter name: `nil` for the first room that the principal may see.
  /// - Throws: `notFound` for a name of no such room.
  func resolveRoom(_ name: RoomID?, for principal: Principal) throws(TheaterError) -> RoomID {
    let rooms = visibleRooms(for: principal).map(\.id)
    guard let name else { return rooms.first ?? activities.defaultRoom }
    guard rooms.contains(name) else {
      throw .unknown("room", name.name, rooms.map(\.name))
    }
    return name
  }

  /// The room in which a request acts, and what it plays there; `nil` for a name of no such room.
  func controlledRoom(_ name: RoomID?, for principal: Principal) -> ControlledRoom? {
    guard let id = try? resolveRoom(name, for: principal) else { return nil }
    let rooms = directory.plan.allRooms
    let player = house[id].session.activity?.player
    return ControlledRoom(
      room: rooms.count > 1 ? rooms.first { $0.id == id } : nil,
      category: player.flatMap { directory[$0]?.role.category })
  }

  /// The rooms that the principal may see, with what is on in each, in the order of the file.
  func rooms(for principal: Principal) async -> [RoomStatus] {
    await activities.update()
    var rooms: [RoomStatus] = []
    for room in visibleRooms(for: principal) { rooms.append(await status(of: room)) }
    return rooms
  }

  /// The devices that a principal may see, in the order of the file: for a guest, those of the guest's rooms and of
  /// none.
  nonisolated func devices(for principal: Principal) -> [any Device] {
    let plan = directory.plan
    let open = plan.rooms(openTo: principal)
    return directory.orderedDevices.filter { plan.shows(plan.rooms(of: $0.id), to: open) }
  }

  /// The runs that are under way, oldest first; for a guest, none of other rooms.
  func runningRuns(for principal: Principal) -> [RunReport] {
    let plan = directory.plan
    let open = plan.rooms(openTo: principal)
    return activities.runningRuns().filter { plan.shows(runOf: $0.scene, to: open) }
  }

  /// The whole theater for the API, with what is on in one room first.
  ///
  /// - Parameter name: `nil` for the first room.
  func status(
    of name: RoomID?, for principal: Principal
  ) async throws(TheaterError) -> JSON {
    let id = try resolveRoom(name, for: principal)
    // Read before the state: later events may be contained in it, but none is missed.
    let event = events.currentID
    let rooms = await rooms(for: principal)
    var main = rooms.first { $0.room.id == id }
    if main == nil { main = await status(of: Room(id: id, devices: [])) }
    guard let main else { throw .unknown("room", id.name, rooms.map(\.room.id.name)) }
    var devices: [(snapshot: DeviceSnapshot, description: DeviceDescription)] = []
    for device in self.devices(for: principal) {
      devices.append((await device.snapshot(), directory.description(of: device)))
    }
    return TheaterStatus(
      event: event, room: main, rooms: rooms, running: runningRuns(for: principal),
      devices: devices, now: clock.now()
    ).json
  }

  // MARK: Whether anything is on

  private var isAnythingOn: Bool {
    house.state.usedRooms.contains { house[$0].session.activity != nil }
  }

  /// Waits until no activity is on in any room, or until its task is cancelled.
  func waitUntilIdle() async {
    let changes = events.subscribe()
    defer { changes.end() }
    changes.signal()
    for await _ in changes.signals where !isAnythingOn { return }
  }

  /// Calls `body` with whether an activity is on, at once and after each change, until the task is
  /// cancelled or the theater shuts down.
  func observeActivity(_ body: @Sendable (_ isOn: Bool) -> Void) async {
    let changes = events.subscribe()
    defer { changes.end() }
    changes.signal()
    var last: Bool?
    for await _ in changes.signals {
      let isOn = isAnythingOn
      if isOn != last { body(isOn) }
      last = isOn
    }
  }

  private func visibleRooms(for principal: Principal) -> [Room] {
    let plan = directory.plan
    let open = plan.rooms(openTo: principal)
    return plan.allRooms.filter { open?.contains($0.id) ?? true }
  }

  private func status(of room: Room) async -> RoomStatus {
    let plan = directory.plan
    let report = house[room.id].session.report
    let player = report.player.flatMap { directory[$0] }
    return RoomStatus(
      room: room, devices: plan.rooms.isEmpty ? directory.orderedDevices.map(\.id) : room.devices,
      activities: plan.orderedActivities.filter { plan.room(of: $0) == room.id }.map(\.name),
      report: report, playback: await player?.snapshot().playbackJSON(at: clock.now()))
  }
}

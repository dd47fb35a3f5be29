import Devices
import JSON
import Scenes

/// The name of a room: its key in `devices.json`.
public struct RoomID: Sendable, Hashable, Comparable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let name: String

  /// - Parameter name: Not checked; the configuration's reader checks names of rooms.
  public init(_ name: String) { self.name = name }
  public init(stringLiteral value: String) { name = value }
  public var description: String { name }
  public static func < (left: Self, right: Self) -> Bool { left.name < right.name }

  /// The one room of a theater whose file names none.
  public static let standard = RoomID("theater")
}

/// A room of the theater: devices that are used together.
public struct Room: Sendable, Hashable {
  /// The key in `devices.json`.
  public var id: RoomID
  /// What people read and see instead of the name.
  public var label: Label
  /// Its devices, in the order of the file. A player or tuner belongs to one room; other devices may
  /// belong to several.
  public var devices: [DeviceID]

  /// The text that people read instead of the name.
  public var title: String? { label.title }

  public init(id: RoomID, label: Label = Label(), devices: [DeviceID]) {
    self.id = id
    self.label = label
    self.devices = devices
  }
}

/// The room in which a request acts.
package struct ControlledRoom: Sendable {
  /// `nil` in a theater with one room.
  package let room: Room?
  /// The category of what the player of its activity plays; `nil` without a player.
  package let category: Category?
}

/// Devices of one role that a scene commands with one step.
package struct DeviceGroup: Sendable, Hashable {
  /// The key in `devices.json`.
  package var name: String
  /// What people read and see instead of the name.
  package var label: Label
  /// At least one device; all have the same role.
  package var devices: [DeviceID]

  package init(name: String, label: Label = Label(), devices: [DeviceID]) {
    self.name = name
    self.label = label
    self.devices = devices
  }
}

extension TheaterPlan {
  /// The rooms in the order of the file; without any in the file one room with all devices.
  package var allRooms: [Room] {
    rooms.isEmpty ? [Room(id: .standard, devices: devices.map(\.id))] : rooms
  }

  /// The rooms that a device belongs to; a device in none belongs to the house.
  package func rooms(of device: DeviceID) -> [RoomID] {
    rooms.isEmpty ? [.standard] : rooms.filter { $0.devices.contains(device) }.map(\.id)
  }

  /// Whether a device can be used in a room: it belongs to the room, or to none.
  func has(_ device: DeviceID, in room: RoomID) -> Bool {
    let rooms = rooms(of: device)
    return rooms.isEmpty || rooms.contains(room)
  }

  /// The room of an activity: the one that the file names, else that of its player, else that of its
  /// amplifier, else the only room of all devices that its scenes command; `nil` for none.
  package func room(of activity: Activity) -> RoomID? {
    if let room = activity.room { return room }
    for device in [activity.player, activity.amplifier].compactMap(\.self) {
      let rooms = rooms(of: device)
      if rooms.count == 1 { return rooms.first }
    }
    let commanded = [activity.start, activity.end].compactMap { scenes[$0] }.flatMap(\.steps)
    return onlyRoom(of: commanded.devices)
  }

  /// The room of a scene: the one that the file names, else that of the activity that it begins or
  /// ends, else the only room of all devices that it commands; `nil` for none.
  package func room(of scene: String) -> RoomID? {
    guard let scene = scenes[scene] else { return nil }
    if let room = sceneRooms[scene.name] { return room }
    let rooms = Set(
      activities.values.filter { $0.start == scene.name || $0.end == scene.name }
        .map { room(of: $0) })
    if rooms.count == 1, let room = rooms.first { return room }
    return onlyRoom(of: scene.steps.devices)
  }

  /// The rooms that a principal may see and control: those for which an activity of a guest's pass can be on. `nil` for
  /// all.
  package func rooms(openTo principal: Principal) -> Set<RoomID>? {
    guard let permitted = principal.activities, !rooms.isEmpty else { return nil }
    let own = activities.values.filter { permitted.contains($0.name) }.map { room(of: $0) }
    return own.contains(nil) ? nil : Set(own.compactMap(\.self))
  }

  /// Whether a principal who may see these rooms may see an event: what belongs to no room is for all.
  ///
  /// - Parameter open: As `rooms(openTo:)` returns them.
  package func shows(_ event: TheaterEvent, to open: Set<RoomID>?) -> Bool {
    switch event {
    case .device(let device, _): shows(device.rooms, to: open)
    case .activity(_, let room): shows([room], to: open)
    case .run(let change): shows(runOf: change.scene, to: open)
    case .other: true
    }
  }

  func shows(runOf scene: String, to open: Set<RoomID>?) -> Bool {
    open == nil || shows([room(of: scene)].compactMap(\.self), to: open)
  }

  /// Whether what belongs to these rooms may be seen.
  package func shows(_ rooms: [RoomID], to open: Set<RoomID>?) -> Bool {
    guard let open, !rooms.isEmpty else { return true }
    return !open.isDisjoint(with: rooms)
  }

  private func onlyRoom(of devices: Set<DeviceID>) -> RoomID? {
    guard !rooms.isEmpty else { return .standard }
    let fitting = rooms.filter { devices.isSubset(of: $0.devices) }
    return fitting.count == 1 && !devices.isEmpty ? fitting.first?.id : nil
  }
}

/// A room and what is on in it.
public struct RoomStatus: Sendable, Hashable {
  public let room: Room
  /// The devices of the room, in the order of the file.
  public let devices: [DeviceID]
  /// The names of the activities for this room, in the order of the file.
  public let activities: [String]
  /// What is on; `idle` while nothing is.
  public let report: ActivityReport
  /// The playback of its player, for the API; `nil` without one.
  public let playback: JSON?

  /// The room for the API.
  public var json: JSON {
    var object: JSONObject = ["name": .string(room.id.name)]
    room.label.add(to: &object)
    object["devices"] = .array(devices.map { .string($0.name) })
    object["activities"] = .array(activities.map { .string($0) })
    object["activity"] = report.json(in: room.id)
    object["playback"] = playback
    return .object(object)
  }
}

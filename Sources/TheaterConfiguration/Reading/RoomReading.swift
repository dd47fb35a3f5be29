import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  // MARK: Groups

  /// Reads the groups; those with an error are left out.
  mutating func readGroups() -> [DeviceGroup] {
    var groups: [DeviceGroup] = []
    for (name, group) in member("groups").object ?? [:] where !isFull {
      let path: JSONPath = [.key("groups"), .key(name)]
      if isDevice(name) {
        report(
          .reference, at: path, key: true, "\"\(name)\" is a device, and so no name of a group",
          hint: "Give the group another name.")
      }
      let devices = readMembers(of: group, what: "group", at: path)
      checkRoles(of: devices, at: path)
      guard !hasError(at: path) else { continue }
      groups.append(DeviceGroup(name: name, label: Label(group), devices: devices))
    }
    return groups
  }

  private mutating func checkRoles(of devices: [DeviceID], at path: JSONPath) {
    let roles = devices.compactMap { self.roles[$0.name] }
    guard let first = roles.first, let other = roles.first(where: { $0 != first }) else { return }
    report(
      .reference, at: path.appending("devices"),
      "a group has devices of one role, and this one has \(first.rawValue) and \(other.rawValue)",
      hint: "Make a group for each role.")
  }

  /// Reads the devices of a group or room, each once.
  private mutating func readMembers(
    of entry: JSON, what: String, at path: JSONPath
  ) -> [DeviceID] {
    let path = path.appending("devices")
    var devices: [DeviceID] = []
    var known: Set<DeviceID> = []
    for (index, name) in (entry["devices"]?.array ?? []).enumerated() where !isFull {
      let place = path.appending(index)
      guard let name = name.string, !hasError(at: place),
        let device = device(name, at: place, as: Role.allCases, what: "a device")
      else { continue }
      if !known.insert(device).inserted {
        report(
          .reference, at: place, "\"\(name)\" stands twice in this \(what)",
          hint: "Remove one of the two.")
      }
      devices.append(device)
    }
    if entry["devices"]?.array?.isEmpty == true {
      report(
        .reference, at: path, "the \(what) has no devices",
        hint: "Name at least one device, or remove the \(what).")
    }
    return devices
  }

  // MARK: Rooms

  /// Reads the rooms; those with an error are left out.
  mutating func readRooms() -> [Room] {
    var rooms: [Room] = []
    var sources: [DeviceID: JSONPath] = [:]
    for (name, room) in member("rooms").object ?? [:] where !isFull {
      let path: JSONPath = [.key("rooms"), .key(name)]
      let devices = readMembers(of: room, what: "room", at: path)
      for (index, name) in (room["devices"]?.array ?? []).enumerated() {
        guard let id = name.string.map({ DeviceID($0) }), let role = roles[id.name],
          Role.sources.contains(role)
        else { continue }
        let place = path.appending("devices").appending(index)
        guard let first = sources[id] else {
          sources[id] = place
          continue
        }
        guard !hasError(at: place) else { continue }
        report(
          .reference, at: place,
          "\"\(id)\" already belongs to a room (\(first)); a player or tuner has one room",
          hint: "Remove it from one of the two.")
      }
      guard !hasError(at: path) else { continue }
      rooms.append(Room(id: RoomID(name), label: Label(room), devices: devices))
    }
    return rooms
  }

  /// The room that an entry names; `nil` if it names none, or one that is missing.
  mutating func room(of entry: JSON, at path: JSONPath) -> RoomID? {
    guard let name = text("room", of: entry, at: path) else { return nil }
    guard member("rooms")[name] != nil else {
      if !isExplained(name, in: "rooms") {
        reportMissing(
          "room", name, among: member("rooms").object?.keys ?? [], at: path.appending("room"))
      }
      return nil
    }
    return RoomID(name)
  }

  /// Reads the rooms that the file names for scenes.
  mutating func readSceneRooms() -> [String: RoomID] {
    var rooms: [String: RoomID] = [:]
    for (name, scene) in member("scenes").object ?? [:] where !isFull {
      rooms[name] = room(of: scene, at: [.key("scenes"), .key(name)])
    }
    return rooms
  }

  /// Reports activities whose player or amplifier belongs to other rooms than the activity.
  mutating func checkRooms(of plan: TheaterPlan) {
    guard !plan.rooms.isEmpty else { return }
    for activity in plan.orderedActivities where !isFull {
      guard let room = plan.room(of: activity) else { continue }
      for (key, device) in [("player", activity.player), ("amplifier", activity.amplifier)] {
        guard let device else { continue }
        let rooms = plan.rooms(of: device)
        guard !rooms.isEmpty, !rooms.contains(room) else { continue }
        let path: JSONPath = [.key("activities"), .key(activity.name)]
        report(
          .reference, at: path.appending(key),
          "\"\(device)\" belongs to \(listed(rooms.map { "\"\($0)\"" })), "
            + "and the activity to \"\(room)\"",
          hint: "Choose a \(key) of this room, or add the device to it.")
      }
    }
  }
}

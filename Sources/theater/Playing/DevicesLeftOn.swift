import Devices
import JSON
import TheaterAPI

/// The devices of a room that are on after the end of a scene that has no end scene.
struct DevicesLeftOn {
  /// The name of the run that ends such a scene.
  private static let scene = "stop"

  private let names: [String]

  /// - Parameter status: The status of the room.
  init(status: JSON) {
    let room = status["activity"]?["room"]
    names = (status["devices"]?.array ?? []).filter { device in
      Self.isOn(device) && (device["rooms"]?.array ?? []).contains { $0 == room }
    }.compactMap { $0["id"]?.string }
  }

  /// Whether a device reports another state than the one in which its command for "off" leaves it.
  private static func isOn(_ device: JSON) -> Bool {
    guard device["availability"]?.string == "available",
      let off = device["role"]?.string.flatMap(Role.init)?.off,
      case .value(let key, let value) = off.spec.settled,
      let reported = device["state"]?[key.rawValue]?["value"], !reported.isNull
    else { return false }
    return reported != value
  }

  /// Returns the hint for a person who has ended what was on; `nil` if it had an end scene.
  ///
  /// - Parameter answer: The answer to the request that ended it.
  static func hint(
    after answer: JSON, in place: RoomPath, _ theater: RemoteTheater
  ) async -> String? {
    // A token may end what is on without seeing the devices.
    guard answer["run"]?["scene"]?.string == scene,
      // Named where there are several rooms: "off" without a room would end what is on in others.
      case let place = RoomPath(room: answer["room"]?.string ?? place.room),
      let status = try? await theater.get(place.path(.status))
    else { return nil }
    return DevicesLeftOn(status: status.printable).hint(place.room)
  }

  /// The sentence that names them and says how to turn them off; `nil` if there are none.
  ///
  /// - Parameter room: The room; `nil` where the theater has only one.
  func hint(_ room: String?) -> String? {
    guard let last = names.last else { return nil }
    let others = names.dropLast().joined(separator: ", ")
    let list = others.isEmpty ? "\(last) stays on" : "\(others) and \(last) stay on"
    let option = room.map { " --room \($0)" } ?? ""
    return "\(list); to turn everything off: \(ProgramName.name) off\(option)"
  }
}

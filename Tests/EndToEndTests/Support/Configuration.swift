import Foundation
import JSON
import TestSupport

/// A `devices.json` that a test can change before the controller reads it.
struct Configuration {
  var json: JSON

  init(json: JSON) { self.json = json }

  /// The shipped configuration, with simulated devices without delays, the ALSA amplifier on the
  /// device `capture`, and the CD player on the folder `music`.
  ///
  /// - Parameter file: Another configuration of the project.
  init(music: String, of file: String = "devices.json") {
    let shipped = try? Data(contentsOf: Program.project.appendingPathComponent(file))
    json = shipped.flatMap { try? JSON(parsing: $0) } ?? [:]
    set("$schema", at: [], Program.project.appendingPathComponent("devices.schema.json").path)
    for (name, device) in json["devices"]?.object ?? [:] where device["plugin"] == "Simulated" {
      set("options", at: ["devices", name], ["speed": 0])
    }
    set("options", at: ["devices", "amp"], ["device": "capture", "whenMissing": "fail"])
    set("folders", at: ["library"], .array([.string(music)]))
    set("options", at: ["devices", "cd"], ["folders": .array([.string(music)])])
  }

  /// A configuration of `Tests/Fixtures/Theaters` with simulated devices without delays.
  init(theater name: String) throws {
    let file = Program.project.appendingPathComponent("Tests/Fixtures/Theaters/\(name).json")
    json = try JSON(parsing: Data(contentsOf: file))
    set("$schema", at: [], Program.project.appendingPathComponent("devices.schema.json").path)
    for (name, device) in json["devices"]?.object ?? [:] {
      switch device["plugin"]?.string {
      case "Simulated": set("speed", at: ["devices", name, "options"], 0)
      case "LibavPlayer":
        let music = Program.project.appendingPathComponent("Samples/Music").path
        set("folders", at: ["devices", name, "options"], [.string(music)])
      default: break
      }
    }
  }

  /// Puts `value` under `key` of the object at `path`.
  mutating func set(_ key: String, at path: [String], _ value: JSON) {
    json = Self.setting(key, at: path[...], value, in: json)
  }

  mutating func set(_ key: String, at path: [String], _ value: String) {
    set(key, at: path, .string(value))
  }

  private static func setting(
    _ key: String, at path: ArraySlice<String>, _ value: JSON, in json: JSON
  ) -> JSON {
    var object = json.object ?? [:]
    if let first = path.first {
      object[first] = setting(
        key, at: path.dropFirst(), value, in: object[first] ?? .object([:]))
    } else {
      object[key] = value
    }
    return .object(object)
  }
}

import APIClient
import Devices
import JSON

/// Completions for titles, devices and scenes, from the controller; none if it does not run.
enum TitleCompletion {
  static let films = titles("films")
  static let songs = titles("songs")
  static let stations = titles("stations")
  static let devices = names("/api/v1/devices", "devices", "id")
  static let scenes = names("/api/v1/scenes", "scenes", "name")

  private static func titles(_ list: String) -> @Sendable ([String], Int, String) async -> [String]
  {
    names("/api/v1/\(list)", list, "title")
  }

  private static func names(_ path: String, _ list: String, _ key: String)
    -> @Sendable ([String], Int, String) async -> [String]
  {
    { words, index, prefix in
      guard let answer = try? await RemoteTheater().get(path) else { return [] }
      let names = (answer[list]?.array ?? []).compactMap { $0[key]?.string }
      return CompletionRequest(words: words, index: index, prefix: prefix).candidates(names)
    }
  }
}

/// Completions for the commands of a device.
enum CommandCompletion {
  static let words: @Sendable ([String], Int, String) async -> [String] = { words, index, prefix in
    guard let command = words.firstIndex(of: "device"), words.count > command + 1 else {
      return []
    }
    if words[command + 1] == DeviceSwap.word {
      return await TitleCompletion.devices(words, index, prefix)
    }
    guard
      let known = try? await RemoteTheater().get(
        "/api/v1/devices/\(words[command + 1].percentEncoded)"),
      let role = known["role"]?.string.flatMap(Role.init)
    else { return [] }
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(role.commands.map(\.name))
  }
}

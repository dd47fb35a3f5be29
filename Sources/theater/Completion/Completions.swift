import APIClient
import Devices
import JSON
import TheaterAPI

/// Completions for titles, devices and scenes, from the controller; none if the controller does not
/// run.
enum TitleCompletion {
  static let films = titles(.films)
  static let songs = titles(.songs)
  static let stations = titles(.stations)
  static let devices = names(DeviceEndpoint.devices, "devices", "id")
  static let activities = names(PlaybackEndpoint.activities, "activities", "name")
  static let scenes = names(DeviceEndpoint.scenes, "scenes", "name")

  private static func titles(_ category: Devices.Category)
    -> @Sendable ([String], Int, String) async -> [String]
  {
    names(category.rawValue, "title") { try await $0.library(category) }
  }

  private static func names(_ endpoint: some Endpoint, _ list: String, _ key: String)
    -> @Sendable ([String], Int, String) async -> [String]
  {
    names(list, key) { try await $0.get(endpoint.path()) }
  }

  private static func names(
    _ list: String, _ key: String, _ get: @escaping @Sendable (RemoteTheater) async throws -> JSON
  ) -> @Sendable ([String], Int, String) async -> [String] {
    { words, index, prefix in
      guard let answer = try? await get(RemoteTheater()) else { return [] }
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
        DeviceEndpoint.device.path(words[command + 1])),
      let role = known["role"]?.string.flatMap(Role.init)
    else { return [] }
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(role.commands.map(\.name))
  }
}

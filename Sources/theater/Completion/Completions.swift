import APIClient
import Devices
import JSON
import Platform
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
      guard let answer = await CompletionAnswer.get(words, get) else { return [] }
      let names = (answer[list]?.array ?? []).compactMap { $0[key]?.string }
      return CompletionRequest(words: words, index: index, prefix: prefix).candidates(names)
    }
  }
}

/// The answer of the controller that a command line names, for completions.
enum CompletionAnswer {
  /// The longest wait for a controller elsewhere: a shell does nothing else meanwhile.
  private static let longestWait = Duration.seconds(4)

  /// Returns what `get` reads; `nil` without an answer.
  ///
  /// - Parameter words: The words of the command line, the program's name first.
  static func get(
    _ words: [String], _ get: @escaping @Sendable (RemoteTheater) async throws -> JSON
  ) async -> JSON? {
    guard let target = try? Invocation(Array(words.dropFirst())).target() else { return nil }
    guard target.address != nil else { return try? await get(RemoteTheater(target: target)) }
    return await withTaskGroup(of: JSON?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try? await get(RemoteTheater(target: target)) }
      group.addTask {
        try? await SystemClock().sleep(for: longestWait)
        return nil
      }
      return await group.next() ?? nil
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
    let device = words[command + 1]
    let known = await CompletionAnswer.get(words) {
      try await $0.get(DeviceEndpoint.device.path(device))
    }
    guard let role = known?["role"]?.string.flatMap(Role.init) else { return [] }
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(role.commands.map(\.name))
  }
}

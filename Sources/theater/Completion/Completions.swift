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
  static let rooms = names(PlaybackEndpoint.rooms, "rooms", "name")
  static let activities = names(PlaybackEndpoint.activities, "activities", "name")

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
      return await swapWords(words, index, prefix)
    }
    let device = words[command + 1]
    let known = await CompletionAnswer.get(words) {
      try await $0.get(DeviceEndpoint.device.path(device))
    }
    guard let role = known?["role"]?.string.flatMap(Role.init) else { return [] }
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(role.commands.map(\.name))
  }

  /// The words after `device swap`.
  private static func swapWords(
    _ words: [String], _ index: Int, _ prefix: String
  ) async -> [String] {
    let request = CompletionRequest(words: words, index: index, prefix: prefix)
    let before = request.arguments(after: ["device", DeviceSwap.word]) ?? []
    if before.last == "--plugin" {
      let plugins = await CompletionAnswer.get(words) {
        try await $0.get(SystemEndpoint.plugins.path())
      }
      return request.candidates((plugins?["plugins"]?.array ?? []).compactMap { $0["id"]?.string })
    }
    if prefix.hasPrefix("-") {
      return request.candidates(
        ["--plugin", "--option", "--process", "--save"].filter { !before.contains($0) },
        areOptions: true)
    }
    return before.isEmpty ? await TitleCompletion.devices(words, index, prefix) : []
  }
}

/// Completions for `scene run` and `scene plan`: the scenes, then the parameters of the one that was
/// named, and their values.
///
/// Both arguments of the commands have this completion, because the shells' scripts count an unknown
/// option as no argument.
enum SceneCompletion {
  static let words: @Sendable ([String], Int, String) async -> [String] = { words, index, prefix in
    let request = CompletionRequest(words: words, index: index, prefix: prefix)
    guard
      let before = request.arguments(after: ["scene", "run"])
        ?? request.arguments(after: ["scene", "plan"]),
      let answer = await CompletionAnswer.get(
        words, { try await $0.get(DeviceEndpoint.scenes.path()) }),
      let scenes = answer["scenes"]?.array
    else { return [] }
    guard let name = before.first(where: { !$0.hasPrefix("-") }) else {
      return request.candidates(scenes.compactMap { $0["name"]?.string })
    }
    // The shell passes the words with their quotes.
    let plain = name.filter { !"\"'\\".contains($0) }
    let parameters = scenes.first { $0["name"]?.string == plain }?["parameters"]?.object ?? [:]
    let options = parameters.map { (option: SceneParameters.option(for: $0), kind: $1.string) }
    if let current = options.first(where: { $0.option == before.last }) {
      return await values(of: current.kind, words, index, prefix)
    }
    return request.candidates(
      options.map(\.option).filter { !before.contains($0) }, areOptions: true)
  }

  private static func values(
    of kind: String?, _ words: [String], _ index: Int, _ prefix: String
  ) async -> [String] {
    switch kind {
    case "film": await TitleCompletion.films(words, index, prefix)
    case "song": await TitleCompletion.songs(words, index, prefix)
    case "station": await TitleCompletion.stations(words, index, prefix)
    default: []
    }
  }
}

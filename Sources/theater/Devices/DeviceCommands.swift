import APIClient
import ArgumentParser
import Devices
import JSON
import MediaNames
import TheaterAPI

/// `theater devices`.
struct DeviceList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the devices.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(DeviceEndpoint.devices.path())
    try output.show(answer) { answer in
      var columns = Columns()
      for device in answer["devices"]?.array ?? [] {
        columns.add(
          device["id"]?.string ?? "?", device["title"]?.string ?? "", DeviceText.state(device))
      }
      return columns.text
    }
  }
}

/// `theater device lights dim 40`: any command on any device.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Send a command to a device.",
    discussion: """
      theater device lights dim 40
      theater device tuner fm 98.5
      theater device dvd play "TITLE"
      theater device lights             what it knows
      theater device swap amp --plugin Simulated [--option KEY=VALUE]… [--process LABEL] [--save]
                                        another plugin, also while it plays
      """)

  @Flag(help: "Do not wait until the device reports it as done.")
  var noWait = false
  @OptionGroup var output: OutputOptions
  @Argument(help: "The device, or the word swap.", completion: .custom(TitleCompletion.devices))
  var device: String
  @Argument(
    parsing: .allUnrecognized, help: "The command and its argument.",
    completion: .custom(CommandCompletion.words))
  var command: [String] = []

  func validate() throws {
    guard device == DeviceSwap.word else { return try NameArgument.requireText(device, "a device") }
    do {
      _ = try DeviceSwap.parse(swapArguments)
    } catch {
      throw ValidationError(DeviceSwap.message(for: error))
    }
  }

  /// The words after `swap`, with the options that this command has recognized itself.
  private var swapArguments: [String] { command + (output.json ? ["--json"] : []) }

  func run() async throws {
    if device == DeviceSwap.word { return try await DeviceSwap.parse(swapArguments).run() }
    let theater = try RemoteTheater()
    let known = try await theater.get(DeviceEndpoint.device.path(device))
    guard let role = known["role"]?.string.flatMap(Role.init) else {
      throw ExitError(.failed, "\(device) has a role that this program does not know")
    }
    guard let word = command.first else {
      return try output.show(known) { shown in
        let parts = [
          "\(device): \(DeviceText.state(shown))", DeviceText.attributes(shown),
          CommandArguments.help(role),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
      }
    }
    let arguments = try await ItemNames(theater)
      .resolved(Array(command.dropFirst()), of: word, for: role)
    let json: JSON
    do {
      json = try CommandArguments.command(word, arguments, role: role).json
    } catch {
      throw ExitError(
        .wrongUsage, "\(device): \(error.message)",
        hint: "\(error.hint)\n\n\(CommandArguments.help(role))")
    }
    let answer = try await theater.post(
      DeviceEndpoint.sendCommand.path(device), json, wait: noWait ? 0 : nil)
    try output.show(answer) { answer in
      let isSeen = answer["confirmation"]?.string == "observed"
      return
        "\(device) \(CommandText.text(json)): \(isSeen ? "done" : "accepted, not confirmed")"
    }
  }
}

/// Finds the ids of films and songs by title.
struct ItemNames {
  let theater: RemoteTheater

  init(_ theater: RemoteTheater) { self.theater = theater }

  /// `words`, with the title of a film or song replaced by its id.
  func resolved(
    _ words: [String], of command: String, for role: Role
  ) async throws -> [String] {
    guard let category = Self.category(of: words, command, role) else { return words }
    let entries = try await theater.library(category)[category.rawValue]?.array ?? []
    return try Self.replacingTitle(in: words, from: entries, category)
  }

  /// The category of the title that `words` begin with; `nil` if the command takes none. Only `play` does: the argument
  /// of `seek` is a time, but a title may look like one too.
  static func category(of words: [String], _ command: String, _ role: Role) -> Devices.Category? {
    guard command == "play", role.has(.playback), let title = words.first, !title.contains("=")
    else { return nil }
    return role.category
  }

  /// `words`, with the title at their beginning replaced by the id of the entry that it names. A word that names none
  /// may be an id.
  ///
  /// - Throws: The titles, if it names several entries.
  static func replacingTitle(
    in words: [String], from entries: [JSON], _ category: Devices.Category
  ) throws -> [String] {
    guard let title = words.first, let search = TitleSearch(title),
      !entries.contains(where: { $0["id"]?.string?.hasSameBytes(as: title) == true })
    else { return words }
    let names = entries.map { entry in
      TitleNames(
        title: entry["title"]?.string ?? "", id: entry["id"]?.string ?? "",
        artist: entry["artist"]?.string, album: entry["album"]?.string, isFilm: category == .films)
    }
    guard let best = TitleMatch.best(search, among: names), best.fit <= .name else { return words }
    let found = best.indices.map { entries[$0] }
    guard found.count == 1 else {
      let choices = found.prefix(5).compactMap { entry in
        entry["id"]?.string.map { id in
          "\(entry["artist"]?.string ?? entry["title"]?.string ?? ""): \(id)"
        }
      }
      throw ExitError(
        .wrongUsage, "\"\(title)\" could be several \(category.rawValue)",
        hint: "Give the id instead of the title:\n\(choices.joined(separator: "\n"))")
    }
    return [found.first?["id"]?.string ?? title] + words.dropFirst()
  }
}

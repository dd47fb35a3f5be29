import ArgumentParser
import Foundation
import JSON
import PluginHost
import TheaterAPI

/// `theater plugins`.
struct Plugins: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the plugins and their status.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(SystemEndpoint.plugins.path())
    try output.show(answer, PluginText.text)
  }
}

/// The list of plugins as text.
enum PluginText {
  static func text(_ answer: JSON) -> String {
    var columns = Columns(["plugin", "status", "pid", "restarts", "memory", "devices"])
    var messages: [String] = []
    for plugin in answer["plugins"]?.array ?? [] {
      var name = plugin["id"]?.string ?? "?"
      if let process = plugin["process"]?.string { name += " (\(process))" }
      columns.add(
        name, plugin["status"]?.string ?? "?", plugin["pid"]?.text() ?? "–",
        plugin["restarts"]?.text() ?? "–", plugin["memory"]?.integer.map(megabytes) ?? "–",
        (plugin["devices"]?.array ?? []).compactMap(\.string).joined(separator: ", "))
      if let message = plugin["message"]?.string { messages.append("\(name): \(message)") }
    }
    return ([columns.text] + (messages.isEmpty ? [] : [""]) + messages).joined(separator: "\n")
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = bytes / (1024 * 1024 / 10)
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}

/// `theater audio devices`.
struct Audio: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show this machine's sound devices.", subcommands: [AudioDevices.self],
    defaultSubcommand: AudioDevices.self)
}

/// `theater audio devices`: lists the PCMs and mixers for an amplifier.
struct AudioDevices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the sound devices that the amplifier could use.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get(SystemEndpoint.audioDevices.path())
    try output.show(answer, AudioText.text)
  }
}

/// The list of sound devices as text.
enum AudioText {
  static func text(_ answer: JSON) -> String {
    let pcms = answer["pcms"]?.array ?? []
    let mixers = answer["mixers"]?.array ?? []
    var columns = Columns()
    for pcm in pcms {
      columns.add("  \(pcm["name"]?.string ?? "?")", pcm["description"]?.string ?? "")
    }
    var text = "PCMs (option \"device\"):\n"
    text += pcms.isEmpty ? "  none; `\(ProgramName.name) doctor` says why" : columns.text
    columns = Columns()
    for mixer in mixers {
      columns.add("  \(mixer["name"]?.string ?? "?")", mixer["scale"]?.string ?? "")
    }
    text += "\n\nmixers (option \"mixer\"):\n"
    return text + (mixers.isEmpty ? "  none" : columns.text)
  }
}

/// A run of a plugin's program with an option that it answers with one line of JSON:
/// `--self-check`, `--list-devices`.
struct PluginQuery: Sendable {
  private let plugin: CataloguedPlugin

  init(_ plugin: CataloguedPlugin) { self.plugin = plugin }

  /// Runs the program and returns its JSON, long texts shortened.
  func ask(_ question: String) async throws(LaunchError) -> JSON {
    try await ProcessLauncher.ask(question, of: plugin, environment: Environment.all)
  }
}

/// The variables of this program's environment.
enum Environment {
  static var all: [String: String] {
    // A plugin has no use for the access token of the person who starts it.
    ProcessInfo.processInfo.environment.filter { $0.key != "THEATER_TOKEN" }
  }
}

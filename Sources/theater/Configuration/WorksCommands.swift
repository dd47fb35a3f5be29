import ArgumentParser
import JSON

/// `theater plugins`.
struct Plugins: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the plugins: whether they run, and why not.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get("/api/v1/plugins")
    try output.show(answer, PluginText.text)
  }
}

/// The plugins as a person reads them.
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
    abstract: "Look at the sound of this machine.", subcommands: [AudioDevices.self],
    defaultSubcommand: AudioDevices.self)
}

/// The PCMs and mixers that an amplifier could use.
struct AudioDevices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the sound devices that the amplifier could use.")
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await RemoteTheater().get("/api/v1/audio")
    try output.show(answer, AudioText.text)
  }
}

/// Sound devices as a person reads them.
enum AudioText {
  static func text(_ answer: JSON) -> String {
    let pcms = answer["pcms"]?.array ?? []
    let mixers = answer["mixers"]?.array ?? []
    var columns = Columns()
    for pcm in pcms {
      columns.add("  \(pcm["name"]?.string ?? "?")", pcm["description"]?.string ?? "")
    }
    var text = "PCMs (option \"device\"):\n"
    text += pcms.isEmpty ? "  none; `\(Invocation.name) doctor` says why" : columns.text
    columns = Columns()
    for mixer in mixers {
      columns.add("  \(mixer["name"]?.string ?? "?")", mixer["scale"]?.string ?? "")
    }
    text += "\n\nmixers (option \"mixer\"):\n"
    return text + (mixers.isEmpty ? "  none" : columns.text)
  }
}

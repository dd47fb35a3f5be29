import APIClient
import ArgumentParser
import Devices
import JSON
import TheaterAPI

/// `theater device swap amp --plugin Simulated`: gives a device another plugin while everything runs.
///
/// Not a subcommand of `DeviceCommand`: the completion scripts would then offer its name in place of the
/// devices' names.
struct DeviceSwap: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "theater device swap", abstract: "Give a device another plugin.",
    discussion: """
      State and cable are carried over, and other devices notice nothing. The choice holds until \
      the next start, or until the device's entry in devices.json is edited. The plugin that \
      devices.json names gets the options that stand there, unless some are given. A swap to any \
      plugin but Simulated needs a login or a proof of the last five minutes.
      """)

  /// The word in place of a device.
  static let word = "swap"

  @Argument(help: "The device.")
  var device: String
  @Option(help: "The plugin.")
  var plugin: String
  @Option(
    name: .customLong("option"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "An option of the plugin; may be repeated. The value is JSON, or else a text.",
      valueName: "key=value"))
  var options: [String] = []
  @Option(help: "The label of the plugin's process.")
  var process: String?
  @Flag(help: "Change the device's entry in devices.json, too.")
  var save = false
  @OptionGroup var output: OutputOptions

  /// Whether a command line asks for the help of this command. The parser knows only `device`, and would show the help
  /// of that.
  static func isHelpRequest(_ arguments: [String]) -> Bool {
    let command = [DeviceCommand._commandName, word]
    let help = Set(["--help", "-h"])
    return arguments == ["help"] + command
      || arguments.starts(with: command) && !help.isDisjoint(with: arguments)
  }

  func validate() throws {
    try NameArgument.requireText(device, "a device")
    try NameArgument.requireText(plugin, "a plugin")
    for option in options where Self.member(option) == nil {
      throw ValidationError("--option takes KEY=VALUE, not \(option).")
    }
  }

  func run() async throws {
    let answer = try await RemoteTheater().post(
      DeviceEndpoint.swapPlugin.path(device), body)
    try output.show(answer) { Self.text($0) }
  }

  /// The body of the request.
  var body: JSON {
    var body: JSONObject = ["plugin": .string(plugin), "save": .bool(save)]
    if !options.isEmpty { body["options"] = .object(JSONObject(options.compactMap(Self.member))) }
    if let process { body["process"] = .string(process) }
    return .object(body)
  }

  /// The option of `buffer=200` or `device=hw:1`; `nil` without a key.
  private static func member(_ option: String) -> (String, JSON)? {
    guard let equals = option.firstIndex(of: "="), equals != option.startIndex else { return nil }
    let text = String(option[option.index(after: equals)...])
    return (String(option[..<equals]), (try? JSON(parsing: text)) ?? .string(text))
  }

  /// The text for an answer of the API.
  static func text(_ answer: JSON) -> String {
    let (device, plugin) = (answer["device"]?.string ?? "?", answer["plugin"]?.string ?? "?")
    let changes = answer["changes"]?.array ?? []
    guard !changes.isEmpty else { return "\(device) has the plugin \(plugin) already." }
    let end =
      answer["saved"] == true
      ? "devices.json has this entry."
      : "Until the next start, or until its entry in devices.json is edited; --save keeps it."
    return
      (["\(device) has the plugin \(plugin) now."] + changes.map(DifferenceText.line(of:))
      + [end]).joined(separator: "\n")
  }
}

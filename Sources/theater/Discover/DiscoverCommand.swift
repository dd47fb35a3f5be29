import ArgumentParser
import Devices
import Discovery
import Foundation
import JSON
import MQTTClient
import TheaterConfiguration

extension DiscoveryKind: ExpressibleByArgument {}

/// `theater discover`: searches the network and this machine for devices.
struct Discover: AsyncParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    abstract: "Search for projectors, MQTT devices, sound cards, drives, displays and folders.",
    discussion: """
      Prints each finding with its entry for devices.json. Works without the controller.

      theater discover --only projectors
      theater discover --broker broker.lan
      theater discover --put-in projector
      theater discover --put-in amp=alsa:hw:CARD=PCH,DEV=0 --replace

      The entries are named after the devices in the file of the running controller, or else in \
      the installed one, or else in ./devices.json. The exit code is 1 if a search could not be \
      made; without a broker on this machine only with --only mqtt.
      """)

  @Option(
    help: ArgumentHelp(
      "Search only for this; may be repeated.",
      valueName: "kind"))
  var only: [DiscoveryKind] = []
  @Option(
    help: ArgumentHelp(
      "The MQTT broker; without it that of this machine.", valueName: "host[:port]"))
  var broker: String?
  @Flag(help: "Encrypt the connection to the broker.")
  var tls = false
  @Option(
    help: ArgumentHelp(
      "With --tls: the authorities to trust, as PEM; without it those of the system.",
      valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(help: "The user at the broker; the password is asked for.")
  var user: String?
  @Flag(help: "Read the broker's password as a line of standard input.")
  var passwordStdin = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to wait for answers, 1 to 60 s.", valueName: "seconds"))
  var timeout = 3
  @Option(
    help: ArgumentHelp(
      "Put the finding for a device into its entry in devices.json. If several findings fit, add the id of one. "
        + "May be repeated.", valueName: "device[=id]"),
    completion: .custom(TitleCompletion.devices))
  var putIn: [String] = []
  @Flag(help: "With --put-in: also where the entry has a real plugin, or another value.")
  var replace = false
  @Option(
    help: ArgumentHelp(
      "Another configuration, in place of the controller's.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  /// The address of the option `--broker`, without a login; `nil` without the option.
  private func address() throws -> BrokerAddress? {
    guard let broker else { return nil }
    // The entry is read by the controller, whose folder is another one.
    let file = caFile.map { URL(filePath: $0).standardizedFileURL.path }
    guard let address = BrokerAddress(broker, tls: tls ? .init(caFile: file) : nil) else {
      throw ValidationError("\"\(broker.quotation)\" is no broker: write HOST or HOST:PORT.")
    }
    return address
  }

  func validate() throws {
    guard (1...60).contains(timeout) else { throw ValidationError("--timeout takes 1 to 60 s.") }
    _ = try address()
    if tls, broker == nil { throw ValidationError("--tls needs --broker.") }
    if caFile != nil, !tls { throw ValidationError("--ca-file needs --tls.") }
    if user != nil, broker == nil { throw ValidationError("--user needs --broker.") }
    if passwordStdin, user == nil { throw ValidationError("--password-stdin needs --user.") }
    if replace, putIn.isEmpty { throw ValidationError("--replace needs --put-in.") }
    for choice in putIn where FindingChoice(choice) == nil {
      throw ValidationError("--put-in takes DEVICE or DEVICE=ID, not \(choice.quotation).")
    }
  }

  func run() async throws {
    var address = try address()
    if let user {
      address = address?.with(
        user: user, password: try Prompt.password(fromInput: passwordStdin))
    }
    let paths = ApplicationPaths()
    let judged = JudgedConfiguration(config, plugins: try plugins.existing(), paths: paths)
    let folders = judged.plugins
    let store = ConfigurationFileStore(name: judged.path, plugins: folders, paths: paths)
    let sources = DiscoverySources(
      folders: folders + paths.pluginFolders, home: paths.home,
      settings: paths.settings)
    let kinds = only.isEmpty ? DiscoveryKind.allCases : only
    let searches = sources.searches(kinds, broker: address, timeout: .seconds(timeout))
    let result = try await WaitingLine.during(
      "Searching: \(kinds.map(\.rawValue).joined(separator: ", "))"
    ) {
      try await DiscoveryRunner().run(
        searches, within: DiscoverySources.limit(timeout: .seconds(timeout)))
    }
    let devices = ConfiguredDevices(in: store)
    let failed = kinds.filter { result.failed.contains($0) && isWanted($0) }
    var answer: JSONObject = [
      "configuration": .string(judged.path),
      "findings": .array(
        result.findings.map { finding in
          finding.json { devices.name(of: finding, for: $0) }
        }),
      "problems": .array(result.problems.map { .string($0) }),
      "failed": .array(failed.map { .string($0.rawValue) }),
    ]
    if !output.json {
      Console.writeLine(DiscoveryText.text(result, devices: devices))
      if !result.findings.isEmpty, putIn.isEmpty {
        Console.writeLine("\nNamed after the devices in \(judged.description).")
      }
    }
    if !putIn.isEmpty {
      let placement = FindingPlacement(
        store: store, findings: result.findings, isReplacing: replace)
      let difference = try placement.insert(putIn.compactMap(FindingChoice.init))
      answer["changes"] = difference.json
      if !output.json {
        Console.writeLine(
          difference.isEmpty
            ? "\n\(judged.description) has this already."
            : "\n\(difference.text)\nIt is saved in \(judged.description).")
      }
    }
    if output.json { Console.writeLine(JSON.object(answer).prettyText()) }
    if !failed.isEmpty, putIn.isEmpty {
      throw ExitError(
        silent: .failed,
        "these searches could not be made: \(failed.map(\.rawValue).joined(separator: ", "))")
    }
  }

  /// Whether the failure of a search is one of the command. A machine need not have a broker of its own.
  private func isWanted(_ kind: DiscoveryKind) -> Bool {
    kind != .mqtt || broker != nil || only.contains(.mqtt)
  }
}

/// `projector` or `amp=alsa:hw:0`: a device, and perhaps the finding for it.
struct FindingChoice: Hashable {
  let device: String
  /// The finding's id; `nil` for the only one.
  let finding: String?

  init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let device = parts.first, !device.isEmpty else { return nil }
    self.device = String(device)
    finding = parts.count == 2 ? String(parts[1]) : nil
    if finding?.isEmpty == true { return nil }
  }
}

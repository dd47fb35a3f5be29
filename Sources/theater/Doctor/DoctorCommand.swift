import ArgumentParser
import JSON
import TheaterAPI

/// `theater doctor`: lists the problems of this machine, each with the command that fixes it.
/// Works without the controller; checks it too if it runs. For a controller elsewhere, shows the checks that it
/// makes of its own machine.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is missing or wrong on this machine, and how to fix it.")

  @Option(
    help: ArgumentHelp("The configuration to check.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?
  @Option(parsing: .unconditional, help: "The port that the controller will use.")
  var port = 8080
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let findings =
      if ControllerTarget.current.address == nil { try await checkThisMachine() } else {
        try await checkElsewhere()
      }
    let bad = findings.count { $0.verdict == .bad }
    let answer: JSON = ["findings": .array(findings.map(\.json)), "bad": .integer(bad)]
    if output.json {
      Console.writeLine(answer.prettyText())
    } else {
      for finding in findings { Console.writeLine(finding.text) }
      Console.writeLine("\n" + Self.verdict(on: findings))
    }
    if bad > 0 { throw ExitError(silent: .failed) }
  }

  private func checkElsewhere() async throws -> [Finding] {
    guard config == nil, plugins.folders.isEmpty else {
      throw ExitError(
        .wrongUsage, "--config and --plugins name files of this machine",
        hint: "A controller elsewhere checks its own: leave them out.")
    }
    let report = try await RemoteTheater().get(SystemEndpoint.doctor.path()).printable
    return (report["checks"]?.array ?? []).map(Finding.init(check:))
  }

  private func checkThisMachine() async throws -> [Finding] {
    let paths = ApplicationPaths()
    let folders = try plugins.existing()
    let isRunning = SocketProbe.isListening(at: paths.socket)
    let findings = await MachineCheck(
      configuration: config ?? Serve.usualConfiguration(paths), plugins: folders,
      paths: paths
    ).findings()
    if isRunning { return findings + (await ControllerCheck(paths: paths).findings()) }
    return findings + [
      .notice(
        "controller", "it does not run",
        remedy: "\(ProgramName.name) serve --config devices.json"),
      PortCheck.finding(port),
    ]
  }

  /// The last line: the number of faults, else the number of notices.
  static func verdict(on findings: [Finding]) -> String {
    let bad = findings.count { $0.verdict == .bad }
    let notices = findings.count { $0.verdict == .notice }
    if bad > 0 { return "\(bad) \(bad == 1 ? "thing is" : "things are") wrong (✗)." }
    if notices == 0 { return "Nothing is wrong." }
    return "Nothing is broken; \(notices) \(notices == 1 ? "thing" : "things") to know (!)."
  }
}

/// The checks of a machine that need no controller.
struct MachineCheck: Sendable {
  /// The path of the configuration.
  let configuration: String
  /// The plugin folders from the command line.
  let plugins: [String]
  let paths: ApplicationPaths

  /// The findings on sound, folders, database, backups, configuration and plugins.
  func findings() async -> [Finding] {
    SoundCheck().findings() + FolderCheck(paths: paths).findings()
      + KeyCheck(paths: paths).findings() + BackupCheck(paths: paths).findings()
      + (await ConfigurationCheck(path: configuration, plugins: plugins, paths: paths).findings())
  }
}

import ArgumentParser
import JSON
import TheaterAPI
import TheaterConfiguration
import TheaterLoader

/// `theater doctor`: lists the problems of this machine, each with the command that fixes it.
/// Works without the controller; checks it too if it runs. For a controller elsewhere, shows the checks that it
/// makes of its own machine.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is missing or wrong on this machine, and how to fix it.")

  @Option(
    help: ArgumentHelp(
      "Another configuration, in place of the controller's.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?
  @Option(
    parsing: .unconditional,
    help: "Another port, in place of the one in the configuration. (8080)")
  var port: Int?
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (findings, configuration) =
      ControllerTarget.current.address == nil
      ? try await checkThisMachine() : (try await checkElsewhere(), nil)
    let bad = findings.count { $0.verdict == .bad }
    let answer: JSON = [
      "configuration": configuration.map { .string($0) } ?? .null,
      "findings": .array(findings.map(\.json)), "bad": .integer(bad),
    ]
    if output.json {
      Console.writeLine(answer.prettyText())
    } else {
      for finding in findings { Console.writeLine(finding.text) }
      Console.writeLine("\n" + Self.verdict(on: findings))
    }
    if bad > 0 { throw ExitError(silent: .failed, "\(bad) of the findings are bad") }
  }

  private func check(
    _ judged: JudgedConfiguration, _ paths: ApplicationPaths
  ) async -> [Finding] {
    let isRunning = SocketProbe.isListening(at: paths.socket)
    let machine = await MachineCheck(
      configuration: judged.path, reason: judged.reason.words, plugins: judged.plugins,
      paths: paths
    ).findings()
    if isRunning { return machine + (await ControllerCheck(paths: paths).findings()) }
    let loaded = try? LoadedConfiguration(
      path: judged.path, plugins: judged.plugins, paths: paths)
    return machine + [
      .notice(
        "controller", "it does not run",
        remedy: "\(ProgramName.name) serve --config \(judged.path)"),
      PortCheck.finding(port ?? loaded?.configuration.web.port ?? 8080),
    ]
  }

  private func checkElsewhere() async throws -> [Finding] {
    guard config == nil, plugins.folders.isEmpty, port == nil else {
      throw ExitError(
        .wrongUsage, "--config, --plugins and --port are about this machine",
        hint: "A controller elsewhere checks its own: leave them out.")
    }
    let report = try await RemoteTheater().get(SystemEndpoint.doctor.path()).printable
    return (report["checks"]?.array ?? []).map(Finding.init(check:))
  }

  /// Returns the findings, and the path of the configuration that was judged.
  private func checkThisMachine() async throws -> ([Finding], String?) {
    let paths = ApplicationPaths()
    let judged = JudgedConfiguration(config, plugins: try plugins.existing(), paths: paths)
    let findings = await WaitingLine.during("Checking this machine and its plugins") {
      await check(judged, paths)
    }
    return (findings, judged.path)
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
  /// The reason why this one is checked, in words; empty if it was named.
  var reason = ""
  /// The plugin folders from the command line.
  let plugins: [String]
  let paths: ApplicationPaths

  /// The findings on sound, folders, database, backups, configuration and plugins.
  func findings() async -> [Finding] {
    SoundCheck().findings() + FolderCheck(paths: paths).findings()
      + KeyCheck(paths: paths).findings() + BackupCheck(paths: paths).findings()
      + (await ConfigurationCheck(
        path: configuration, reason: reason, plugins: plugins, paths: paths
      ).findings())
  }
}

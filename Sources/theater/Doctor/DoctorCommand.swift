import ArgumentParser
import JSON

/// `theater doctor`: what is missing or wrong on this machine, and the command that mends it. Works
/// without the controller; with it, it looks there too.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is missing or wrong on this machine, and what mends it.")

  @Option(
    help: ArgumentHelp("The configuration to look at.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var config: String?
  @Option(help: "The port that the controller is to have.")
  var port = 8080
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let folders = ApplicationPaths()
    let isRunning = SocketProbe.answers(at: folders.socket)
    var findings = SoundCheckup().findings()
    findings += FolderCheckup(folders: folders).findings()
    findings += KeyCheckup(folders: folders).findings()
    findings += BackupCheckup(folders: folders).findings()
    findings += await ConfigurationCheckup(
      path: config ?? Serve.usualConfiguration(folders), plugins: plugins.folders,
      folders: folders
    ).findings()
    if isRunning {
      findings += await ControllerCheckup(folders: folders).findings()
    } else {
      findings.append(
        .notice(
          "controller", "it does not run",
          remedy: "\(Invocation.name) serve --config devices.json"))
      findings.append(PortCheckup.finding(port))
    }
    let bad = findings.count { $0.verdict == .bad }
    let answer: JSON = ["findings": .array(findings.map(\.json)), "bad": .integer(bad)]
    if output.json {
      Console.say(answer.prettyText())
    } else {
      for finding in findings { Console.say(finding.text) }
      Console.say("\n" + Self.verdict(on: findings))
    }
    if bad > 0 { throw ExitError(silent: .failed) }
  }

  /// The last line: what is wrong counts first, then what a person may want to know.
  static func verdict(on findings: [Finding]) -> String {
    let bad = findings.count { $0.verdict == .bad }
    let notices = findings.count { $0.verdict == .notice }
    if bad > 0 { return "\(bad) \(bad == 1 ? "thing is" : "things are") wrong (✗)." }
    if notices == 0 { return "Nothing is wrong." }
    return "Nothing is broken; \(notices) \(notices == 1 ? "thing" : "things") to know (!)."
  }
}

import ArgumentParser
import Devices
import Foundation
import JSON
import Platform
import PluginConformance

/// `theater plugin new`, `theater plugin check`.
struct PluginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin", abstract: "Make and check plugins of your own.",
    subcommands: [PluginNew.self, PluginCheck.self])
}

/// `theater plugin check PATH`: the conformance suite against a plugin, without a controller.
struct PluginCheck: AsyncParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a plugin against the plugin protocol.",
    discussion: """
      PATH is a plugin's folder, its manifest.json, or its program. Each case starts the program \
      anew, as the controller does, and opens devices with the options of the manifest's schema. \
      Needs no controller. The exit code is 0 only if no case fails.

      The check operates the devices: it turns them on and off, moves a screen, pops, and sets the \
      volume up to 100 %, or to --loudest. It ends with off.
      """)

  @Argument(help: "The plugin's folder, manifest.json or program.", completion: .file())
  var path: String
  @Option(help: "Check this role only. A program without a manifest needs it.")
  var role: String?
  @Option(
    help: ArgumentHelp(
      "The options with which devices open, beside the schema's defaults.", valueName: "JSON"))
  var options: String?
  @Option(
    help: ArgumentHelp("A file with these options.", valueName: "FILE"),
    completion: .file(extensions: ["json"]))
  var optionsFile: String?
  @Flag(
    help: """
      For a device that takes a single connection: open one device at a time, and run one case \
      after another.
      """)
  var oneDevice = false
  @Option(
    help: ArgumentHelp("Send no volume above this one, 0 to 100 %.", valueName: "PERCENT"))
  var loudest: Int?
  @Option(
    help: ArgumentHelp(
      "Run one case after another, and wait so long between two of them.", valueName: "SECONDS"))
  var pause: Double?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let loudest, !(0...100).contains(loudest) {
      throw ValidationError("--loudest takes a volume from 0 to 100 (%), not \(loudest).")
    }
    if let pause, !(0...Self.longestPause).contains(pause) {
      throw ValidationError(
        "--pause takes seconds, from 0 to \(Int(Self.longestPause)).")
    }
    if options != nil, optionsFile != nil {
      throw ValidationError("Give either --options or --options-file.")
    }
  }

  func run() async throws {
    let located = try LocatedPlugin(path, role: try role.map(RoleArgument.read))
    let target = try located.target(
      options: try givenOptions(),
      restrictions: CheckRestrictions(opensOneDevice: oneDevice, loudest: loudest))
    let document = (try? String(contentsOfFile: ApplicationPaths().pluginProtocol, encoding: .utf8))
      .map(ProtocolDocument.init)
    let report = PluginCheckReport(located: located, document: document)
    let trials = ConformanceTrial.all(of: target, roles: located.roles)
    if !output.json { Console.writeLine(report.heading) }
    var results: [ConformanceResult] = []
    let line = WaitingLine("Checking")
    func record(_ result: ConformanceResult) {
      results.append(result)
      line.change(to: "Checking: \(results.count) of \(trials.count) cases")
      if !output.json { Console.writeLine(report.text(of: result)) }
    }
    if oneDevice || pause != nil {
      // The user's pause for a device that needs time between two connections.
      let wait = { _ = try? await Task.sleep(for: .seconds(pause ?? 0)) }
      await ConformanceTrial.runOneByOne(trials, pause: wait, report: record)
    } else {
      await ConformanceTrial.run(trials, width: Self.width, report: record)
    }
    line.end()
    Console.writeLine(
      output.json ? report.json(of: results).prettyText() : report.summary(of: results))
    if results.contains(where: \.isFailed) { throw ExitError(silent: .failed, "a case failed") }
  }

  /// The longest pause between two cases, in seconds.
  private static let longestPause = 600.0

  /// The most concurrent cases.
  private static var width: Int { min(4, max(2, ProcessInfo.processInfo.activeProcessorCount)) }

  private func givenOptions() throws(ExitError) -> JSONObject {
    let origin = optionsFile ?? "--options"
    var text = Array((options ?? "{}").utf8)
    if let optionsFile {
      do throws(RegularFile.Failure) {
        text = try RegularFile.read(optionsFile, atMost: 1 << 20)
      } catch {
        throw ExitError(.failed, "\(optionsFile): \(error)")
      }
    }
    let json: JSON
    do {
      json = try JSON(parsing: text)
    } catch {
      throw ExitError(.wrongUsage, "\(origin) is not JSON: \(error)")
    }
    guard let object = json.object else {
      throw ExitError(.wrongUsage, "\(origin): expected an object such as {\"port\": 1}")
    }
    return object
  }
}

/// The parser of arguments that name a role.
enum RoleArgument {
  /// Returns the role with a name. The error lists all roles.
  static func read(_ name: String) throws(ExitError) -> Role {
    guard let role = Role(rawValue: name) else {
      let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw ExitError(.wrongUsage, "there is no role \"\(name)\"", hint: "Roles are \(known).")
    }
    return role
  }
}

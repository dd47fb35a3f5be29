import ArgumentParser
import JSON
import Platform
import PluginHost
import PluginProtocol
import TheaterAPI
import TheaterConfiguration
import TheaterLoader

/// `theater config check`, `theater config diff`, `theater config schema`, `theater config upgrade`.
struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Check a configuration, compare it with the running one, upgrade it, or print its schema.",
    subcommands: [ConfigCheck.self, ConfigDiff.self, ConfigSchema.self, ConfigUpgrade.self])
}

/// `theater config check [FILE]`.
struct ConfigCheck: ParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "List every error of a configuration.",
    discussion: """
      Without FILE the file of the running controller is checked, or else the installed one in \
      $XDG_CONFIG_HOME/theater, or else ./devices.json.
      """)

  @Argument(
    help: "Another file, in place of the controller's.",
    completion: .file(extensions: ["json"]))
  var file: String?
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let paths = ApplicationPaths()
    let judged = JudgedConfiguration(file, plugins: try plugins.existing(), paths: paths)
    let problems: [ConfigurationIssue]
    do throws(InvalidConfiguration) {
      let loaded = try LoadedConfiguration(
        path: judged.path, plugins: judged.plugins, paths: paths)
      problems = loaded.configuration.warnings
    } catch {
      problems = error.problems
    }
    let errors = problems.count { $0.severity == .error }
    let answer: JSON = [
      "file": .string(judged.path), "problems": .array(problems.map(\.json)),
      "errors": .integer(errors),
    ]
    if output.json {
      Console.writeLine(answer.prettyText())
    } else {
      for problem in problems { Console.writeLine("\(problem)") }
      Console.writeLine(Self.verdict(on: judged, errors: errors))
    }
    if errors > 0 { throw ExitError(silent: .failed, "\(judged.path) has errors") }
  }
}

extension ConfigCheck {
  /// The last line: whether the file is fine, and why it is this file.
  static func verdict(on judged: JudgedConfiguration, errors: Int) -> String {
    guard errors > 0 else {
      return judged.reason == .named
        ? "\(judged.path) is fine." : "\(judged.path) is fine: \(judged.reason.words)."
    }
    return "\(errors) \(errors == 1 ? "error" : "errors") in \(judged.description)"
  }
}

/// `theater config diff [FILE]`.
struct ConfigDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what differs between a file and the configuration in force.",
    discussion: """
      Without FILE the controller's own file is compared. Names of entries and keys are \
      shown, never values: + added, - removed, ~ changed.
      """)

  @Argument(
    help: "Another file, in place of the controller's.", completion: .file(extensions: ["json"]))
  var file: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let theater = try RemoteTheater()
    let answer =
      if let file {
        try await theater.post(
          SystemEndpoint.compareConfiguration.path(), text: try Self.read(file)
        ).withProblems(of: file)
      } else {
        try await theater.get(SystemEndpoint.configurationDifference.path())
      }
    try output.show(answer, DifferenceText.text)
    if DifferenceText.hasErrors(answer) {
      throw ExitError(silent: .failed, "the file has errors")
    }
  }

  private static func read(_ file: String) throws(ExitError) -> [UInt8] {
    do throws(RegularFile.Failure) {
      return try RegularFile.read(file, atMost: 4 << 20)
    } catch {
      throw ExitError(.failed, "\(file): \(error)")
    }
  }
}

extension JSON {
  /// The answer with this name for the file of its problems: the controller knows the text alone.
  fileprivate func withProblems(of file: String) -> JSON {
    guard var answer = object else { return self }
    answer["problems"] = .array(
      (answer["problems"]?.array ?? []).map { problem in
        guard var named = problem.object else { return problem }
        named["file"] = .string(file)
        return .object(named)
      })
    return .object(answer)
  }
}

/// The difference between two configurations as text.
enum DifferenceText {
  /// Returns the text for an answer of the API.
  static func text(_ answer: JSON) -> String {
    var lines = (answer["problems"]?.array ?? []).map { Self.line($0) }
    if !hasErrors(answer) {
      let changes = answer["changes"]?.array ?? []
      lines += changes.isEmpty ? ["Nothing differs."] : changes.map(line(of:))
    }
    return lines.joined(separator: "\n")
  }

  /// Whether the compared file has errors.
  static func hasErrors(_ answer: JSON) -> Bool {
    answer["problems"]?.array?.contains { $0["severity"] == "error" } ?? false
  }

  /// Returns the line of a change, such as `~ devices.amp: plugin, options.device`.
  static func line(of change: JSON) -> String {
    let signs = ["added": "+", "removed": "-", "changed": "~"]
    let sign = change["kind"]?.string.flatMap { signs[$0] } ?? "?"
    let place = [change["section"]?.string, change["name"]?.string].compactMap(\.self)
    let keys = (change["keys"]?.array ?? []).compactMap(\.string)
    return "\(sign) \(place.joined(separator: "."))"
      + (keys.isEmpty ? "" : ": \(keys.joined(separator: ", "))")
      + (change["live"] == false ? " (takes effect at the next start)" : "")
  }

  /// Returns the line of a problem, such as
  /// `devices.json:4:29: error: $.devices.amp.role: expected …`, with its hint on a second line.
  static func line(_ problem: JSON) -> String {
    var text = problem["file"]?.string ?? "devices.json"
    if let line = problem["line"]?.integer, let column = problem["column"]?.integer {
      text += ":\(line):\(column)"
    }
    text += ": \(problem["severity"]?.string ?? "error"): "
    if let path = problem["path"]?.string { text += "\(path): " }
    text += problem["message"]?.string ?? "?"
    if let hint = problem["hint"]?.string { text += "\n  \(hint)" }
    return text
  }
}

/// `theater config schema`.
struct ConfigSchema: ParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of devices.json, for editors.")
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let paths = ApplicationPaths()
    let judged = JudgedConfiguration(nil, plugins: try plugins.existing(), paths: paths)
    let catalogue = PluginCatalogue(folders: judged.plugins + paths.pluginFolders)
    Console.writeLine(TheaterConfiguration.schema(KnownPlugins(catalogue)).prettyText())
  }
}

/// Options for further plugin folders.
struct PluginFolderOptions: ParsableArguments {
  @Option(
    name: .customLong("plugins"),
    help: ArgumentHelp("A further folder of plugins; may be repeated.", valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  /// Returns the folders.
  ///
  /// - Throws: `ExitError` if one of them does not exist. The catalogue would lack its plugins without a message.
  func existing() throws(ExitError) -> [String] {
    for folder in folders {
      if let problem = folderProblem(folder) {
        throw ExitError(.failed, "--plugins: \(problem)", hint: "Name a folder of plugins.")
      }
    }
    return folders
  }
}

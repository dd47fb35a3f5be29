import ArgumentParser
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration

/// `theater config check`, `theater config schema`.
struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a configuration, or print its schema.",
    subcommands: [ConfigCheck.self, ConfigSchema.self])
}

/// `theater config check [FILE]`.
struct ConfigCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "List every error of a configuration.")

  @Argument(help: "The file.", completion: .file(extensions: ["json"]))
  var file = "devices.json"
  @OptionGroup var plugins: PluginFolderOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let paths = ApplicationPaths()
    let problems: [ConfigurationIssue]
    do {
      let loaded = try LoadedConfiguration(path: file, plugins: plugins.folders, paths: paths)
      problems = loaded.configuration.warnings
    } catch {
      problems = error.problems
    }
    let errors = problems.count { $0.severity == .error }
    let answer: JSON = ["problems": .array(problems.map(\.json)), "errors": .integer(errors)]
    if output.json {
      Console.say(answer.prettyText())
    } else {
      for problem in problems { Console.say("\(problem)") }
      Console.say(
        errors == 0 ? "\(file) is fine." : "\(errors) \(errors == 1 ? "error" : "errors")")
    }
    if errors > 0 { throw ExitError(silent: .failed) }
  }
}

/// `theater config schema`.
struct ConfigSchema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of devices.json, for editors.")
  @OptionGroup var plugins: PluginFolderOptions

  func run() throws {
    let catalogue = PluginCatalogue(
      folders: plugins.folders + ApplicationPaths().pluginFolders)
    Console.say(TheaterConfiguration.schema(KnownPlugins(catalogue)).prettyText())
  }
}

/// Options for further plugin folders.
struct PluginFolderOptions: ParsableArguments {
  @Option(
    name: .customLong("plugins"),
    help: ArgumentHelp("A further folder of plugins; may be repeated.", valueName: "folder"),
    completion: .directory)
  var folders: [String] = []
}

import ArgumentParser
import CLinux
import Glibc
import Logging
import TheaterConfiguration
import TheaterLoader

/// `theater serve`: runs the controller.
struct Serve: AsyncParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the controller, which all other commands use.")

  @Option(
    help: ArgumentHelp(
      "The configuration; ./devices.json, else the one in $XDG_CONFIG_HOME/theater.",
      valueName: "file"), completion: .file(extensions: ["json"]))
  var config: String?
  @Option(
    help: "The address for browsers and other programs; other machines need TLS. (127.0.0.1)"
  )
  var host: String?
  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: "The port of that address; 0 selects a free one. (8080)")
  var port: Int?
  @Flag(
    name: .customLong("insecure-plain-http-on-the-network"),
    help: "No TLS: everyone on the network can read passwords and take over sessions.")
  var isInsecure = false
  @OptionGroup var plugins: PluginFolderOptions
  @Option(help: "The lowest level that is logged: debug, info, notice, warning or error.")
  var logLevel = LogLevel(.notice)
  @Flag(help: "Print the addresses, then the devices, as a line of JSON each.")
  var json = false

  func validate() throws {
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("--port takes 0 to 65535.") }
  }

  func run() async throws {
    // A write to a plugin that has ended must not end the controller.
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    try DescriptorLimit.raise()
    // The hash of a password needs 19 MiB for a moment.
    linux_return_large_blocks(1 << 20)
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "theater")
    logger.logLevel = logLevel.level
    let stop = await StopRequest(logger: logger)
    let paths = ApplicationPaths()
    let folders = try plugins.existing()
    let store = ConfigurationFileStore(
      name: config ?? Self.usualConfiguration(paths), plugins: folders, paths: paths)
    let (text, loaded) = try load(store)
    for warning in loaded.configuration.warnings { logger.warning("\(warning)") }
    let listening = try ListenerConfiguration(
      host: host, port: port, isInsecure: isInsecure, settings: loaded.configuration.web)
    try ApplicationPaths.make(privately: paths.state)
    try paths.prepareRuntime()
    let lock = try ControllerLock(paths)
    defer { lock.release() }
    defer { ControllerRecord.remove(from: paths) }
    do {
      try ControllerRecord(configuration: store.name, plugins: folders).write(to: paths)
    } catch {
      logger.warning(
        "\(paths.record) cannot be written, so other commands may check another file: \(error)")
    }
    let controller = Controller(
      store: store, text: text, loaded: loaded, paths: paths, listening: listening,
      logger: logger)
    try await controller.run(until: stop)
  }

  private func load(_ store: ConfigurationFileStore) throws(ExitError)
    -> (ConfigurationText, LoadedConfiguration)
  {
    do {
      let text = try store.read()
      let loaded = try store.validate(text)
      return (try ConfigurationText(text), loaded)
    } catch {
      throw ExitError(
        .failed, "the configuration has mistakes; nothing was started.\n\(error)")
    }
  }

  /// The default configuration: `./devices.json`, else the installed one.
  static func usualConfiguration(_ paths: ApplicationPaths) -> String {
    let installed = paths.installedConfiguration
    return access("devices.json", R_OK) != 0 && access(installed, R_OK) == 0
      ? installed : "devices.json"
  }
}

/// A log level as an option.
struct LogLevel: ExpressibleByArgument {
  let level: Logger.Level

  init(_ level: Logger.Level) { self.level = level }
  init?(argument: String) {
    guard let level = Logger.Level(rawValue: argument) else { return nil }
    self.level = level
  }
  var defaultValueDescription: String { level.rawValue }
}

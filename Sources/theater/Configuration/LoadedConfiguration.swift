import Glibc
import PluginHost
import PluginProtocol
import TheaterConfiguration

/// A valid configuration with the catalogue of its plugins.
struct LoadedConfiguration: Sendable {
  var configuration: TheaterConfiguration
  let catalogue: PluginCatalogue
  /// The base of its relative paths.
  let origin: PathOrigin

  init(_ configuration: TheaterConfiguration, catalogue: PluginCatalogue, origin: PathOrigin) {
    self.configuration = configuration
    self.catalogue = catalogue
    self.origin = origin
  }

  /// Reads and validates a file, with the manifests of the plugins. Missing folders are warnings.
  ///
  /// - Parameter plugins: Plugin folders from the command line, which are searched first.
  init(path: String, plugins: [String], paths: ApplicationPaths) throws(InvalidConfiguration) {
    try self.init(
      ConfigurationFile(path: path, home: paths.home), plugins: plugins, paths: paths,
      checksFolders: true)
  }

  /// Validates the text of a file, with the manifests of the plugins.
  init(
    _ file: ConfigurationFile, plugins: [String], paths: ApplicationPaths,
    checksFolders: Bool = false
  ) throws(InvalidConfiguration) {
    origin = file.origin
    catalogue = PluginCatalogue(folders: plugins + file.pluginFolders + paths.pluginFolders)
    configuration = try file.configuration(
      plugins: KnownPlugins(catalogue), secrets: paths.secretFolders,
      checksFolders: checksFolders)
  }
}

extension LoadedConfiguration {
  /// The devices for the plugin host, with the texts of their secrets.
  var hostedDevices: [HostedDevice] {
    configuration.devices.map {
      HostedDevice(
        id: $0.id, role: $0.role, plugin: $0.plugin, options: $0.options.revealed(),
        process: $0.process, secrets: $0.options.revealedSecrets())
    }
  }
}

extension KnownPlugins {
  /// The plugins of a catalogue; the unusable ones count as faulty.
  init(_ catalogue: PluginCatalogue) {
    var faults: [String: String] = [:]
    for problem in catalogue.problems {
      // …/NAME/manifest.json
      let parts = problem.path.split(separator: "/")
      guard let name = parts.dropLast().last.map(String.init), catalogue[name] == nil else {
        continue
      }
      faults[name] = problem.description
    }
    self.init(catalogue.plugins.map(\.manifest), faults: faults)
  }
}

extension ApplicationPaths {
  /// The plugin folders: beside the program, in its installation, and in the user's data folder.
  var pluginFolders: [String] {
    var folders: [String] = []
    if let program = Self.programFolder {
      folders = ["\(program)/plugins", "\(program)/../lib/theater/plugins"]
    }
    return folders + [plugins]
  }

  /// The folder with the page's files.
  var site: String { Self.resource("site") }
  /// The text of the plugin protocol.
  var pluginProtocol: String { Self.resource("plugin-protocol.md") }
  /// The folder with the templates of `theater plugin new`.
  var pluginTemplates: String { Self.resource("plugin-templates") }

  /// The path of a file or folder that belongs to the program: beside it, else in its installation.
  private static func resource(_ name: String) -> String {
    let program = programFolder ?? "."
    let staged = "\(program)/\(name)"
    return access(staged, R_OK) == 0 ? staged : "\(program)/../lib/theater/\(name)"
  }

  /// The folder of this program's file, links resolved.
  private static var programFolder: String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { raw in
      guard let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
      return readlink("/proc/self/exe", start, raw.count)
    }
    guard count > 0 else { return nil }
    let path = String(decoding: buffer.prefix(count), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}

extension LoadedConfiguration {
  /// Validates another text with the same plugins and the same base of relative paths.
  func check(_ text: [UInt8], paths: ApplicationPaths) throws(InvalidConfiguration)
    -> TheaterConfiguration
  {
    try .read(
      text, named: "devices.json", from: origin, plugins: KnownPlugins(catalogue),
      secrets: paths.secretFolders)
  }
}

extension ApplicationPaths {
  /// The secrets for the options of devices.
  var secretFolders: SecretFolders {
    SecretFolders(credentials: Console.environment("CREDENTIALS_DIRECTORY"), own: secrets)
  }
}

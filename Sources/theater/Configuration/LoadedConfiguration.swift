import Glibc
import PluginHost
import PluginProtocol
import TheaterConfiguration

/// A configuration that was read and found good, with the plugins that it may use.
struct LoadedConfiguration: Sendable {
  let configuration: TheaterConfiguration
  let catalogue: PluginCatalogue
  /// Where its relative paths start.
  let origin: PathOrigin

  /// Reads the file, the manifests of the plugins around it, and judges it.
  ///
  /// - Parameter plugins: Folders that a person named, which come first.
  init(path: String, plugins: [String], folders: ApplicationPaths) throws(InvalidConfiguration) {
    let file = try ConfigurationFile(path: path, home: folders.home)
    origin = file.origin
    catalogue = PluginCatalogue(folders: plugins + file.pluginFolders + folders.pluginFolders)
    configuration = try file.configuration(
      plugins: KnownPlugins(catalogue),
      secrets: SecretFolders(
        credentials: Console.environment("CREDENTIALS_DIRECTORY"), own: folders.secrets))
  }
}

extension KnownPlugins {
  /// The plugins of a catalogue; what is not usable there counts as faulty.
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
  /// Where plugins are, wherever the program was put: beside it, and where a person adds some.
  var pluginFolders: [String] {
    var folders: [String] = []
    if let program = Self.programFolder {
      folders = ["\(program)/plugins", "\(program)/../lib/theater/plugins"]
    }
    return folders + [plugins]
  }

  /// The folder in which this program lies, behind any link to it.
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
  /// Judges another text with the same plugins; relative paths start at this configuration's file.
  func check(_ text: [UInt8], folders: ApplicationPaths) throws(InvalidConfiguration)
    -> TheaterConfiguration
  {
    try .read(
      text, named: "devices.json", from: origin, plugins: KnownPlugins(catalogue),
      secrets: SecretFolders(
        credentials: Console.environment("CREDENTIALS_DIRECTORY"), own: folders.secrets))
  }
}

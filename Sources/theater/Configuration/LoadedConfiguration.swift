import Glibc
import TheaterConfiguration
import TheaterLoader

extension LoadedConfiguration {
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
    try self.init(
      file, searching: plugins, andLast: paths.pluginFolders, secrets: paths.secretFolders,
      checksFolders: checksFolders)
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

extension ApplicationPaths {
  /// The secrets for the options of devices.
  var secretFolders: SecretFolders {
    SecretFolders(credentials: Console.environment("CREDENTIALS_DIRECTORY"), own: secrets)
  }
}

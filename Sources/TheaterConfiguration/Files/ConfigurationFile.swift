import Glibc
import JSON
import Platform
import PluginProtocol

/// The text of a configuration file, read but not yet judged.
///
/// Reading is apart from judging because the file itself may name folders of plugins, whose
/// manifests must be known before anything can be checked.
package struct ConfigurationFile: Sendable {
  /// The path as it was given, for people.
  package let name: String
  package let bytes: [UInt8]
  package let origin: PathOrigin

  /// A larger file is no configuration but a mistake.
  private static let longest = 4 * 1024 * 1024

  /// Reads the file at `path`.
  ///
  /// - Parameters:
  ///   - path: Absolute, or from the present folder.
  ///   - home: What `~` stands for in the file's paths.
  package init(path: String, home: String?) throws(InvalidConfiguration) {
    name = path
    origin = PathOrigin(folder: Self.folder(of: path), home: home)
    do throws(RegularFile.Failure) {
      bytes = try RegularFile.read(path, atMost: Self.longest)
    } catch {
      throw Self.failure(
        path, "\(error)", hint: "Give the path of a configuration with --config FILE.")
    }
  }

  /// Absolute paths of the folders that the file names for further plugins; none when it is so
  /// wrong that they cannot be found.
  package var pluginFolders: [String] {
    guard let json = try? JSONDocument(parsing: bytes, keepingRepeatedKeys: true).value else {
      return []
    }
    return (json["pluginFolders"]?.array ?? []).compactMap(\.string).map(origin.absolute)
  }

  /// Judges the file: a whole configuration, or all that is wrong with it.
  package func configuration(plugins: KnownPlugins, secrets: some SecretSource)
    throws(InvalidConfiguration) -> TheaterConfiguration
  {
    try .read(
      bytes, named: name, from: origin, plugins: plugins, secrets: secrets,
      fileProblem: fileProblem)
  }

  private static func folder(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    if path.hasPrefix("/") { return folder.isEmpty ? "/" : folder }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return folder }
    let here = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return PathOrigin(folder: here).absolute(folder)
  }

  private static func failure(_ path: String, _ message: String, hint: String)
    -> InvalidConfiguration
  {
    InvalidConfiguration([
      ConfigurationIssue(.file, file: path, position: nil, message: message, hint: hint)
    ])
  }
}

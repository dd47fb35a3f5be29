import Glibc
import JSON
import Platform
import PluginProtocol

/// The text of a configuration file, read but not yet checked.
///
/// Reading and checking are two steps, because the file may name folders of plugins, and the check
/// needs the manifests in them.
package struct ConfigurationFile: Sendable {
  /// The path as the user gave it.
  package let name: String
  /// At most 4 MiB.
  package let bytes: [UInt8]
  /// Resolves relative paths in the file.
  package let origin: PathOrigin

  /// The largest accepted file, in bytes.
  private static let longest = 4 * 1024 * 1024

  /// Reads the file at `path`.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the current folder.
  ///   - home: The folder that `~` means in the paths of the file.
  package init(path: String, home: String?) throws(InvalidConfiguration) {
    do throws(RegularFile.Failure) {
      self.init(path: path, with: try RegularFile.read(path, atMost: Self.longest), home: home)
    } catch {
      throw Self.failure(
        path, "\(error)", hint: "Check the path of the configuration, or put the file back.")
    }
  }

  /// Wraps a text that is known; `path` names it in errors and is the base of relative paths. Reads no file.
  package init(path: String, with bytes: [UInt8], home: String?) {
    name = path
    origin = PathOrigin(folder: Self.folder(of: path), home: home)
    self.bytes = bytes
  }

  /// The absolute paths of `pluginFolders`; empty if the text cannot be parsed.
  package var pluginFolders: [String] {
    guard let json = try? JSONDocument(parsing: bytes, keepingRepeatedKeys: true).value else {
      return []
    }
    return (json["pluginFolders"]?.array ?? []).compactMap(\.string).map(origin.absolute)
  }

  /// Checks the file, and returns the configuration or throws all of its errors.
  ///
  /// - Parameter checksFolders: Whether missing folders are warnings. The check of a folder of a network disk that does
  ///   not answer may take minutes.
  package func configuration(
    plugins: KnownPlugins, secrets: some SecretSource, checksFolders: Bool = false
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    try .read(
      bytes, named: name, from: origin, plugins: plugins, secrets: secrets,
      fileProblem: fileProblem,
      folderProblem: checksFolders ? folderProblem : { _ in nil })
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

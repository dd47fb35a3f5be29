import Foundation
import Glibc
import JSON
import Platform

/// A file in the runtime folder that says which configuration the running controller uses. Commands
/// that work without a login read it.
struct ControllerRecord: Hashable {
  /// The absolute path of the configuration.
  let configuration: String
  /// The absolute paths of the plugin folders from the command line.
  let plugins: [String]

  /// - Parameters:
  ///   - configuration: A path, absolute or relative to the current folder.
  ///   - plugins: Such paths.
  init(configuration: String, plugins: [String]) {
    self.configuration = Self.absolute(configuration)
    self.plugins = plugins.map(Self.absolute)
  }

  /// Reads the record of the controller that runs; `nil` if none runs, or if the file is not such a
  /// record.
  init?(ofRunning paths: ApplicationPaths) {
    guard SocketProbe.isListening(at: paths.socket), let facts = FileFacts(at: paths.record),
      facts.isFile, facts.owner == geteuid(),
      let bytes = try? RegularFile.read(paths.record, atMost: Self.largest),
      let json = try? JSON(parsing: bytes), let configuration = json["configuration"]?.string,
      configuration.hasPrefix("/")
    else { return nil }
    self.configuration = configuration
    plugins = (json["plugins"]?.array ?? []).compactMap(\.string)
  }

  /// The largest record, in bytes.
  private static let largest = 1 << 20

  /// Writes the record, completely or not at all.
  func write(to paths: ApplicationPaths) throws(SystemError) {
    let json: JSON = [
      "configuration": .string(configuration), "plugins": .array(plugins.map { .string($0) }),
    ]
    let draft = "\(paths.record).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    do throws(SystemError) {
      try RegularFile.write(Array((json.text() + "\n").utf8), to: file)
      guard rename(draft, paths.record) == 0 else { throw SystemError(errno) }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Removes the record.
  static func remove(from paths: ApplicationPaths) { unlink(paths.record) }

  private static func absolute(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }
}

/// The configuration that a command judges where none is named: that of the running controller, or else
/// the installed one. The one in the current folder comes last: the controller need not use it.
struct JudgedConfiguration: Hashable {
  /// The reason why this file is judged.
  enum Reason: Hashable {
    case named, running, installed, folder

    /// The reason in words; empty for a file that was named.
    var words: String {
      switch self {
      case .named: ""
      case .running: "the file of the running controller"
      case .installed: "the installed file; no controller runs"
      case .folder: "the file in this folder; no controller runs, and none is installed"
      }
    }
  }

  let path: String
  let reason: Reason
  /// The plugin folders of the command line, and those that the controller was started with.
  let plugins: [String]

  /// - Parameters:
  ///   - file: The file that the command line names.
  ///   - plugins: The plugin folders that it names.
  init(_ file: String?, plugins: [String], paths: ApplicationPaths) {
    let running = ControllerRecord(ofRunning: paths)
    if let file {
      (path, reason) = (file, .named)
    } else if let running {
      (path, reason) = (running.configuration, .running)
    } else if access(paths.installedConfiguration, R_OK) == 0 {
      (path, reason) = (paths.installedConfiguration, .installed)
    } else {
      (path, reason) = ("devices.json", .folder)
    }
    self.plugins = plugins + (reason == .running ? running?.plugins ?? [] : [])
  }

  /// The path, with the reason in parentheses.
  var description: String { reason == .named ? path : "\(path) (\(reason.words))" }
}

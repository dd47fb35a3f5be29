import Foundation
import Glibc
import JSON
import Platform
import PluginProtocol

/// A plugin found on disk, with its manifest. No process of it is started.
package struct CataloguedPlugin: Sendable, Hashable {
  /// The checked manifest.
  package let manifest: Manifest
  /// The folder that holds the manifest and the program, as an absolute path.
  package let folder: String

  package init(manifest: Manifest, folder: String) {
    self.manifest = manifest
    self.folder = folder
  }

  /// The manifest's own path.
  package var manifestPath: String { folder + "/manifest.json" }

  /// The program to start: beside the manifest, at an absolute path, or found along PATH.
  package var program: String {
    let program = manifest.command.first ?? ""
    return program.hasPrefix("./") ? folder + program.dropFirst() : program
  }

  /// The stamps of the manifest and the program, as far as they exist.
  var fileStamps: [FileStamp] { ([manifestPath] + programPaths).compactMap { FileStamp($0) } }

  /// The program as it is found now, for a process whose PATH is another.
  package var locatedProgram: String {
    programPaths.first { access($0, X_OK) == 0 } ?? program
  }

  /// The files that may be the program: a name without a slash is looked up along PATH.
  private var programPaths: [String] {
    guard !program.contains("/") else { return [program] }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/\(program)" }
  }
}

/// The size, time and inode of a file, to detect changes of it.
struct FileStamp: Sendable, Hashable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let inode: UInt

  /// `nil` for a file that does not exist.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    size = Int(facts.st_size)
    seconds = facts.st_mtim.tv_sec
    nanoseconds = facts.st_mtim.tv_nsec
    inode = UInt(facts.st_ino)
  }
}

/// An unusable plugin folder, with the reason.
package struct CatalogueProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or folder with the mistake.
  package let path: String
  /// The place in the file; `nil` if the mistake has none.
  package let position: TextPosition?
  /// The path to the wrong value; `nil` if the file is not JSON.
  package let jsonPath: JSONPath?
  /// The mistake, for people.
  package let message: String
  /// The next action.
  package let hint: String

  /// The name of the plugin's folder, by which users know it.
  package var folderName: String {
    let parts = path.split(separator: "/")
    let name = parts.last == "manifest.json" ? parts.dropLast().last : parts.last
    return name.map(String.init) ?? path
  }

  package var description: String {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    let way = jsonPath.map { ", \($0)" } ?? ""
    return "\(path)\(place)\(way): \(message). \(hint)"
  }
}

/// The plugins in a list of folders, read without starting any of them.
package struct PluginCatalogue: Sendable, Hashable {
  /// Usable plugins, in the order in which they were found.
  package let plugins: [CataloguedPlugin]
  /// The unusable plugins that were found, with the reasons.
  package let problems: [CatalogueProblem]

  /// A catalogue of these plugins; nothing is read from disk.
  package init(plugins: [CataloguedPlugin], problems: [CatalogueProblem] = []) {
    self.plugins = plugins
    self.problems = problems
  }

  /// The plugin with this id.
  package subscript(id: String) -> CataloguedPlugin? { plugins.first { $0.manifest.id == id } }

  /// Looks in `folders`, in order, for folders with a `manifest.json`. Of two plugins with the same
  /// id the first is used and the other is a problem. A folder that does not exist holds nothing.
  package init(folders: [String]) {
    var plugins: [CataloguedPlugin] = []
    var problems: [CatalogueProblem] = []
    for folder in folders {
      for result in Self.read(folder) {
        switch result {
        case .failure(let problem): problems.append(problem)
        case .success(let plugin):
          let id = plugin.manifest.id
          if let first = plugins.first(where: { $0.manifest.id == id }) {
            guard first.folder != plugin.folder else { continue }
            problems.append(.duplicate(plugin, of: first))
          } else {
            plugins.append(plugin)
          }
        }
      }
    }
    self.init(plugins: plugins, problems: problems)
  }

  private static func read(_ folder: String) -> [Result<CataloguedPlugin, CatalogueProblem>] {
    let base = URL(fileURLWithPath: folder).standardizedFileURL.path
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: base) else { return [] }
    return names.sorted().compactMap { name in
      guard !name.hasPrefix(".") else { return nil }
      return read(pluginIn: base + "/" + name)
    }
  }

  /// Reads the plugin in one folder, an absolute path. Returns `nil` if it has no manifest.
  package static func read(pluginIn folder: String)
    -> Result<CataloguedPlugin, CatalogueProblem>?
  {
    let path = folder + "/manifest.json"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let data: [UInt8]
    do throws(RegularFile.Failure) {
      data = try RegularFile.read(path, atMost: ProtocolLimits.longestLine)
    } catch {
      return .failure(
        CatalogueProblem(
          path: path, position: nil, jsonPath: nil, message: "the manifest: \(error)",
          hint: "Check its type, size and permissions with `ls -lL`."))
    }
    do {
      let plugin = CataloguedPlugin(manifest: try Manifest(parsing: data), folder: folder)
      return .success(plugin)
    } catch {
      return .failure(
        CatalogueProblem(
          path: path, position: error.position, jsonPath: error.path,
          message: error.message.boundedLine(maximumBytes: ProtocolLimits.message),
          hint: "docs/plugin-protocol.md shows a manifest."))
    }
  }
}

extension CatalogueProblem {
  fileprivate static func duplicate(_ plugin: CataloguedPlugin, of first: CataloguedPlugin) -> Self
  {
    CatalogueProblem(
      path: plugin.manifestPath, position: nil, jsonPath: [.key("id")],
      message: "the plugin \"\(plugin.manifest.id)\" is already in \(first.folder)",
      hint: "Remove one of them, or give this one another id.")
  }
}

import Foundation

/// The project's files, as the tests find them.
enum ProjectFolder {
  /// The folder of Package.swift: above this file, however deep it lies.
  static let root: URL = {
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let package = folder.appending(path: "Package.swift").path
      if FileManager.default.fileExists(atPath: package) { return folder }
    }
    return folder
  }()

  /// The text of a file below it.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}

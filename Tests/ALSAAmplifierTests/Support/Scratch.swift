import Foundation

/// A folder of a test's own, removed with it.
final class Scratch: Sendable {
  /// Where it is.
  let path: String

  init() throws {
    let base = FileManager.default.temporaryDirectory
    let folder = base.appendingPathComponent("alsa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }
}

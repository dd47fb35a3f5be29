import Foundation

/// A new, private folder of one test, removed with the value.
public final class TemporaryFolder: Sendable {
  /// A short path: that of a Unix socket in the folder holds 107 bytes.
  public let path: String
  public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  public init() throws {
    let base = FileManager.default.temporaryDirectory.path
    path = "\(base)/test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of a file in this folder. Makes nothing.
  public func path(of name: String) -> String { "\(path)/\(name)" }

  /// Returns the path of a file in this folder, and makes the folders on the way to it.
  public func file(_ name: String) throws -> String {
    let file = path(of: name)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    return file
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = try file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}

/// Runs `body` with a temporary folder, removed afterwards.
public func withTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(folder.url)
}

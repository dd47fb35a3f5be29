import Foundation

/// A folder of a test's own, removed with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/libav-player-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in this folder; folders on the way are made.
  func file(_ name: String) throws -> String {
    let full = path + "/" + name
    let folder = full[..<(full.lastIndex(of: "/") ?? full.endIndex)]
    try FileManager.default.createDirectory(
      atPath: String(folder), withIntermediateDirectories: true)
    return full
  }

  /// Writes a file.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = try file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}

/// Runs a program to its end; throws with its output if it fails.
func run(_ program: String, _ arguments: [String]) async throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = FileHandle.nullDevice
  let errors = Pipe()
  process.standardError = errors
  let status: Int32 = try await withCheckedThrowingContinuation { continuation in
    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
    do { try process.run() } catch { continuation.resume(throwing: error) }
  }
  guard status == 0 else {
    let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    throw ToolFailure(description: "\(program) \(arguments.joined(separator: " ")): \(text)")
  }
}

/// A program that a test needs has failed.
struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

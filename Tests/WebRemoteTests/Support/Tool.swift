import Foundation

/// Runs programs that other people wrote, as independent witnesses.
enum Tool {
  /// How a program ended, and what it printed.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs a program found through the path, to its end.
  static func run(_ words: [String], input: String = "", folder: URL) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    // Files, not pipes: nothing here can fill up and stall the program.
    let name = UUID().uuidString
    let files = try ["in", "out", "err"].map { kind in
      let url = folder.appendingPathComponent("\(name).\(kind)")
      try Data((kind == "in" ? input : "").utf8).write(to: url)
      return url
    }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    let status = try await withCheckedThrowingContinuation {
      (ended: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    return Outcome(
      status: status, output: try String(contentsOf: files[1], encoding: .utf8),
      errors: try String(contentsOf: files[2], encoding: .utf8))
  }

  /// A folder for one test, gone after it.
  static func withFolder<Value>(_ use: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tls-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await use(folder)
  }
}

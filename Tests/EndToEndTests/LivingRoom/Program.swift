import Foundation

/// Runs programs for tests.
enum Program {
  /// How a program ended, and what it printed.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The folder with the built programs: that of the test binary itself.
  static let products: URL = {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: path ?? "").deletingLastPathComponent()
  }()

  /// The project's folder.
  static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program to its end.
  static func run(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
    input: String = "", folder: URL? = nil
  ) async throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let environment { process.environment = environment }
    if let folder { process.currentDirectoryURL = folder }
    let scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    // Files, not pipes: nothing here can fill up and stall the program.
    let files = try ["in", "out", "err"].map { name in
      let url = scratch.appendingPathComponent(name)
      try Data((name == "in" ? input : "").utf8).write(to: url)
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

  /// Runs a tool of the system, found through the path.
  static func tool(_ name: String, _ arguments: String...) async throws -> Outcome {
    try await run(URL(fileURLWithPath: "/usr/bin/env"), [name] + arguments)
  }
}

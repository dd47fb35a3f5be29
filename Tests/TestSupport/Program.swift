import Foundation

/// Runs programs for tests: the project's own and those of the system.
public enum Program {
  /// How a program ended, and what it printed.
  public struct Outcome: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String
  }

  /// The folder with the built programs: that of the test binary itself.
  public static let products: URL = {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: path ?? "").deletingLastPathComponent()
  }()

  /// The project's folder.
  public static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program to its end. A program that has not ended within the limit is killed, so that a
  /// test that expects a refusal fails instead of waiting forever.
  ///
  /// - Parameter limit: In seconds.
  public static func run(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
    input: String = "", folder: URL? = nil, limit: Double = 240
  ) async throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let environment { process.environment = environment }
    if let folder { process.currentDirectoryURL = folder }
    let scratch = try TemporaryFolder()
    // Files, not pipes: nothing here can fill up and stall the program.
    let files = try ["in", "out", "err"].map { name in
      let url = scratch.url.appendingPathComponent(name)
      try Data((name == "in" ? input : "").utf8).write(to: url)
      return url
    }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    let status = try await withCheckedThrowingContinuation {
      (ended: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
          if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
      } catch {
        ended.resume(throwing: error)
      }
    }
    return Outcome(
      status: status, output: try String(contentsOf: files[1], encoding: .utf8),
      errors: try String(contentsOf: files[2], encoding: .utf8))
  }

  /// Runs a tool of the system, found through the path.
  public static func tool(_ words: [String], input: String = "") async throws -> Outcome {
    try await run(URL(fileURLWithPath: "/usr/bin/env"), words, input: input)
  }

  /// Runs a tool of the system, found through the path.
  public static func tool(_ words: String...) async throws -> Outcome { try await tool(words) }
}

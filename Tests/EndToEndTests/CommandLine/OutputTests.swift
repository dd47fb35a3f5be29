import Foundation
import TestSupport
import Testing

@Suite struct OutputTests {
  /// Runs a line in a shell, with the path of `theater` in the place of `THEATER`.
  private func shell(_ line: String) async throws -> Program.Outcome {
    let theater = Program.products.appendingPathComponent("theater").path
    return try await Program.tool("sh", "-c", line.replacing("THEATER", with: "'\(theater)'"))
  }

  @Test(
    "A9 · a failed write to standard output exits with 1 and a message",
    arguments: ["config schema", "--help", "--version"])
  func fullOutput(words: String) async throws {
    let outcome = try await shell("THEATER \(words) > /dev/full")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test("A9 · a closed pipe ends a command without a message")
  func closedPipe() async throws {
    let outcome = try await shell("THEATER config schema | head -c 1")
    #expect(outcome.status == 0)
    #expect(outcome.output == "{")
    #expect(outcome.errors.isEmpty)
  }
}

import Foundation
import TestSupport
import Testing

@Suite struct OutputTests {
  /// Runs `theater` with these words in a shell's line.
  private func shell(_ line: String) async throws -> Program.Outcome {
    let theater = Program.products.appendingPathComponent("theater").path
    return try await Program.tool("sh", "-c", line.replacing("THEATER", with: "'\(theater)'"))
  }

  @Test(
    "A9 · what cannot be written is said on standard error, and the command has failed",
    arguments: ["config schema", "--help", "--version"])
  func fullOutput(words: String) async throws {
    let outcome = try await shell("THEATER \(words) > /dev/full")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test("A9 · a reader that wants no more ends a command quietly")
  func closedPipe() async throws {
    let outcome = try await shell("THEATER config schema | head -c 1")
    #expect(outcome.status == 0)
    #expect(outcome.output == "{")
    #expect(outcome.errors.isEmpty)
  }
}

import MediaFolders
import TestSupport

/// Runs a tool of the system to its end; throws with its messages if it fails.
func run(_ program: String, _ arguments: [String]) async throws {
  let outcome = try await Program.tool([program] + arguments)
  guard outcome.status == 0 else {
    throw ToolFailure(
      description: "\(program) \(arguments.joined(separator: " ")): \(outcome.errors)")
  }
}

/// A program that a test needs has failed.
struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

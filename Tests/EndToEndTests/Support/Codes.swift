import Foundation
import JSON
import TestSupport
import Testing

/// Runs `body` with a controller that writes one-time codes to its log, and with a logged-in owner.
///
/// - Parameter sms: Whether it writes text messages there, too.
func withCodes(sms: Bool = false, _ body: (LiveController) async throws -> Void) async throws {
  try await withLiveController(arrange: { configuration, _ in
    let delivery: JSON = sms ? ["email": "log", "sms": "log"] : ["email": "log"]
    configuration.set("accounts", at: [], ["demo": true, "delivery": delivery])
  }) { room in
    try await room.registerOwner()
    try await body(room)
  }
}

extension LiveController {
  /// The codes in the log, the oldest first.
  var codes: [String] {
    log.matches(of: /\b(\d{6}) is your code/).map { String($0.output.1) }
  }

  /// Waits until the log has more than `count` codes and returns the last one.
  func code(after count: Int) async throws -> String {
    #expect(await eventually { self.codes.count > count }, "the log has no further code")
    return try #require(codes.last)
  }

  /// Runs a command with the next code of the log as its first line of input, then more lines.
  func pipingCode(
    _ words: String..., lines: [String] = []
  ) async throws -> Program.Outcome {
    let found = #"grep -o '[0-9]\{6\} is your code' log"#
    let script = """
      (until [ $(\(found) | wc -l) -gt \(codes.count) ]; do sleep 0.05; done
      \(found) | tail -n 1 | cut -c 1-6
      \(lines.map { "echo '\($0)'" }.joined(separator: "\n"))) | "$0" "$@"
      """
    return try await Program.run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", script, Program.products.appendingPathComponent("theater").path] + words,
      environment: environment, folder: folder)
  }
}

func other(than code: String) -> String { code == "000000" ? "000001" : "000000" }

import Foundation
import JSON

/// A running `cable_peer.py`: the other end of a cable, which is not Swift's.
public final class CablePeer {
  private let program: RunningProgram

  public init(_ arguments: String...) throws {
    let script = Program.project.appending(path: "Tests/Fixtures/cable_peer.py").path
    program = try RunningProgram("python3", ["-B", script] + arguments)
  }

  /// Lets a sink hear again.
  public func proceed() { program.send("") }

  /// The next line, which must be JSON. Blocks its thread, at most a minute.
  public func line() throws -> JSON { try JSON(parsing: Array(program.line().utf8)) }
}

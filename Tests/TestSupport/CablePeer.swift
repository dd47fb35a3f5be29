import Foundation
import JSON

/// A running `cable_peer.py`: the other end of a cable, which is not Swift's.
public final class CablePeer {
  public let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  /// The peer ended without another line.
  public struct Ended: Error {}

  public init(_ arguments: String...) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", "-B", Program.project.appending(path: "Tests/Fixtures/cable_peer.py").path]
      + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// Lets a sink hear again.
  public func proceed() { input.fileHandleForWriting.write(Data("\n".utf8)) }

  /// The next line, which must be JSON.
  public func line() throws -> JSON {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = rest[..<end]
        rest = Data(rest[(end + 1)...])
        return try JSON(parsing: line)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw Ended() }
      rest.append(more)
    }
  }
}

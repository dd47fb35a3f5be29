import Foundation
import JSON
import Synchronization
import TestSupport

/// A server in Python for a test. Its first line of output is its port; each further line is a
/// message or request that it received.
final class Peer: Sendable {
  let port: Int
  /// The received messages and requests, in order.
  let lines: AsyncStream<String>
  private let program: RunningProgram

  init(_ script: String, _ arguments: [String]) async throws {
    program = try RunningProgram("/usr/bin/python3", [Self.folder + "/\(script).py"] + arguments)
    let first = try program.line()
    guard let port = Int(first) else {
      throw RunningProgram.NoLine(description: "not a port: \(first)")
    }
    self.port = port
    let (lines, arrivals) = AsyncStream<String>.makeStream()
    self.lines = lines
    program.readLines {
      arrivals.yield($0)
    } atEnd: {
      arrivals.finish()
    }
  }

  /// Returns the next received message or request; throws `Missing` if the server has ended.
  func next() async throws -> JSON {
    guard let line = await lines.first(where: { _ in true }) else { throw Missing() }
    return try JSON(parsing: Array(line.utf8))
  }

  struct Missing: Error {}

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Peers").path
}

/// A self-signed certificate for `localhost`, which is also its authority, in a folder that is
/// deleted with this object.
final class Certificates: Sendable {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.path }
  /// The key and the certificate for the server.
  var server: String { folder + "/server.pem" }
  /// The certificate alone, which clients must trust.
  var authority: String { folder + "/authority.pem" }

  init() throws {
    temporary = try TemporaryFolder()
    _ = try Program.runBlocking(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
        folder + "/key.pem", "-out", authority,
      ])
    let key = try Data(contentsOf: URL(fileURLWithPath: folder + "/key.pem"))
    let certificate = try Data(contentsOf: URL(fileURLWithPath: authority))
    try (key + certificate).write(to: URL(fileURLWithPath: server))
  }
}

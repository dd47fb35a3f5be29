import Foundation
import JSON
import Synchronization
import TestSupport

/// A server in Python for a test. Its first line of output is its port; each further line is
/// something that it received.
final class Peer: Sendable {
  let port: Int
  /// The received messages and requests, in order.
  let lines: AsyncStream<String>
  private let process: Mutex<Process>

  init(_ script: String, _ arguments: [String]) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [Self.folder + "/\(script).py"] + arguments
    let output = Pipe()
    process.standardOutput = output
    // Closed with this process, however it ends.
    process.standardInput = Pipe()
    let (lines, arrivals) = AsyncStream<String>.makeStream()
    let rest = Mutex("")
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        return arrivals.finish()
      }
      rest.withLock { rest in
        rest += String(decoding: data, as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
          arrivals.yield(String(rest[..<end]))
          rest = String(rest[rest.index(after: end)...])
        }
      }
    }
    try process.run()
    guard let port = await lines.first(where: { _ in true }).flatMap({ Int($0) }) else {
      kill(process.processIdentifier, SIGKILL)
      throw Missing()
    }
    self.port = port
    self.lines = lines
    self.process = Mutex(process)
  }

  /// A process that was started from a thread of the pool inherits its blocked signals, all but this.
  deinit { process.withLock { _ = kill($0.processIdentifier, SIGKILL) } }

  /// Returns the next received message or request.
  func next() async throws -> JSON {
    guard let line = await lines.first(where: { _ in true }) else { throw Missing() }
    return try JSON(parsing: Array(line.utf8))
  }

  struct Missing: Error {}

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Peers").path
}

/// Certificates of a test's own authority, in a folder that goes with it.
final class Certificates: Sendable {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.path }
  /// Key and certificate of a server that is called `localhost`.
  var server: String { folder + "/server.pem" }
  /// The certificate of the authority that clients must trust.
  var authority: String { folder + "/authority.pem" }

  init() throws {
    temporary = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
      folder + "/key.pem", "-out", authority,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let key = try Data(contentsOf: URL(fileURLWithPath: folder + "/key.pem"))
    let certificate = try Data(contentsOf: URL(fileURLWithPath: authority))
    try (key + certificate).write(to: URL(fileURLWithPath: server))
  }
}

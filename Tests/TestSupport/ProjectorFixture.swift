import Foundation
import JSON
import Synchronization

/// A projector that speaks PJLink on this machine. All of them live in one process,
/// Tests/Fixtures/pjlink_projector.py, which ends with this process at the latest.
public final class ProjectorFixture: Sendable {
  private static let process = Result { try ProjectorProcess() }

  /// Its TCP port on 127.0.0.1.
  public let port: Int
  private let process: ProjectorProcess

  /// Takes a projector that no other test has, which is off, of class 2 and without a password. It warms and
  /// cools in no time.
  public init() throws {
    process = try Self.process.get()
    port = try process.takePort()
  }

  /// Takes a projector and changes it: see ``change(_:)``.
  public convenience init(_ changes: JSON) async throws {
    try self.init()
    await change(changes)
  }

  /// Changes the projector, and waits until that is done; the script says which keys there are.
  public func change(_ changes: JSON) async { await process.change(changes, of: port) }

  /// The commands that it got, without proofs of the password.
  public var commands: [String] { process.events(of: port).compactMap { $0["got"]?.string } }
  /// How many connections were opened.
  public var opened: Int { process.events(of: port).count { $0["event"] == "connected" } }
  /// How many connections were closed.
  public var closed: Int { process.events(of: port).count { $0["event"] == "closed" } }
}

/// The process of all projectors.
private final class ProjectorProcess: Sendable {
  private static let projectors = 200

  private struct State {
    var unused: [Int] = []
    var nextID = 0
    var done = 0
    var events: [Int: [JSON]] = [:]
    var rest: [UInt8] = []
  }

  private let state = Mutex(State())
  private let input: Mutex<FileHandle>

  init() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      Program.project.appendingPathComponent("Tests/Fixtures/pjlink_projector.py").path,
      "--projectors", "\(Self.projectors)",
    ]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The end of this process closes the pipe, which ends the script.
    self.input = Mutex(input.fileHandleForWriting)
    var first: [UInt8] = []
    while first.last != 0x0A {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
        throw NoProjector(description: "pjlink_projector.py did not start")
      }
      first.append(byte)
    }
    let ports = try JSON(parsing: Array(first.dropLast())).array?.compactMap(\.integer) ?? []
    state.withLock { $0.unused = ports }
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      self.receive(data)
    }
  }

  func takePort() throws -> Int {
    guard let port = state.withLock({ $0.unused.popLast() }) else {
      throw NoProjector(description: "all \(Self.projectors) projectors are taken; start more")
    }
    return port
  }

  func events(of port: Int) -> [JSON] { state.withLock { $0.events[port] ?? [] } }

  func change(_ changes: JSON, of port: Int) async {
    // The lock is held while writing, so that the numbers are written in order.
    let number = input.withLock { input in
      let id = state.withLock { state in
        state.nextID += 1
        return state.nextID
      }
      var line = changes.object ?? [:]
      line["port"] = .integer(port)
      line["id"] = .integer(id)
      try? input.write(contentsOf: Data((JSON.object(line).text() + "\n").utf8))
      return id
    }
    _ = await eventually { self.state.withLock { $0.done >= number } }
  }

  private func receive(_ data: Data) {
    state.withLock { state in
      state.rest += data
      var lines = state.rest.split(separator: 0x0A, omittingEmptySubsequences: false)
      state.rest = lines.popLast().map(Array.init) ?? []
      for line in lines {
        guard let event = try? JSON(parsing: Array(line)) else { continue }
        if let id = event["done"]?.integer { state.done = id }
        if let port = event["port"]?.integer { state.events[port, default: []].append(event) }
      }
    }
  }

  private struct NoProjector: Error, CustomStringConvertible {
    let description: String
  }
}

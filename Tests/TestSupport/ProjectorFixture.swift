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
    port = try process.claimPort()
  }

  /// Takes a projector and changes it: see ``change(_:)``.
  public convenience init(_ changes: JSON) async throws {
    try self.init()
    try await change(changes)
  }

  /// Changes the projector, and waits until that is done; the script says which keys there are.
  public func change(_ changes: JSON) async throws { try await process.change(changes, of: port) }

  /// Waits until the properties below hold everything that has happened until now: they are read from the
  /// script's output, which is later than its answers to the plugin.
  public func settle() async throws { try await change([:]) }

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
  }

  private let state = Mutex(State())
  private let program: RunningProgram
  private let writing = Mutex(())

  init() throws {
    let script = Program.project.appendingPathComponent("Tests/Fixtures/pjlink_projector.py").path
    // The end of this process ends the script, by its input.
    program = try RunningProgram("python3", [script, "--projectors", "\(Self.projectors)"])
    let ports = try JSON(parsing: Array(program.line().utf8)).array?.compactMap(\.integer) ?? []
    state.withLock { $0.unused = ports }
    program.readLines { self.receive($0) }
  }

  func claimPort() throws -> Int {
    guard let port = state.withLock({ $0.unused.popLast() }) else {
      throw NoProjector(description: "all \(Self.projectors) projectors are taken; start more")
    }
    return port
  }

  func events(of port: Int) -> [JSON] { state.withLock { $0.events[port] ?? [] } }

  func change(_ changes: JSON, of port: Int) async throws {
    // The lock is held while writing, so that the numbers are written in order.
    let number = writing.withLock { _ in
      let id = state.withLock { state in
        state.nextID += 1
        return state.nextID
      }
      var line = changes.object ?? [:]
      line["port"] = .integer(port)
      line["id"] = .integer(id)
      program.send(JSON.object(line).text())
      return id
    }
    guard await eventually({ self.state.withLock { $0.done >= number } }) else {
      throw NoProjector(description: "the projector on port \(port) has not answered \(changes)")
    }
  }

  private func receive(_ line: String) {
    guard let event = try? JSON(parsing: Array(line.utf8)) else { return }
    state.withLock { state in
      if let id = event["done"]?.integer { state.done = id }
      if let port = event["port"]?.integer { state.events[port, default: []].append(event) }
    }
  }

  private struct NoProjector: Error, CustomStringConvertible {
    let description: String
  }
}

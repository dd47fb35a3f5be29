import Foundation
import JSON
import Synchronization

/// Projectors that speak PJLink on this machine: Tests/Fixtures/pjlink_projector.py, which ends with this
/// process at the latest.
public final class ProjectorFixture: Sendable {
  private struct State {
    var rest = ""
    var done = 0
    var events: [JSON] = []
  }

  /// The port of each projector, on 127.0.0.1.
  public let ports: [Int]
  private let state = Mutex(State())
  private let process: Mutex<Process>
  private let input: Mutex<FileHandle>

  /// Starts the projectors and waits until they listen.
  ///
  /// - Parameter arguments: See the script.
  public init(_ arguments: [String] = []) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments =
      [Program.project.appendingPathComponent("Tests/Fixtures/pjlink_projector.py").path]
      + arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var first = Data()
    while first.last != 0x0A {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw NotStarted()
      }
      first += byte
    }
    ports = try JSON(parsing: Array(first.dropLast())).array?.compactMap(\.integer) ?? []
    self.process = Mutex(process)
    self.input = Mutex(input.fileHandleForWriting)
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      self?.receive(String(decoding: data, as: UTF8.self))
    }
  }

  /// A process that was started from a thread of the pool inherits its blocked signals, all but this.
  deinit { process.withLock { _ = kill($0.processIdentifier, SIGKILL) } }

  /// Changes every projector, and waits until that is done.
  public func change(_ changes: JSON) async {
    let before = state.withLock { $0.done }
    input.withLock { try? $0.write(contentsOf: Data((changes.text() + "\n").utf8)) }
    _ = await eventually { self.state.withLock { $0.done > before } }
  }

  /// The commands that the projectors got, without proofs of the password. With `--trace`.
  public var commands: [String] { events("got").compactMap(\.string) }
  /// How many connections were opened and closed. With `--trace`.
  public var connections: (opened: Int, closed: Int) {
    (events("connected").count, events("closed").count)
  }

  private func events(_ name: String) -> [JSON] {
    state.withLock { $0.events }.compactMap { $0[name] }
  }

  private func receive(_ text: String) {
    state.withLock { state in
      state.rest += text
      while let end = state.rest.firstIndex(of: "\n") {
        let line = try? JSON(parsing: Array(state.rest[..<end].utf8))
        state.rest = String(state.rest[state.rest.index(after: end)...])
        if line?["done"] != nil { state.done += 1 } else if let line { state.events.append(line) }
      }
    }
  }

  private struct NotStarted: Error {}
}

import Devices
import JSON
import PluginHost
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Session of a plugin")
struct SessionTests {
  /// A connection whose events the test makes.
  private final class ScriptedConnection: Connection {
    private let receiver = Mutex<(@Sendable (ConnectionEvent) -> Void)?>(nil)

    func start(_ receive: @escaping @Sendable (ConnectionEvent) -> Void) {
      receiver.withLock { $0 = receive }
    }
    private let lines = Mutex<[String]>([])
    var sent: [String] { lines.withLock { $0 } }

    func send(_ line: [UInt8]) throws(ConnectionError) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    func closeSending() {}

    /// Makes an event.
    func receive(_ event: ConnectionEvent) {
      let receive = receiver.withLock { $0 }
      receive?(event)
    }
  }

  @Test("A line above the limit counts as a received line, and proves that the process lives")
  func oversizedLine() {
    let clock = ManualClock()
    let connection = ScriptedConnection()
    let session = PluginSession(
      connection: connection, scheduler: DeadlineScheduler(clock: clock)
    ) { _ in }
    session.start()
    clock.advance(by: .seconds(7))
    connection.receive(.oversizedLine(ProtocolLimits.longestLine + 1, .unknown))
    #expect(session.lastLine == .seconds(7))
    #expect(session.messages.received == 1)
  }

  /// A session whose scheduler runs, and the outcome of one of its requests.
  private final class Asking: Sendable {
    let clock = ManualClock()
    let connection = ScriptedConnection()
    let scheduler: DeadlineScheduler
    let session: PluginSession
    private let results = Mutex<[Int: Result<JSON, PluginSession.Failure>]>([:])

    init() {
      let scheduler = DeadlineScheduler(clock: clock)
      self.scheduler = scheduler
      session = PluginSession(connection: connection, scheduler: scheduler) { _ in }
      session.start()
    }

    func ask(within seconds: Int) -> Int {
      let id = session.nextID()
      session.send(id, method: "scan", [:], within: .seconds(seconds)) { result in
        self.results.withLock { $0[id] = result }
      }
      return id
    }

    func result(of id: Int) -> Result<JSON, PluginSession.Failure>? {
      results.withLock { $0[id] }
    }

    func receive(_ line: String) {
      Array(line.utf8).withUnsafeBufferPointer { connection.receive(.line($0)) }
    }
  }

  @Test(
    "An answer that cannot be read fails the request that it answers at once, and no other",
    arguments: [
      #"{"jsonrpc":"2.0","id":ID,"result":{"items":[nonsense"#,
      #"{"jsonrpc":"2.0","id":ID,"result":\#(String(repeating: "[", count: 100))"#,
      #"{"jsonrpc":"2.0","id":ID}"#, "long",
    ])
  func unreadable(line: String) {
    let asking = Asking()
    let (scan, other) = (asking.ask(within: 300), asking.ask(within: 300))
    if line == "long" {
      asking.connection.receive(.oversizedLine(ProtocolLimits.longestLine + 1, .answer(scan)))
    } else {
      asking.receive(line.replacing("ID", with: "\(scan)"))
    }
    guard case .failure(.unreadable) = asking.result(of: scan) else {
      Issue.record("\(String(describing: asking.result(of: scan)))")
      return
    }
    #expect(asking.result(of: other) == nil)
    // A second answer comes too late, and is no fault of its own.
    asking.receive(#"{"jsonrpc":"2.0","id":\#(scan),"result":{}}"#)
    asking.receive(#"{"jsonrpc":"2.0","id":\#(other),"result":{}}"#)
    #expect(asking.result(of: other) == .success([:]))
  }

  @Test(
    "A line that may have been any answer leaves open requests 5 s",
    arguments: [
      "nonsense", #"{"jsonrpc":"2.0","id":"1","result":{}}"#,
      #"{"jsonrpc":"2.0","id":99,"result":{}}"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
    ])
  func unknownAnswer(line: String) async throws {
    let asking = Asking()
    let (scan, other) = (asking.ask(within: 300), asking.ask(within: 300))
    asking.receive(line)
    asking.clock.advance(by: .seconds(4))
    asking.receive(#"{"jsonrpc":"2.0","id":\#(other),"result":{}}"#)
    #expect(asking.result(of: scan) == nil)
    #expect(asking.result(of: other) == .success([:]))
    let later = asking.ask(within: 1_000_000)
    // Until the scheduler has slept for it.
    try #require(
      await eventually {
        asking.clock.advance(by: .seconds(1))
        return asking.result(of: scan) != nil
      })
    guard case .failure(.unreadable) = asking.result(of: scan) else {
      Issue.record("\(String(describing: asking.result(of: scan)))")
      return
    }
    #expect(asking.result(of: later) == nil)
  }

  @Test("A caller whose task is cancelled waits no longer, and the plugin is told")
  func cancelled() async throws {
    let asking = Asking()
    let caller = Task {
      do throws(PluginSession.Failure) {
        _ = try await asking.session.ask(ScanRequest(device: "cd", folder: nil))
        return nil as PluginSession.Failure?
      } catch {
        return error
      }
    }
    try #require(await eventually { asking.session.hasOpenRequests })
    caller.cancel()
    #expect(await caller.value == .cancelled)
    #expect(!asking.session.hasOpenRequests)
    #expect(asking.connection.sent.contains { $0.contains("\"cancel\"") })
    // So does one that was cancelled before.
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try? await asking.session.ask(ScanRequest(device: "cd", folder: nil))
    }
    #expect(await early.value == nil)
  }

  @Test("The requests of a plugin that is asked to end fail at once")
  func abandoned() {
    let asking = Asking()
    let scan = asking.ask(within: 300)
    asking.session.abandonRequests()
    #expect(asking.result(of: scan) == .failure(.lost))
  }
}

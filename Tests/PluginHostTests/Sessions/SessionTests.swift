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
    func send(_ line: [UInt8]) throws(ConnectionError) {}
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
    connection.receive(.oversizedLine(ProtocolLimits.longestLine + 1))
    #expect(session.lastLine == .seconds(7))
    #expect(session.messages.received == 1)
  }
}

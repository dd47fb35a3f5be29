import Foundation
import MQTTClient
import TestSupport
import Testing

@Suite("Servers that are no brokers", .timeLimit(.minutes(2)))
struct BrokenBrokerTests {
  @Test(
    "a server that closes the connection within a message is named with a reason, never with \"Success\"",
    arguments: [
      "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n", "\u{20}\u{2}", "\u{20}\u{2}\u{0}",
      "220 mail\r\n", "",
    ])
  func closes(answer: String) throws {
    let server = try ClosingServer(answer: Array(answer.utf8))
    defer { withExtendedLifetime(server) {} }
    for tls in [nil, BrokerAddress.TLS(caFile: nil)] {
      let failure = try #require(
        self.failure(of: BrokerAddress(host: "127.0.0.1", port: server.port, tls: tls)))
      guard case .disconnected(let reason, _) = failure else {
        Issue.record("\(failure)")
        continue
      }
      if tls == nil, !answer.isEmpty { #expect(reason.contains("closed"), "\(reason)") }
      for word in ["Success", "No error", "gives no reason"] {
        #expect(!reason.contains(word), "\(reason)")
      }
    }
  }

  @Test("a server that accepts the connection and is silent is given up after the time for it")
  func silent() throws {
    let server = try ConnectionTrap()
    defer { withExtendedLifetime(server) {} }
    let broker = BrokerAddress(host: "127.0.0.3", port: server.port)
    #expect(
      failure(of: broker, acceptance: .seconds(1))
        == .disconnected("it did not accept the connection within 1 s", isReported: false))
  }

  private func failure(
    of broker: BrokerAddress, acceptance: Duration = .seconds(60)
  ) -> MQTTFailure? {
    let session = MQTTSession(
      broker, clientID: "test", acceptance: acceptance, longestPacket: 1000, longestPayload: 1000
    ) { _ in }
    do throws(MQTTFailure) {
      try session.connect()
      while !session.isConnected { try session.wait() }
      return nil
    } catch {
      return error
    }
  }
}

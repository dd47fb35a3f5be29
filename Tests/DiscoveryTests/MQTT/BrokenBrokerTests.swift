import Foundation
import Platform
import TestSupport
import Testing

@testable import Discovery

@Suite("Servers that are no brokers", .timeLimit(.minutes(2)))
struct BrokenBrokerTests {
  @Test(
    "a server that closes the connection within a message is named with a reason, never with \"Success\"",
    arguments: [
      "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n", "\u{20}\u{2}", "\u{20}\u{2}\u{0}",
      "220 mail\r\n", "",
    ])
  func closes(answer: String) async throws {
    let server = try ClosingServer(answer: Array(answer.utf8))
    for tls in [nil, BrokerAddress.TLS(caFile: nil)] {
      let result = await MQTTSearch(
        broker: BrokerAddress(host: "127.0.0.1", port: server.port, tls: tls),
        acceptance: .seconds(60), timeout: .seconds(1)
      ).run()
      let problem = try #require(result.problems.first)
      #expect(problem.hasPrefix("mqtt: no connection to the broker at 127.0.0.1:"), "\(problem)")
      for word in ["Success", "No error", "gives no reason"] {
        #expect(!problem.contains(word), "\(problem)")
      }
    }
  }

  @Test("an error without a number is not called a success")
  func noNumber() {
    #expect(!"\(SystemError(0))".contains("Success"))
    #expect("\(SystemError(2))" == "No such file or directory")
  }
}

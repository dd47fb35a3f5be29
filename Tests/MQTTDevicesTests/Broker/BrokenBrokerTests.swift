import Devices
import JSON
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MQTTDevices

@Suite("Servers that are no brokers", .timeLimit(.minutes(2)))
struct BrokenBrokerTests {
  @Test(
    "a server that closes the connection within a message is named with a reason, never with \"Success\"",
    arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{20}\u{2}", "220 mail\r\n"])
  func closes(answer: String) async throws {
    let server = try ClosingServer(answer: Array(answer.utf8))
    let bench = DeviceBench(["host": "127.0.0.1", "port": .integer(server.port)])
    let error = await bench.open(.lights, ["profile": "tasmota", "topic": "lamp"])
    let message = try #require(error?.message)
    #expect(message.contains("closed the connection") && !message.contains("Success"), "\(message)")
    withExtendedLifetime(server) {}
  }
}

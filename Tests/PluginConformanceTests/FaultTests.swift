import Devices
import JSON
import PluginConformance
import PluginProtocol
import Testing

@Suite("F1 F4 · the faults of the simulated devices", .timeLimit(.minutes(2)))
struct FaultTests {
  @Test("F1 F4 · a hanging device does not delay a ping, another device or the end of the process")
  func hangs() async throws {
    try await PluginClient.run(PluginUnderTest.simulated.target) { client in
      let options: JSON = ["faults": ["silent": ["any"]]]
      try await client.ask(OpenRequest(device: "a", role: .projector, options: options))
      try await client.ask(OpenRequest(device: "b", role: .lights, options: ["speed": 0]))
      _ = try await client.post(PerformRequest(device: "a", command: "on"))
      try await client.ask(PingRequest())
      #expect(try await client.perform("b", ["dim": 30]).result.error == nil)
      await client.closeInput()
      #expect(try await client.exitStatus() == PluginClient.success)
    }
  }

  @Test("F4 · the fault \"dies\" ends the process at the configured command")
  func dies() async throws {
    try await PluginClient.run(PluginUnderTest.simulated.target) { client in
      let options: JSON = ["speed": 0, "faults": ["dies": ["down"]]]
      try await client.ask(OpenRequest(device: "a", role: .screen, options: options))
      #expect(try await client.perform("a", "up").result.error == nil)
      _ = try await client.post(PerformRequest(device: "a", command: "down"))
      let status = try await client.exitStatus()
      #expect(status == "exit status 70", "it ended by itself, with status 70")
    }
  }
}

import Devices
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@Suite struct AmplifierSimulationTests {
  @Test("F4 · an input keeps its cable if its new socket cannot be made")
  func unusableSocket() async throws {
    let folder = try TemporaryFolder()
    func request(_ name: String, token: Character) -> OpenSocketRequest {
      OpenSocketRequest(
        device: "a", input: "dvd",
        socket: CableSocket(
          path: folder.path(of: name), token: String(repeating: token, count: 64)))
    }
    try await TheaterBench.run(.amplifier) { bench in
      _ = try await bench.call(request("s", token: "1")).get()
      let refused = try await bench.call(request("missing/s", token: "2"))
      #expect(throws: RPCError.self) { _ = try refused.get() }
      let next = request("s", token: "3")
      _ = try await bench.call(next).get()
      let source = try CableSource()
      defer { source.close() }
      try source.connect(path: next.socket.path, token: next.socket.token)
    }
  }
}

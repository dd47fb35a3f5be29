import Devices
import Foundation
import Glibc
import JSON
import PluginHost
import Testing

@Suite("Plugins as processes")
struct ProcessTests {
  @Test("F1 · a plugin in another language is started, obeys, and is gone after the end")
  func wholeLife() async throws {
    let plugin = try ScriptPlugin()
    var pid: Int32 = 0
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.dim(40), on: lamp).success == .observed)
      let status = try await plugin.status()
      #expect(status.condition == .running)
      pid = try #require(status.pid)
      #expect(try #require(status.memory) > 0)
    }
    #expect(kill(pid, 0) == -1)
    #expect(try await plugin.status().condition == .ended)
  }
}

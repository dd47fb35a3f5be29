import Devices
import JSON
import PluginHost
import PluginKit
import TestSupport
import Testing

@Suite("Device proxy")
struct DeviceProxyTests {
  @Test("E15 · a command is done when the device reports its settled state")
  func settled() async throws {
    let script = DeviceScript(["power": "off", "brightness": 0])
    try await HostBench(LightsCommand.self, script).run { lights in
      let confirmation = try await lights.perform(LightsCommand.dim(10))
      #expect(confirmation == .observed)
      #expect(await lights.snapshot().state.brightness == 10)
      #expect(script.commands == [["dim": 10]])
    }
  }

  @Test("Commands given one after the other reach the device in that order")
  func order() async throws {
    let script = DeviceScript()
    try await HostBench(AmplifierCommand.self, script).run { amp in
      for command in [AmplifierCommand.on, .input("dvd"), .surround, .volume(50)] {
        try await amp.perform(command)
      }
      #expect(script.commands == ["on", ["input": "dvd"], "surround", ["volume": 50]])
    }
  }
}

extension DeviceScript {
  convenience init(_ values: KeyValuePairs<String, JSON>) {
    var state: [StateKey: JSON] = [:]
    for (key, value) in values { if let key = StateKey(rawValue: key) { state[key] = value } }
    self.init(state)
  }
}

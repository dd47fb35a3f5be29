import Devices
import JSON
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MQTTDevices
@testable import PluginKit

@Suite("Cancelled commands of MQTT devices", .timeLimit(.minutes(2)))
struct CancellationTests {
  @Test("does not repeat a cancelled command")
  func cancelled() async throws {
    let broker = try BrokerFixture.shared.get()
    let cover = try MQTTFixture(broker, "tasmota", "cover", ["position": 100])
    let clock = ManualClock()
    let options: JSON = [
      "broker": broker.options, "profile": "tasmota", "topic": .string(cover.topic),
    ]
    let device = try MQTTDevice<ScreenCommand>(
      DeviceContext(
        device: "d", options: options, connection: InMemoryConnection.pair().plugin),
      BrokerConnectionPool(), clock: clock)
    _ = try await device.open()
    try await cover.change(["odd": ["deaf"]])
    let count = { @Sendable (name: String) in cover.commands.count { $0.contains(name) } }
    let queries = count("ShutterPosition")

    let command = Task { try await device.perform(.down) }
    #expect(await eventually { count("ShutterClose") == 1 })
    clock.advance(by: DeviceModel.confirmationDelay)
    #expect(await eventually { count("ShutterPosition") > queries })
    command.cancel()
    await #expect(throws: DeviceError.self) { try await command.value }
    await clock.waitForSleepers()
    clock.advance(by: DeviceModel.retryInterval)
    await clock.waitForSleepers()

    try await cover.change(["odd": []])
    try await device.perform(.up)
    #expect(count("ShutterClose") == 1)
    await device.close()
  }
}

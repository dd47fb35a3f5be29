import Devices
import PluginHost
import PluginProtocol
import Testing

@Suite("Supervision: added and removed devices")
struct OtherDevicesTests {
  private static let answer = InitializeRequest.Answer(
    version: .current, plugin: "P", pluginVersion: "1")

  private func running(_ devices: [DeviceID]) -> SupervisionScenario {
    var scenario = SupervisionScenario(devices: devices)
    scenario.run()
    return scenario
  }

  @Test("A device that is added while the process runs is opened at once")
  func added() {
    var scenario = running(["lamp"])
    #expect(scenario.handle(.added(["spot"])) == [.open(["spot"])])
    #expect(!scenario.supervision.isSettled)
    #expect(scenario.handle(.opened("spot")) == [])
    #expect(scenario.supervision.isSettled && scenario.supervision.phase == .running)
  }

  @Test("A device that is added before the process is up is opened with the others")
  func addedEarly() {
    var scenario = SupervisionScenario()
    scenario.handle(.added(["spot"]))
    scenario.handle(.start)
    #expect(scenario.handle(.added(["third"])) == [])
    #expect(scenario.handle(.initialized(Self.answer)).contains(.open(["lamp", "spot", "third"])))
  }

  @Test("A device that is added while the process is out starts it at once, with the shortest wait")
  func addedToFailed() {
    var scenario = running(["lamp"])
    for _ in 0..<5 {
      scenario.handle(.exited(how: "exit status 1"))
      _ = scenario.advance(by: .seconds(60))
    }
    scenario.handle(.exited(how: "exit status 1"))
    #expect(scenario.handle(.added(["spot"])).contains(.spawn))
    #expect(
      scenario.handle(.exited(how: "exit status 1")).wakeTimes == [
        scenario.now + .milliseconds(500)
      ])
  }

  @Test("A removed device is closed; the process has released it when it says so")
  func removed() {
    var scenario = running(["lamp", "spot"])
    #expect(scenario.handle(.removed(["spot"])) == [.close(["spot"])])
    #expect(!scenario.supervision.hasReleased && scenario.supervision.phase == .running)
    #expect(scenario.handle(.closed("spot")) == [])
    #expect(scenario.supervision.hasReleased && scenario.supervision.phase == .running)
  }

  @Test("A device that is removed while it is opened is closed, and its late answer is ignored")
  func removedWhileOpening() {
    var scenario = SupervisionScenario(devices: ["lamp", "spot"])
    scenario.handle(.start)
    scenario.handle(.spawned)
    scenario.handle(.initialized(Self.answer))
    scenario.handle(.opened("lamp"))
    #expect(
      scenario.handle(.removed(["spot"])) == [
        .close(["spot"]), .announce(.configured), .announce(.running),
      ])
    #expect(scenario.handle(.opened("spot")) == [])
    #expect(!scenario.supervision.hasReleased)
    scenario.handle(.refused("spot", DeviceError(.notNow, "busy")))
    #expect(!scenario.advance(by: .seconds(2)).contains(.open(["spot"])))
  }

  @Test("A refused device is removed without a word, and is not tried again")
  func removedRefused() {
    var scenario = SupervisionScenario(devices: ["lamp", "spot"])
    scenario.handle(.start)
    scenario.handle(.spawned)
    scenario.handle(.initialized(Self.answer))
    scenario.handle(.opened("lamp"))
    scenario.handle(.refused("spot", DeviceError(.notNow, "busy")))
    #expect(scenario.handle(.removed(["spot"])) == [])
    #expect(scenario.supervision.hasReleased)
    #expect(
      !scenario.advance(by: .seconds(2)).contains { if case .open = $0 { true } else { false } })
  }

  @Test("F1 · a device whose opening timed out is closed when it is removed, as it may be open")
  func removedAfterTimeout() {
    var scenario = SupervisionScenario(devices: ["lamp", "spot"])
    scenario.handle(.start)
    scenario.handle(.spawned)
    scenario.handle(.initialized(Self.answer))
    scenario.handle(.opened("lamp"))
    scenario.handle(.refused("spot", DeviceError(.timeout, "no answer")))
    #expect(scenario.handle(.removed(["spot"])) == [.close(["spot"])])
    #expect(!scenario.supervision.hasReleased)
    scenario.handle(.closed("spot"))
    #expect(scenario.supervision.hasReleased)
  }

  @Test("A process whose open device is removed, the others refused, is configured, not running")
  func onlyRefusedLeft() {
    var scenario = SupervisionScenario(devices: ["lamp", "spot"])
    scenario.handle(.start)
    scenario.handle(.spawned)
    scenario.handle(.initialized(Self.answer))
    scenario.handle(.opened("lamp"))
    scenario.handle(.refused("spot", DeviceError(.invalid, "no such port")))
    #expect(scenario.supervision.phase == .running)
    #expect(scenario.handle(.removed(["lamp"])).contains(.announce(.configured)))
    scenario.handle(.added(["third"]))
    #expect(scenario.handle(.opened("third")) == [.announce(.running)])
  }

  @Test("Without any device the process is ended, and has released them when it is gone")
  func emptied() {
    var scenario = running(["lamp", "spot"])
    let actions = scenario.handle(.removed(["lamp", "spot"]))
    #expect(actions == [.announce(.stopping(nil)), .shutDown, .wake(.seconds(2))])
    #expect(scenario.advance(by: .seconds(2)).contains(.terminate))
    #expect(scenario.advance(by: .seconds(2)).contains(.kill))
    #expect(!scenario.supervision.hasReleased)
    #expect(scenario.handle(.exited(how: "signal 9")) == [.announce(.stopped)])
    #expect(scenario.supervision.hasReleased)
  }

  @Test("A process without any device is not started again, in whatever phase it was")
  func emptiedWhileOut() {
    var discovered = SupervisionScenario()
    #expect(discovered.handle(.removed(["lamp"])) == [.announce(.stopped)])
    #expect(discovered.handle(.start) == [])
    var failed = running(["lamp"])
    failed.handle(.exited(how: "exit status 1"))
    #expect(failed.handle(.removed(["lamp"])) == [.announce(.stopped)])
    #expect(failed.advance(by: .seconds(100)) == [])
    var stopping = running(["lamp"])
    for _ in 0..<10 { stopping.handle(.badLine("x")) }
    stopping.handle(.removed(["lamp"]))
    #expect(!stopping.supervision.hasReleased)
    #expect(stopping.handle(.exited(how: "signal 15")) == [.announce(.stopped)])
  }

  @Test("A device that is not closed ends the process; the devices that stay are opened again")
  func closeFailed() {
    var scenario = running(["lamp", "spot"])
    scenario.handle(.removed(["spot"]))
    #expect(scenario.handle(.closeFailed("it did not close spot")).contains(.terminate))
    #expect(!scenario.supervision.hasReleased)
    scenario.handle(.exited(how: "signal 15"))
    #expect(scenario.supervision.hasReleased)
    #expect(scenario.advance(by: .seconds(1)).contains(.spawn))
    scenario.handle(.spawned)
    #expect(scenario.handle(.initialized(Self.answer)).contains(.open(["lamp"])))
  }

  @Test("The end of a process releases a device that it was closing")
  func exitWhileClosing() {
    var scenario = running(["lamp", "spot"])
    scenario.handle(.removed(["spot"]))
    scenario.handle(.exited(how: "signal 9"))
    #expect(scenario.supervision.hasReleased)
    guard case .failed = scenario.supervision.phase else {
      Issue.record("\(scenario.supervision.phase)")
      return
    }
  }

  @Test("A device that is removed while the process is ended is released at its end")
  func removedWhileStopping() {
    var scenario = running(["lamp", "spot"])
    for _ in 0..<10 { scenario.handle(.badLine("x")) }
    #expect(scenario.handle(.removed(["spot"])) == [])
    #expect(!scenario.supervision.hasReleased)
    scenario.handle(.exited(how: "signal 15"))
    #expect(scenario.supervision.hasReleased)
  }

  @Test("A device added to a stopped process is unavailable; nothing starts")
  func addedToStopped() {
    var scenario = running(["lamp"])
    scenario.handle(.stop)
    scenario.handle(.exited(how: "exit status 0"))
    #expect(scenario.handle(.added(["spot"])) == [.announce(.stopped)])
  }
}

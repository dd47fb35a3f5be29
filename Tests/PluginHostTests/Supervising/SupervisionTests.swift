import Devices
import PluginHost
import PluginProtocol
import Testing

@Suite("Supervision")
struct SupervisionTests {
  @Test("F1 · a process goes from discovered over spawned, handshaken and configured to running")
  func comingUp() {
    var scenario = SupervisionScenario()
    #expect(scenario.supervision.phase == .discovered)
    #expect(scenario.handle(.start) == [.announce(.spawned), .check, .spawn])
    #expect(scenario.handle(.spawned) == [.initialize])
    let answer = InitializeRequest.Answer(version: .current, plugin: "P", pluginVersion: "1")
    #expect(
      scenario.handle(.initialized(answer)) == [
        .announce(.handshaken), .wake(.seconds(5)), .open(["lamp"]),
      ])
    #expect(scenario.handle(.opened("lamp")) == [.announce(.configured), .announce(.running)])
  }

  @Test("A newer minor version is understood")
  func minorVersion() {
    var scenario = SupervisionScenario()
    scenario.handle(.start)
    scenario.handle(.spawned)
    let newer = ProtocolVersion(
      major: ProtocolVersion.current.major, minor: ProtocolVersion.current.minor + 1)
    scenario.handle(.initialized(.init(version: newer, plugin: "P", pluginVersion: "1")))
    #expect(scenario.supervision.phase == .handshaken)
  }

  @Test("Another major version ends the process and waits for a changed file")
  func majorVersion() throws {
    var scenario = SupervisionScenario()
    scenario.handle(.start)
    scenario.handle(.spawned)
    let other = ProtocolVersion(major: ProtocolVersion.current.major + 1, minor: 0)
    let actions = scenario.handle(
      .initialized(.init(version: other, plugin: "P", pluginVersion: "1")))
    #expect(actions.contains(.terminate))
    scenario.handle(.exited(how: "signal 15"))
    guard case .failed(let failure, let retryAt) = scenario.supervision.phase else {
      Issue.record("\(scenario.supervision.phase)")
      return
    }
    #expect(failure.cause == .version)
    #expect(
      failure.message.contains("2.0") && failure.message.contains("\(ProtocolVersion.current)"))
    #expect(retryAt == nil)
    #expect(!scenario.advance(by: .seconds(3600)).contains(.spawn))
    #expect(scenario.handle(.fileChanged).contains(.spawn))
  }

  @Test("A program that calls itself otherwise than its manifest is not used")
  func otherName() {
    var scenario = SupervisionScenario()
    scenario.handle(.start)
    scenario.handle(.spawned)
    let actions = scenario.handle(
      .initialized(.init(version: .current, plugin: "Q", pluginVersion: "1")))
    #expect(actions.contains(.terminate))
  }

  @Test("A program that cannot be started is tried again later")
  func spawnFails() {
    var scenario = SupervisionScenario()
    scenario.handle(.start)
    let actions = scenario.handle(.spawnFailed("there is no program"))
    #expect(actions.wakeTimes == [.milliseconds(500)])
    #expect(scenario.advance(by: .milliseconds(499)).wakeTimes == [.milliseconds(500)])
    #expect(scenario.advance(by: .milliseconds(1)) == [.announce(.spawned), .check, .spawn])
  }

  @Test("Waits grow from 0.5 s to 60 s, doubling, and stay there for ever")
  func backoff() {
    var scenario = SupervisionScenario()
    scenario.handle(.start)
    var waits: [Double] = []
    for _ in 0..<12 {
      scenario.handle(.spawned)
      let wake = scenario.handle(.exited(how: "exit status 1")).wakeTimes.first ?? .zero
      waits.append((wake - scenario.now).seconds)
      scenario.now = wake
      scenario.handle(.tick(lastLine: .zero, hasOpenRequests: false))
    }
    #expect(waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60])
    #expect(scenario.supervision.restarts == 12)
  }

  @Test("The self-check runs at the first start and after a failed start, not after a later crash")
  func checked() {
    var scenario = SupervisionScenario()
    #expect(scenario.handle(.start).contains(.check))
    scenario.handle(.exited(how: "exit status 1"))
    #expect(scenario.advance(by: .seconds(1)).contains(.check))
    scenario.handle(.spawned)
    scenario.handle(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
    scenario.handle(.opened("lamp"))
    scenario.handle(.exited(how: "exit status 1"))
    let actions = scenario.advance(by: .seconds(2))
    #expect(actions.contains(.spawn) && !actions.contains(.check))
  }

  @Test("A missing dependency in the self-check stops the plugin and is shown as the reason")
  func complained() {
    for exitsFirst in [true, false] {
      var scenario = SupervisionScenario()
      scenario.handle(.start)
      scenario.handle(.spawned)
      if exitsFirst { scenario.handle(.exited(how: "exit status 127")) }
      scenario.handle(.complained("libavformat is missing"))
      if !exitsFirst { scenario.handle(.exited(how: "signal 15")) }
      guard case .failed(let failure, let retryAt) = scenario.supervision.phase else {
        Issue.record("\(scenario.supervision.phase)")
        return
      }
      #expect(failure == .init(.selfCheck, "libavformat is missing"))
      #expect(retryAt == .milliseconds(500))
    }
  }

  @Test("A self-check that fails after the devices have opened is repeated at the next start")
  func complainedLate() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(scenario.handle(.complained("libavformat is missing")).contains(.terminate))
    scenario.handle(.exited(how: "signal 15"))
    #expect(scenario.advance(by: .seconds(1)).contains(.check))
  }

  @Test("Five minutes without a failure reset the delay; less does not")
  func healthy() {
    for (minutes, wait) in [(4, 2.0), (5, 0.5)] {
      var scenario = SupervisionScenario()
      scenario.handle(.start)
      for _ in 0..<2 {
        scenario.handle(.exited(how: "exit status 1"))
        _ = scenario.advance(by: .seconds(3))
      }
      scenario.handle(.spawned)
      scenario.handle(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
      scenario.handle(.opened("lamp"))
      scenario.now += .seconds(60 * minutes)
      let wake = scenario.handle(.exited(how: "exit status 1")).wakeTimes.first ?? .zero
      #expect((wake - scenario.now).seconds == wait, "after \(minutes) minutes")
    }
  }

  @Test(
    "A stop takes at most 3 s, whatever the process does: SIGTERM after 2 s, SIGKILL, then it is given up"
  )
  func stopOfHangingProcess() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(scenario.handle(.stop).contains(.shutDown))
    #expect(!scenario.advance(by: .milliseconds(1_999)).contains(.terminate))
    #expect(scenario.advance(by: .milliseconds(1)).contains(.terminate))
    #expect(scenario.advance(by: .milliseconds(500)).contains(.kill))
    // SIGKILL does not end a process that waits for a dead disk.
    #expect(scenario.advance(by: .milliseconds(500)) == [.abandon])
    scenario.handle(.exited(how: "given up"))
    #expect(scenario.supervision.phase == .stopped)
  }

  @Test("A failed process that even SIGKILL does not end is given up, and started again")
  func abandoned() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(scenario.handle(.closeFailed("it hangs")).contains(.terminate))
    #expect(scenario.advance(by: .seconds(2)).contains(.kill))
    #expect(scenario.advance(by: .seconds(2)) == [.abandon])
    scenario.handle(.exited(how: "given up"))
    #expect(scenario.advance(by: .seconds(1)).contains(.spawn))
  }
}

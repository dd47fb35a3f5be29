import Devices
import PluginHost
import PluginProtocol
import Testing

@Suite("Supervision: liveness")
struct LivenessTests {
  @Test("A silent process is pinged after 5 s; two misses end it: TERM, 2 s later KILL")
  func twoMisses() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(!scenario.advance(by: .milliseconds(4999)).contains(.ping))
    #expect(scenario.advance(by: .milliseconds(1)).contains(.ping))
    #expect(scenario.advance(by: .seconds(5)).contains(.ping))
    let actions = scenario.advance(by: .seconds(5))
    #expect(actions.contains(.terminate) && !actions.contains(.kill))
    #expect(!scenario.advance(by: .milliseconds(1999)).contains(.kill))
    #expect(scenario.advance(by: .milliseconds(1)).contains(.kill))
    #expect(
      scenario.handle(.exited(how: "signal 9")).wakeTimes == [scenario.now + .milliseconds(500)])
  }

  @Test("Any line proves that the process lives")
  func anyLine() {
    var scenario = SupervisionScenario()
    scenario.run()
    _ = scenario.advance(by: .seconds(5))
    _ = scenario.advance(by: .seconds(5))
    #expect(scenario.receiveLine(after: .seconds(4)).wakeTimes == [scenario.now + .seconds(5)])
    for _ in 0..<50 { #expect(!scenario.receiveLine(after: .seconds(3)).contains(.ping)) }
    #expect(scenario.supervision.phase == .running)
  }

  @Test("A ping that is answered soon takes one wake-up, on a whole second that all plugins share")
  func oneWakeUp() {
    var scenario = SupervisionScenario()
    scenario.now = .milliseconds(300)
    scenario.lastLine = scenario.now
    scenario.run()
    #expect(scenario.advance(by: .milliseconds(5700)).wakeTimes == [.seconds(11)])
    for second in 1...20 {
      scenario.lastLine = scenario.now + .milliseconds(3)
      let actions = scenario.advance(by: .seconds(5))
      #expect(actions.contains(.ping), "\(second)")
      #expect(actions.wakeTimes == [scenario.now + .seconds(5)])
    }
  }

  @Test("A line that comes later than the answer to a ping is the beginning of the silence")
  func lateLine() {
    var scenario = SupervisionScenario()
    scenario.run()
    _ = scenario.advance(by: .seconds(5))
    scenario.lastLine = scenario.now + .milliseconds(1500)
    let actions = scenario.advance(by: .seconds(5))
    #expect(!actions.contains(.ping))
    #expect(actions.wakeTimes == [.seconds(12)])
  }

  @Test("No ping is sent while a request with its own deadline is open, nor right after")
  func busy() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<20 { #expect(!scenario.advance(by: .seconds(5), busy: true).contains(.ping)) }
    #expect(!scenario.advance(by: .seconds(4)).contains(.ping))
    #expect(scenario.advance(by: .seconds(1)).contains(.ping))
  }

  @Test("Ten lines that are no messages restart it; nine do not")
  func badLines() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<9 { #expect(scenario.handle(.badLine("garbage")) == []) }
    #expect(scenario.handle(.badLine("garbage")).contains(.terminate))
    scenario.handle(.exited(how: "signal 15"))
    guard case .failed(let failure, let retryAt) = scenario.supervision.phase else {
      Issue.record("\(scenario.supervision.phase)")
      return
    }
    #expect(failure.cause == .crash && failure.message.contains("garbage"))
    #expect(retryAt != nil)
  }

  @Test("A process that closes its output but stays is ended after half a second")
  func outputEnds() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(scenario.handle(.outputEnded).wakeTimes == [.milliseconds(500)])
    #expect(scenario.advance(by: .milliseconds(500)).contains(.terminate))
  }

  @Test("Further failures to send do not put off the end of a process that has closed its input")
  func outputEndsOnce() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.handle(.outputEnded)
    _ = scenario.advance(by: .milliseconds(300))
    scenario.handle(.outputEnded)
    #expect(scenario.advance(by: .milliseconds(200)).contains(.terminate))
  }

  @Test("F1 · a tick before the end of this time asks for another one at its end")
  func outputEndsBeforeTick() {
    var running = SupervisionScenario()
    running.run()
    running.handle(.outputEnded)
    #expect(running.advance(by: .milliseconds(200)).wakeTimes.contains(.milliseconds(500)))
    #expect(running.advance(by: .milliseconds(300)).contains(.terminate))
    var spawned = SupervisionScenario()
    spawned.handle(.start)
    spawned.handle(.spawned)
    spawned.handle(.outputEnded)
    #expect(spawned.advance(by: .milliseconds(200)) == [.wake(.milliseconds(500))])
  }

  @Test("The end of the output before the end of the process is no failure of its own")
  func outputEndsAtExit() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.handle(.outputEnded)
    scenario.handle(.exited(how: "exit status 3"))
    guard case .failed(let failure, _) = scenario.supervision.phase else {
      Issue.record("\(scenario.supervision.phase)")
      return
    }
    #expect(failure.message.contains("exit status 3"))
  }
}

@Suite("Supervision: devices")
struct OpeningTests {
  private func handshaken(_ devices: [DeviceID]) -> SupervisionScenario {
    var scenario = SupervisionScenario(devices: devices)
    scenario.handle(.start)
    scenario.handle(.spawned)
    scenario.handle(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
    return scenario
  }

  @Test("A device that cannot be opened now is tried again; the others run meanwhile")
  func oneRefused() {
    var scenario = handshaken(["lamp", "spot"])
    scenario.handle(.opened("lamp"))
    #expect(scenario.supervision.phase == .handshaken)
    let actions = scenario.handle(.refused("spot", DeviceError(.notNow, "busy")))
    #expect(actions.contains(.announce(.running)))
    #expect(actions.wakeTimes == [.milliseconds(500)])
    #expect(scenario.advance(by: .milliseconds(500)).contains(.open(["spot"])))
    #expect(
      scenario.handle(.refused("spot", DeviceError(.notNow, "busy"))).wakeTimes == [
        .milliseconds(1500)
      ])
  }

  @Test("Options that the plugin calls wrong are not tried again")
  func wrongOptions() {
    var scenario = handshaken(["lamp"])
    let actions = scenario.handle(.refused("lamp", DeviceError(.invalid, "no such port")))
    #expect(scenario.supervision.phase == .configured)
    #expect(actions == [.announce(.configured)])
    for _ in 0..<20 {
      let actions = scenario.receiveLine(after: .seconds(60))
      #expect(!actions.contains { if case .open = $0 { true } else { false } })
    }
  }

  @Test("With all devices refused it stays configured until one opens")
  func allRefused() {
    var scenario = handshaken(["lamp"])
    scenario.handle(.refused("lamp", DeviceError(.failed, "unplugged")))
    #expect(scenario.supervision.phase == .configured)
    _ = scenario.advance(by: .milliseconds(500))
    #expect(scenario.handle(.opened("lamp")) == [.announce(.running)])
  }
}

@Suite("Supervision: the end")
struct EndTests {
  @Test("On request: shutdown and end of input, TERM after 2 s, KILL half a second later")
  func stubborn() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(
      scenario.handle(.stop) == [.announce(.stopping(nil)), .shutDown, .wake(.seconds(2))])
    #expect(scenario.advance(by: .milliseconds(1999)) == [.wake(.seconds(2))])
    #expect(scenario.advance(by: .milliseconds(1)) == [.terminate, .wake(.milliseconds(2_500))])
    #expect(
      scenario.advance(by: .milliseconds(500)) == [.kill, .wake(.seconds(3))])
    #expect(scenario.handle(.exited(how: "signal 9")) == [.announce(.stopped)])
  }

  @Test("A process that fails while it is asked to end is not started again")
  func stopWhileFailing() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<10 { scenario.handle(.badLine("x")) }
    scenario.handle(.stop)
    #expect(scenario.handle(.exited(how: "signal 15")) == [.announce(.stopped)])
  }

  @Test("Stopping a plugin that waits for its next start ends the wait")
  func stopWhileFailed() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.handle(.exited(how: "exit status 1"))
    #expect(scenario.handle(.stop) == [.announce(.stopped)])
    #expect(scenario.advance(by: .seconds(100)) == [])
  }

  @Test("Unexpected events of a phase change nothing")
  func strayNews() {
    var scenario = SupervisionScenario()
    let inputs: [Supervision.Input] = [
      .spawned, .initialized(.init(version: .current, plugin: "P", pluginVersion: "1")),
      .opened("lamp"), .badLine("x"), .exited(how: "exit status 0"), .fileChanged,
    ]
    for input in inputs { #expect(scenario.handle(input) == []) }
    #expect(scenario.supervision.phase == .discovered)
  }
}

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
    #expect(!scenario.pass(.milliseconds(4999)).contains(.ping))
    #expect(scenario.pass(.milliseconds(1)).contains(.ping))
    #expect(scenario.pass(.seconds(5)).contains(.ping))
    let actions = scenario.pass(.seconds(5))
    #expect(actions.contains(.terminate) && !actions.contains(.kill))
    #expect(!scenario.pass(.milliseconds(1999)).contains(.kill))
    #expect(scenario.pass(.milliseconds(1)) == [.kill])
    #expect(
      scenario.take(.exited(how: "signal 9")).wakeTimes == [scenario.now + .milliseconds(500)])
  }

  @Test("Any line proves that the process lives")
  func anyLine() {
    var scenario = SupervisionScenario()
    scenario.run()
    _ = scenario.pass(.seconds(5))
    _ = scenario.pass(.seconds(5))
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
    #expect(scenario.pass(.milliseconds(5700)).wakeTimes == [.seconds(11)])
    for second in 1...20 {
      scenario.lastLine = scenario.now + .milliseconds(3)
      let actions = scenario.pass(.seconds(5))
      #expect(actions.contains(.ping), "\(second)")
      #expect(actions.wakeTimes == [scenario.now + .seconds(5)])
    }
  }

  @Test("A line that comes later than the answer to a ping is the beginning of the silence")
  func lateLine() {
    var scenario = SupervisionScenario()
    scenario.run()
    _ = scenario.pass(.seconds(5))
    scenario.lastLine = scenario.now + .milliseconds(1500)
    let actions = scenario.pass(.seconds(5))
    #expect(!actions.contains(.ping))
    #expect(actions.wakeTimes == [.seconds(12)])
  }

  @Test("No ping is sent while a request with its own deadline is open, nor right after")
  func busy() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<20 { #expect(!scenario.pass(.seconds(5), busy: true).contains(.ping)) }
    #expect(!scenario.pass(.seconds(4)).contains(.ping))
    #expect(scenario.pass(.seconds(1)).contains(.ping))
  }

  @Test("Ten lines that are no messages restart it; nine do not")
  func badLines() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<9 { #expect(scenario.take(.badLine("garbage")) == []) }
    #expect(scenario.take(.badLine("garbage")).contains(.terminate))
    scenario.take(.exited(how: "signal 15"))
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
    #expect(scenario.take(.outputEnded).wakeTimes == [.milliseconds(500)])
    #expect(scenario.pass(.milliseconds(500)).contains(.terminate))
  }

  @Test("Further failures to send do not put off the end of a process that has closed its input")
  func outputEndsOnce() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.take(.outputEnded)
    _ = scenario.pass(.milliseconds(300))
    scenario.take(.outputEnded)
    #expect(scenario.pass(.milliseconds(200)).contains(.terminate))
  }

  @Test("The end of the output before the end of the process is no failure of its own")
  func outputEndsAtExit() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.take(.outputEnded)
    scenario.take(.exited(how: "exit status 3"))
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
    scenario.take(.start)
    scenario.take(.spawned)
    scenario.take(.initialized(.init(version: .current, plugin: "P", pluginVersion: "1")))
    return scenario
  }

  @Test("A device that cannot be opened now is tried again; the others run meanwhile")
  func oneRefused() {
    var scenario = handshaken(["lamp", "spot"])
    scenario.take(.opened("lamp"))
    #expect(scenario.supervision.phase == .handshaken)
    let actions = scenario.take(.refused("spot", DeviceError(.notNow, "busy")))
    #expect(actions.contains(.announce(.running)))
    #expect(actions.wakeTimes == [.milliseconds(500)])
    #expect(scenario.pass(.milliseconds(500)).contains(.open(["spot"])))
    #expect(
      scenario.take(.refused("spot", DeviceError(.notNow, "busy"))).wakeTimes == [
        .milliseconds(1500)
      ])
  }

  @Test("Options that the plugin calls wrong are not tried again")
  func wrongOptions() {
    var scenario = handshaken(["lamp"])
    let actions = scenario.take(.refused("lamp", DeviceError(.invalid, "no such port")))
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
    scenario.take(.refused("lamp", DeviceError(.failed, "unplugged")))
    #expect(scenario.supervision.phase == .configured)
    _ = scenario.pass(.milliseconds(500))
    #expect(scenario.take(.opened("lamp")) == [.announce(.running)])
  }
}

@Suite("Supervision: the end")
struct EndTests {
  @Test("On request: shutdown and end of input, TERM after 2 s, KILL after 2 s more")
  func stubborn() {
    var scenario = SupervisionScenario()
    scenario.run()
    #expect(
      scenario.take(.stop) == [.announce(.stopping(nil)), .shutDown, .wake(.seconds(2))])
    #expect(scenario.pass(.milliseconds(1999)) == [.wake(.seconds(2))])
    #expect(scenario.pass(.milliseconds(1)) == [.terminate, .wake(.seconds(4))])
    #expect(scenario.pass(.seconds(2)) == [.kill])
    #expect(scenario.take(.exited(how: "signal 9")) == [.announce(.stopped)])
  }

  @Test("A process that fails while it is asked to end is not started again")
  func stopWhileFailing() {
    var scenario = SupervisionScenario()
    scenario.run()
    for _ in 0..<10 { scenario.take(.badLine("x")) }
    scenario.take(.stop)
    #expect(scenario.take(.exited(how: "signal 15")) == [.announce(.stopped)])
  }

  @Test("Stopping a plugin that waits for its next start ends the wait")
  func stopWhileFailed() {
    var scenario = SupervisionScenario()
    scenario.run()
    scenario.take(.exited(how: "exit status 1"))
    #expect(scenario.take(.stop) == [.announce(.stopped)])
    #expect(scenario.pass(.seconds(100)) == [])
  }

  @Test("Unexpected events of a phase change nothing")
  func strayNews() {
    var scenario = SupervisionScenario()
    let inputs: [Supervision.Input] = [
      .spawned, .initialized(.init(version: .current, plugin: "P", pluginVersion: "1")),
      .opened("lamp"), .badLine("x"), .exited(how: "exit status 0"), .fileChanged,
    ]
    for input in inputs { #expect(scenario.take(input) == []) }
    #expect(scenario.supervision.phase == .discovered)
  }
}

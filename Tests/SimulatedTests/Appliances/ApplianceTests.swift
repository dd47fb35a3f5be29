import Devices
import JSON
import PluginProtocol
import Testing

@testable import Simulated

@Suite("E15 · simulated lights, screen, projector and popper", .timeLimit(.minutes(5)))
struct ApplianceTests {
  @Test("E15 · the projector warms up before it is on; refusals state the remaining time")
  func projectorWarms() async throws {
    try await TheaterBench.run(.projector, ["warmUp": 30]) { bench in
      #expect(await bench.state(.power) == "off")
      try await bench.perform("on")
      #expect(await bench.state(.power) == "warming")
      await bench.advance(by: .seconds(10))
      for command: JSON in ["off", "tvMode", "wideScreenMode"] {
        let error = try await bench.refusal(of: command)
        #expect(error.code == .notNow)
        #expect(error.retryAfter == .seconds(20))
      }
      try await bench.perform("on")
      await bench.advance(by: .seconds(20))
      #expect(try await bench.nextReport(of: .power) == "on")
      try await bench.perform("tvMode")
      #expect(await bench.state(.picture) == "tv")
    }
  }

  @Test("E15 · the projector cools before it is off, and cannot be turned on meanwhile")
  func projectorCools() async throws {
    try await TheaterBench.run(.projector, ["warmUp": 0, "coolDown": 60, "speed": 10]) { bench in
      try await bench.perform("on")
      #expect(await bench.state(.power) == "on")
      try await bench.perform("off")
      #expect(await bench.state(.power) == "cooling")
      await bench.advance(by: .seconds(1))
      let error = try await bench.refusal(of: "on")
      #expect(error.code == .notNow)
      #expect(error.retryAfter == .seconds(5), "speed 10: the remaining 50 s take 5 s")
      await bench.advance(by: .seconds(5))
      #expect(try await bench.nextReport(of: .power) == "off")
    }
  }

  @Test(
    "E15 · a device that is off refuses commands with a hint or ignores them, by `whenOff`",
    arguments: [
      (Role.projector, "tvMode"), (.popcornPopper, "pop"), (.amplifier, "surround"),
      (.tuner, ["fm": 98.5]), (.dvdPlayer, "play"), (.cdPlayer, "eject"),
    ] as [(Role, JSON)])
  func whenOff(_ role: Role, _ command: JSON) async throws {
    try await TheaterBench.run(role) { bench in
      let error = try await bench.refusal(of: command)
      #expect(error.code == .notNow)
      #expect(error.hint == "Turn it on first.")
    }
    try await TheaterBench.run(role, ["whenOff": "ignore"]) { bench in
      await bench.removeReports()
      try await bench.perform(command)
      let reports = await bench.reports
      #expect(reports == [], "nothing happened")
    }
  }

  @Test("E15 · the screen reports that it moves, and its end position")
  func screenTravels() async throws {
    try await TheaterBench.run(.screen, ["travel": 6]) { bench in
      #expect(await bench.state(.position) == "up")
      try await bench.perform("down")
      #expect(await bench.state(.position) == "moving")
      await bench.advance(by: .seconds(6))
      #expect(try await bench.nextReport(of: .position) == "down")
      await bench.removeReports()
      try await bench.perform("down")
      #expect(await bench.state(.position) == "down", "already there")
    }
  }

  @Test("E15 · a screen that reverses midway takes as long back as it has moved")
  func screenReverses() async throws {
    try await TheaterBench.run(.screen, ["travel": 6]) { bench in
      try await bench.perform("down")
      await bench.advance(by: .seconds(2))
      try await bench.perform("up")
      #expect(await bench.state(.position) == "moving")
      await bench.removeReports()
      await bench.advance(by: .milliseconds(1999))
      try await bench.perform(["levitate": 1], orRefuse: true)
      #expect(await bench.reports == [], "not there yet")
      await bench.advance(by: .milliseconds(1))
      #expect(try await bench.nextReport(of: .position) == "up")
    }
  }

  @Test("E15 · a moving screen reports its start, its target and the time that it takes")
  func screenProgress() async throws {
    try await TheaterBench.run(.screen, ["travel": 10]) { bench in
      try await bench.perform("down")
      for (name, value) in [("from", 0), ("towards", 100), ("takes", 10), ("remaining", 10)] {
        #expect(try await bench.attribute(name) { _ in true } == .number(Double(value)))
      }
      await bench.advance(by: .seconds(4))
      try await bench.perform("up")
      #expect(await bench.state(.position) == "moving")
      for (name, value) in [("from", 40), ("towards", 0), ("takes", 4), ("remaining", 4)] {
        #expect(try await bench.attribute(name) { $0 == .number(Double(value)) }.number != nil)
      }
    }
  }

  @Test("E15 · a lamp that warms or cools reports the time that it takes")
  func projectorProgress() async throws {
    try await TheaterBench.run(.projector, ["warmUp": 5, "coolDown": 8]) { bench in
      try await bench.perform("on")
      #expect(await bench.state(.power) == "warming")
      #expect(try await bench.attribute("remaining") { _ in true } == .number(5))
      await bench.advance(by: .seconds(5))
      #expect(try await bench.nextReport(of: .power) == "on")
      try await bench.perform("off")
      #expect(try await bench.attribute("takes") { $0 == .number(8) }.number == 8)
    }
  }

  @Test("E15 · a screen stops where it is; one without `stop` refuses it as unsupported")
  func screenStops() async throws {
    try await TheaterBench.run(.screen, ["travel": 10]) { bench in
      #expect(try await bench.open("b", .screen).names == ["stop"])
      try await bench.perform("down")
      await bench.advance(by: .seconds(4))
      try await bench.perform("stop")
      #expect(await bench.state(.position) == "stopped")
      let lowered = try await bench.attribute("lowered") { _ in true }
      #expect(lowered == 40)
    }
    try await TheaterBench.run(.screen, ["stop": false]) { bench in
      let capabilities = try await bench.open("b", .screen, ["stop": false])
      #expect(capabilities.names == [])
      #expect(try await bench.refusal(of: "stop").code == .unsupported)
    }
  }

  @Test("E15 · at speed 0 the popper is done when `pop` is answered")
  func instantPopper() async throws {
    try await TheaterBench.run(.popcornPopper, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform("pop")
      #expect(await bench.state(.popping) == "done")
    }
  }

  @Test("E15 · the popper pops one load at a time")
  func popperPops() async throws {
    try await TheaterBench.run(.popcornPopper, ["popTime": 20]) { bench in
      try await bench.perform("on")
      try await bench.perform("pop")
      #expect(await bench.state(.popping) == "popping")
      await bench.advance(by: .seconds(5))
      let error = try await bench.refusal(of: "pop")
      #expect(error.code == .notNow)
      #expect(error.retryAfter == .seconds(15))
      await bench.advance(by: .seconds(15))
      #expect(try await bench.nextReport(of: .popping) == "done")
      try await bench.perform("pop")
      try await bench.perform("off")
      #expect(await bench.state(.popping) == "idle")
      #expect(await bench.state(.power) == "off")
    }
  }

  @Test("E15 · lights report each step of a fade, and are off at brightness 0")
  func lightsFade() async throws {
    try await TheaterBench.run(.lights, ["fade": 1]) { bench in
      try await bench.perform("on")
      #expect(await bench.state(.power) == "on")
      #expect(await bench.state(.brightness) == 0)
      for brightness in [20, 40, 60, 80, 100] {
        await bench.advance(by: .milliseconds(200))
        let report = try await bench.nextReport(of: .brightness)
        #expect(report.integer == brightness)
      }
      try await bench.perform(["dim": 10])
      #expect(await bench.state(.brightness) == 100)
      await bench.advance(by: .milliseconds(900))
      #expect(try await bench.nextReport(of: .brightness) == 10)
      try await bench.perform("off")
      #expect(await bench.state(.power) == "on")
      await bench.advance(by: .milliseconds(100))
      #expect(try await bench.nextReport(of: .power) == "off")
      #expect(await bench.state(.brightness) == 0)
    }
  }

  @Test(
    "E15 · at speed 0 every effect is reported before the answer",
    arguments: [
      (Role.lights, ["on", ["dim": 10], "off"]), (.screen, ["down", "up"]),
      (.projector, ["on", "tvMode", "off"]), (.popcornPopper, ["on", "off"]),
      (.amplifier, ["on", "surround", ["volume": 50], "mute"]),
      (.tuner, ["on", ["fm": 91.2], ["station": "Old Valley"], "off"]),
      (.dvdPlayer, ["on", ["play": ["item": "night-ferry"]], "pause", "eject", "off"]),
      (.cdPlayer, ["on", "play", "stop", "eject", "off"]),
    ] as [(Role, [JSON])])
  func instantly(_ role: Role, _ commands: [JSON]) async throws {
    try await TheaterBench.run(role, ["speed": 0]) { bench in
      for json in commands {
        let command = try Command(json, role: role)
        try await bench.perform(json)
        var state = DeviceState()
        for report in await bench.reports {
          state.update(Reading(report.value, time: .zero), for: report.key)
        }
        #expect(command.spec.settled.isMet(by: state, argument: command.argument), "\(json)")
      }
    }
  }
}

extension TheaterBench {
  /// Sends a command and ignores whether it is refused. Reports sent before its answer have arrived
  /// when this returns.
  func perform(_ command: JSON, orRefuse: Bool) async throws {
    _ = try await call(PerformRequest(device: "a", command: command))
  }
}

import Devices
import JSON
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import Simulated

@Suite("F4 · simulated faults, for tests and for learning", .timeLimit(.minutes(5)))
struct FaultTests {
  @Test("F4 · `refuses`: a command is refused and changes nothing; the others work")
  func refuses() async throws {
    try await TheaterBench.run(.lights, ["speed": 0, "faults": ["refuses": ["dim"]]]) { bench in
      await bench.removeReports()
      let error = try await bench.refusal(of: ["dim": 10])
      #expect(error.code == .refused)
      #expect(await bench.reports == [])
      try await bench.perform("on")
      #expect(await bench.state(.brightness) == 100)
    }
  }

  @Test("F4 · `after`: this number of commands succeeds before the first fault")
  func after() async throws {
    let options: JSON = ["faults": ["refuses": ["any"], "after": 2]]
    try await TheaterBench.run(.popcornPopper, options) { bench in
      try await bench.perform("on")
      try await bench.perform("off")
      #expect(try await bench.refusal(of: "on").code == .refused)
    }
  }

  @Test("F4 · `slow`: the answer is delayed, and the command can be cancelled meanwhile")
  func slow() async throws {
    try await TheaterBench.run(.screen, ["speed": 0, "faults": ["slow": 3]]) { bench in
      let id = try await bench.post(PerformRequest(device: "a", command: "down"))
      await bench.advance(by: .seconds(3))
      _ = try await bench.answer(to: id).get()
      #expect(await bench.state(.position) == "down")
      let second = try await bench.post(PerformRequest(device: "a", command: "up"))
      await bench.clock.waitForSleepers(1)
      try await bench.cancel(second)
      guard case .failure(let error) = try await bench.answer(to: second) else {
        throw Unexpected(what: "a cancelled command was carried out")
      }
      #expect(error.deviceError(device: "a").code == .cancelled)
      #expect(await bench.state(.position) == "down")
    }
  }

  @Test("F4 · `silent`: gives no answer, delays no other device, and is cancelled by close")
  func silent() async throws {
    try await TheaterBench.run(.projector, ["faults": ["silent": ["tvMode"]]]) { bench in
      try await bench.open("b", .projector, ["speed": 0])
      let id = try await bench.post(PerformRequest(device: "a", command: "tvMode"))
      await bench.clock.waitForSleepers(1)
      for _ in 1...3 { try await bench.perform("on", on: "b") }
      _ = try await bench.call(PingRequest()).get()
      _ = try await bench.post(CloseRequest(device: "a"))
      guard case .failure(let error) = try await bench.answer(to: id) else {
        throw Unexpected(what: "a silent device answered")
      }
      #expect(error.deviceError(device: "a").code == .cancelled)
      try await bench.open("a", .projector)
    }
  }

  @Test("F4 · `dies`: the process ends at the command")
  func dies() async throws {
    let options: JSON = ["faults": ["dies": ["off"], "after": 1]]
    try await TheaterBench.run(.popcornPopper, options) { bench in
      try await bench.perform("off")
      #expect(bench.deaths.count.withLock { $0 } == 0)
      try await bench.perform("off")
      #expect(bench.deaths.count.withLock { $0 } == 1)
    }
  }

  @Test(
    "F4 · `reportsState`: a device without state reports declares that, and reports nothing",
    arguments: Role.allCases)
  func reportsNothing(_ role: Role) async throws {
    try await TheaterBench.run(role, ["reportsState": false, "speed": 0]) { bench in
      let capabilities = try await bench.open("b", role, ["reportsState": false])
      #expect(!capabilities.reportsState)
      try await bench.perform(role == .screen ? "down" : "on")
      #expect(await bench.reports == [])
    }
  }

  @Test(
    "F4 · refuses wrong options, with the name of the option and a hint",
    arguments: [
      (Role.lights, JSON.object(["fade": -1]), "fade"), (.lights, ["speed": "fast"], "speed"),
      (.screen, ["stop": "no"], "stop"), (.projector, ["whenOff": "explode"], "whenOff"),
      (.lights, ["faults": ["refuses": ["pop"]]], "faults.refuses"),
      (.lights, ["faults": 3], "faults"), (.amplifier, ["inputs": []], "inputs"),
      (.amplifier, ["volumeCap": 101], "volumeCap"), (.tuner, ["stations": [["name": "x"]]], "[0]"),
      (.tuner, ["stations": [["name": "x", "fm": 5]]], "[0]"),
      (.dvdPlayer, ["films": [["id": "a"]]], "films[0]"), (.cdPlayer, ["songs": 5], "songs"),
      (.cdPlayer, ["songs": [["id": "a", "title": "A", "duration": 0]]], "songs[0]"),
    ] as [(Role, JSON, String)])
  func wrongOptions(_ role: Role, _ options: JSON, _ place: String) async throws {
    try await TheaterBench.run(.lights) { bench in
      let result = try await bench.call(OpenRequest(device: "b", role: role, options: options))
      guard case .failure(let error) = result else {
        throw Unexpected(what: "\(options) was accepted")
      }
      let refusal = error.deviceError(device: "b")
      #expect(refusal.code == .invalid)
      #expect(refusal.message.contains(place))
      #expect(refusal.hint?.isEmpty == false)
    }
  }
}

import Devices
import JSON
import PluginProtocol
import Testing

@testable import PluginHost

/// The core of an open device whose plugin accepts what it is told. The test advances the time.
private struct EffectBench {
  private var core: DeviceCore
  private var sentRequest: Int?
  private var lastNumber = 0
  private var now = Duration.zero
  /// The commands that were sent to the plugin.
  private(set) var sent: [String] = []
  /// The outcome of each ended command: "observed", "accepted" or the code of its error.
  private(set) var outcomes: [String] = []
  private(set) var errors: [DeviceError] = []

  init(_ role: Role, _ state: [StateKey: JSON] = [:]) {
    core = DeviceCore(id: "it", role: role)
    core.prepareToOpen()
    if !state.isEmpty {
      _ = core.receive(StateNotification(device: "it", values: state), at: .zero)
    }
    _ = core.markOpen(Capabilities(), memory: DeviceMemory(), nextRequest: { 7 }, at: .zero)
  }

  var state: DeviceState { core.snapshot.state }

  /// Gives a command, which the plugin accepts at once unless `isAnswered` is false.
  mutating func give(_ json: JSON, isAnswered: Bool = true) throws {
    lastNumber += 1
    let caller = CommandCaller(number: lastNumber, until: .settled) { _ in }
    apply(core.submit(try Command(json, role: core.role), caller, at: now))
    if isAnswered { answer() }
  }

  /// Answers the command in flight.
  mutating func answer(_ result: Result<Void, DeviceError> = .success(())) {
    guard let request = sentRequest.take() else { return }
    apply(core.receiveReply(to: request, result, at: now))
  }

  mutating func report(
    _ values: [StateKey: JSON], _ provenance: Provenance = .reported,
    attributes: [String: Attribute] = [:]
  ) {
    let report = StateNotification(
      device: "it", values: values, provenance: provenance, attributes: attributes)
    apply(core.receive(report, at: now))
  }

  /// Advances the time in steps of 100 ms, as the scheduler does at each deadline.
  mutating func advance(_ seconds: Double) {
    for _ in 0..<Int((seconds * 10).rounded()) {
      now += .milliseconds(100)
      apply(core.tick(at: now))
    }
  }

  private mutating func apply(_ effects: DeviceCore.Effects) {
    if let outgoing = effects.send {
      sentRequest = outgoing.request
      sent.append(outgoing.command.description)
    }
    for (_, outcome) in effects.finished {
      switch outcome {
      case .success(let confirmation): outcomes.append("\(confirmation)")
      case .failure(let error):
        outcomes.append(error.code.rawValue)
        errors.append(error)
      }
    }
  }
}

@Suite("The effect of a command: levels")
struct LevelEffectTests {
  @Test(
    "a level that rests at another value than the wanted one, after the command, is done",
    arguments: [
      (Role.lights, StateKey.brightness, "dim", 100, 10, 15),
      (.lights, .brightness, "dim", 40, 90, 80), (.lights, .brightness, "dim", 15, 10, 15),
      (.amplifier, .volume, "volume", 30, 43, 42),
    ] as [(Role, StateKey, String, Int, Int, Int)])
  func rests(
    role: Role, key: StateKey, name: String, before: Int, wanted: Int, reported: Int
  ) throws {
    var bench = EffectBench(role, [.power: "on", key: .integer(before)])
    try bench.give([name: .integer(wanted)])
    bench.report([key: .integer(reported)])
    bench.advance(2.9)
    #expect(bench.outcomes == [])
    bench.advance(0.1)
    #expect(bench.outcomes == ["observed"])
    #expect(bench.state[key] == .integer(reported))
  }

  @Test("on is done when the lights rest below 100 %")
  func greatestLevel() throws {
    var bench = EffectBench(.lights, [.power: "off", .brightness: 0])
    try bench.give("on")
    bench.report([.power: "on", .brightness: 80])
    bench.advance(3)
    #expect(bench.outcomes == ["observed"])
  }

  @Test("a level that is reported before the answer to the command counts")
  func beforeAnswer() throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
    try bench.give(["dim": 10], isAnswered: false)
    bench.report([.brightness: 15])
    bench.advance(5)
    bench.answer()
    bench.advance(0.1)
    #expect(bench.outcomes == ["observed"])
  }

  @Test("lights that never report after the command have failed it")
  func silent() throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 15])
    try bench.give(["dim": 10])
    bench.advance(9.9)
    #expect(bench.outcomes == [])
    bench.advance(0.1)
    #expect(bench.outcomes == ["timeout"])
  }

  @Test("lights that report the level from before the command again and again have failed it")
  func unchanged() throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
    try bench.give(["dim": 10])
    for _ in 0..<10 {
      bench.report([.brightness: 100])
      bench.advance(1)
    }
    #expect(bench.outcomes == ["timeout"])
  }

  @Test("lights that are off after the command have failed it")
  func off() throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
    try bench.give(["dim": 10])
    bench.report([.power: "off", .brightness: 0])
    bench.advance(10)
    #expect(bench.outcomes == ["timeout"])
  }

  @Test(
    "a fade that reports its way extends the wait, also with long pauses",
    arguments: [(30.0, 1.0), (60, 4), (24, 8)])
  func fade(length: Double, pause: Double) throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
    try bench.give(["dim": 10])
    let steps = Int(length / pause)
    for step in 1...steps {
      bench.advance(pause)
      #expect(bench.outcomes == [])
      bench.report([.brightness: .integer(100 - 90 * step / steps)])
    }
    #expect(bench.outcomes == ["observed"])
    #expect(bench.sent == ["dim 10"], "it is not begun anew")
  }

  @Test("off waits for lights that fade out, and fails if they go on shining")
  func fadeOut() throws {
    for isOff in [true, false] {
      var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
      try bench.give("off")
      for level in [80, 60, 40, 20] {
        bench.advance(4)
        bench.report([.power: "on", .brightness: .integer(level)])
      }
      #expect(bench.outcomes == [])
      if isOff { bench.report([.power: "off", .brightness: 0]) }
      bench.advance(10)
      #expect(bench.outcomes == [isOff ? "observed" : "timeout"])
    }
  }

  @Test("a level that moves to and fro does not extend the wait without an end")
  func oscillation() throws {
    var bench = EffectBench(.lights, [.power: "on", .brightness: 100])
    try bench.give(["dim": 10])
    for step in 0..<400 where bench.outcomes.isEmpty {
      bench.report([.brightness: .integer(step.isMultiple(of: 2) ? 60 : 50)])
      bench.advance(1)
    }
    #expect(bench.outcomes.count == 1)
  }
}

@Suite("The effect of a command: movements")
struct MovementEffectTests {
  private static let problem = Attribute("it went the other way: change \"invertedPositions\"")

  @Test(
    "a report of the opposite rest state ends a command at once",
    arguments: [("on", "off", "warming"), ("off", "on", "cooling")])
  func oppositePower(command: String, before: String, movement: String) throws {
    var bench = EffectBench(.projector, [.power: .string(before)])
    try bench.give(.string(command))
    bench.advance(2)
    bench.report([.power: .string(movement)])
    bench.advance(20)
    bench.report([.power: .string(before)])
    #expect(bench.outcomes == ["failed"])
    let message = try #require(bench.errors.first?.message)
    #expect(message.contains("power \"\(before)\" after \"\(movement)\""))
  }

  @Test("a power cut while the lamp warms ends the command when the projector is back, and off")
  func powerCut() throws {
    var bench = EffectBench(.projector, [.power: "off"])
    try bench.give("on")
    bench.report([.power: "warming"])
    bench.advance(5)
    bench.report([.power: "warming"], .unknown)
    bench.advance(30)
    #expect(bench.outcomes == [])
    bench.report([.power: "off"])
    #expect(bench.outcomes == ["failed"])
  }

  @Test(
    "a device out of reach for 60 s ends the command, with the reason", arguments: ["on", "off"])
  func unreachable(command: String) throws {
    var bench = EffectBench(.projector, [.power: command == "on" ? "off" : "on"])
    try bench.give(.string(command))
    bench.advance(5)
    bench.report(
      [.power: "warming"], .unknown, attributes: ["problem": Attribute("h:4352 is silent")])
    bench.advance(59.9)
    #expect(bench.outcomes == [])
    bench.advance(0.1)
    #expect(bench.outcomes == ["unavailable"])
    #expect(bench.errors.first?.hint == "h:4352 is silent")
  }

  @Test("a projector that drops its network for 50 s while it wakes is on afterwards")
  func wakes() throws {
    var bench = EffectBench(.projector, [.power: "off"])
    try bench.give("on")
    for _ in 0..<2 {
      bench.report([.power: "off"], .unknown)
      bench.advance(50)
      bench.report([.power: "warming"])
      bench.advance(5)
    }
    bench.report([.power: "on"])
    #expect(bench.outcomes == ["observed"])
  }

  @Test("a projector may report its old state for 15 s after the command, but not longer")
  func reaction() throws {
    var bench = EffectBench(.projector, [.power: "off"])
    try bench.give("on")
    for _ in 0..<14 {
      bench.advance(1)
      bench.report([.power: "off"])
    }
    #expect(bench.outcomes == [])
    bench.advance(1)
    bench.report([.power: "off"])
    #expect(bench.outcomes == ["failed"])
  }

  @Test("on waits for a projector that still cools")
  func cooling() throws {
    var bench = EffectBench(.projector, [.power: "cooling"])
    try bench.give("on")
    for power in ["cooling", "off", "warming"] {
      bench.report([.power: .string(power)])
      bench.advance(4)
    }
    bench.report([.power: "on"])
    #expect(bench.outcomes == ["observed"])
  }

  @Test(
    "a screen that rests at the other end or on its way ends the command soon, with the reason",
    arguments: ["up", "stopped"])
  func otherEnd(rest: String) throws {
    var bench = EffectBench(.screen, [.position: "up"])
    try bench.give("down")
    bench.report([.position: "moving"])
    bench.advance(10)
    bench.report([.position: .string(rest)], attributes: ["problem": Self.problem])
    bench.advance(3)
    #expect(bench.outcomes == ["failed"])
    #expect(bench.errors.first?.hint?.contains("invertedPositions") == true)
  }

  @Test("a screen that reports a stop just before its end has reached it")
  func stopBeforeEnd() throws {
    var bench = EffectBench(.screen, [.position: "up"])
    try bench.give("down")
    bench.report([.position: "moving"])
    bench.advance(10)
    bench.report([.position: "stopped"])
    bench.advance(1)
    bench.report([.position: "down"])
    #expect(bench.outcomes == ["observed"])
  }

  @Test("a command that waited for the lamp is kept while the projector is out of reach for 10 s")
  func heldWhileLost() throws {
    var bench = EffectBench(.projector, [.power: "cooling"])
    let gone = DeviceError(.unavailable, "there is no connection")
    try bench.give("on", isAnswered: false)
    bench.answer(.failure(DeviceError(.notNow, "the lamp is cooling", retryAfter: .seconds(1))))
    bench.advance(1)
    bench.answer(.failure(gone))
    bench.advance(5)
    bench.answer(.failure(gone))
    bench.advance(5)
    #expect(bench.sent.count == 4 && bench.outcomes == [])
    bench.answer()
    bench.report([.power: "on"])
    #expect(bench.outcomes == ["observed"])
  }

  @Test("a command that waited for the lamp fails when the projector is out of reach for 60 s")
  func heldAndLost() throws {
    var bench = EffectBench(.projector, [.power: "cooling"])
    try bench.give("on", isAnswered: false)
    bench.answer(.failure(DeviceError(.notNow, "the lamp is cooling", retryAfter: .seconds(1))))
    for _ in 0..<14 {
      bench.advance(5)
      bench.answer(.failure(DeviceError(.unavailable, "there is no connection")))
    }
    #expect(bench.outcomes == ["unavailable"])
  }

  @Test("a command that never waited fails at once when the device is out of reach")
  func unavailable() throws {
    var bench = EffectBench(.projector, [.power: "off"])
    try bench.give("on", isAnswered: false)
    bench.answer(.failure(DeviceError(.unavailable, "there is no connection")))
    #expect(bench.outcomes == ["unavailable"])
  }
}

@Suite("The effect of a command: popcorn")
struct PopEffectTests {
  @Test("pop sends nothing while it pops, and makes a second load when the first is done")
  func popsOnce() throws {
    var bench = EffectBench(.popcornPopper, [.power: "on", .popping: "idle"])
    try bench.give("pop", isAnswered: false)
    // The second one waits in the queue until the first one is answered.
    try bench.give("pop", isAnswered: false)
    bench.report([.popping: "popping"])
    bench.answer()
    #expect(bench.outcomes == ["observed", "observed"])
    bench.advance(10)
    try bench.give("pop")
    #expect(bench.sent == ["pop"])
    bench.report([.popping: "done"])
    try bench.give("pop")
    #expect(bench.sent == ["pop", "pop"])
  }

  @Test("a pop that the popper refuses while it pops makes no second load afterwards")
  func refusedWhilePopping() throws {
    var bench = EffectBench(.popcornPopper, [.power: "on", .popping: "idle"])
    try bench.give("pop", isAnswered: false)
    bench.report([.popping: "popping"])
    bench.answer(.failure(DeviceError(.notNow, "a load is popping", retryAfter: .seconds(20))))
    bench.advance(25)
    #expect(bench.sent == ["pop"] && bench.outcomes == ["observed"])
  }

  @Test("pop is sent after an off whose effect is not reported yet")
  func afterOff() throws {
    var bench = EffectBench(.popcornPopper, [.power: "on", .popping: "popping"])
    bench.advance(5)
    try bench.give("off")
    try bench.give("pop")
    #expect(bench.sent == ["off", "pop"])
  }
}

@Suite("The effect of a command: values out of range")
struct OutOfRangeTests {
  @Test(
    "a number out of range makes the value unknown, and the last value stays visible",
    arguments: [
      (Role.lights, StateKey.brightness, JSON.integer(-1)), (.lights, .brightness, 101),
      (.amplifier, .volume, 255),
    ] as [(Role, StateKey, JSON)])
  func unknown(role: Role, key: StateKey, value: JSON) {
    var bench = EffectBench(role, [.power: "on", key: 40])
    bench.report([key: value, .power: "on"])
    #expect(bench.state[key] == nil && bench.state.power == .on)
    #expect(bench.state.readings[key]?.value == 40)
    bench.report([key: 41])
    #expect(bench.state[key] == 41)
  }
}

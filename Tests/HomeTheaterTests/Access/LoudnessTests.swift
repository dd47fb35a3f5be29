import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// The limit of an amplifier's loudness: that of the person who last let sound begin.
@Suite("Whose limit an amplifier has") struct LoudnessTests {
  private static let guest = Principal("gil", volumeLimit: 30)
  private static let member = Principal("mia", volumeLimit: 60)

  /// A CD player at the amplifier `amp`, a second amplifier `porch` beside it.
  private struct Bench {
    let journal = CommandJournal()
    let amp: FakeDevice
    let porch: FakeDevice
    let cd: FakeDevice
    let plan: TheaterPlan
    let facade: HomeTheaterFacade

    init(_ scenes: [String: [Step]] = [:]) {
      amp = FakeDevice("amp", .amplifier, journal: journal)
      porch = FakeDevice("porch", .amplifier, journal: journal)
      cd = FakeDevice("cd", .cdPlayer, journal: journal)
      plan = TheaterPlan(
        scenes: Dictionary(
          uniqueKeysWithValues: scenes.map { ($0.key, Scene(name: $0.key, steps: $0.value)) }),
        cables: [CableEdge(from: "cd", to: "amp", input: "cd")])
      facade = HomeTheaterFacade(
        devices: [amp, porch, cd], plan: plan, positions: MemoryPositions(), clock: ManualClock())
    }

    func play(by principal: Principal) async throws {
      _ = try await facade.perform(
        ["play": ["item": "s1"]], on: "cd", until: .accepted, by: principal)
    }

    /// Runs a scene and returns the commands.
    func run(_ scene: String, by principal: Principal = LoudnessTests.guest) async throws
      -> RunReport
    {
      journal.clear()
      return await (try await facade.runScene(scene, arguments: [:], by: principal)).finished()
    }
  }

  private static func amp(_ json: JSON, onFailure: OnFailure = .stop) -> Step {
    TheaterPlan.step("amp", .amplifier, json, onFailure: onFailure)
  }
  private static let play = TheaterPlan.step("cd", .cdPlayer, ["play": ["item": "s1"]])

  @Test("the person who lets sound begin decides, one with a higher limit raises it by a volume")
  func whose() async throws {
    let bench = Bench()
    try await bench.play(by: Self.guest)
    #expect(bench.amp.loudnessLimit == 30)
    // No sound begins.
    _ = try await bench.facade.perform("stereo", on: "amp", until: .accepted, by: Self.member)
    _ = try await bench.facade.perform("pause", on: "cd", until: .accepted, by: Self.member)
    #expect(bench.amp.loudnessLimit == 30)
    _ = try await bench.facade.perform(["volume": 50], on: "amp", until: .accepted, by: Self.member)
    #expect(bench.amp.loudnessLimit == 60)
    bench.journal.clear()
    try await bench.play(by: Self.guest)
    #expect(bench.amp.loudnessLimit == 30)
    #expect(bench.journal.lines.first == #"amp {"volume":30}"#)
    // Without a limit, nothing gets louder by itself.
    bench.journal.clear()
    try await bench.play(by: .owner)
    #expect(bench.amp.loudnessLimit == nil)
    #expect(bench.journal.lines == [#"cd {"play":{"item":"s1"}}"#])
    #expect(bench.porch.loudnessLimit == nil)
  }

  @Test("a volume within one's own limit lowers nobody's")
  func lowerVolume() async throws {
    let bench = Bench()
    try await bench.play(by: Self.member)
    _ = try await bench.facade.perform(["volume": 20], on: "amp", until: .accepted, by: Self.guest)
    #expect(bench.amp.loudnessLimit == 60)
  }

  @Test("each amplifier that a scene turns on is turned down, the second one as well")
  func secondAmplifier() async throws {
    let bench = Bench(["both": [Self.amp("on"), TheaterPlan.step("porch", .amplifier, "on")]])
    for amplifier in [bench.amp, bench.porch] {
      await amplifier.report(.power, "off")
      await amplifier.report(.volume, 90)
    }
    #expect(try await bench.run("both").status == .done)
    #expect(
      bench.journal.lines == [
        #"amp "on""#, #"amp {"volume":30}"#, #"porch "on""#, #"porch {"volume":30}"#,
      ])
    #expect(bench.amp.loudnessLimit == 30 && bench.porch.loudnessLimit == 30)
  }

  @Test("an amplifier that takes the place of another one gets its limit")
  func swap() async throws {
    let bench = Bench()
    try await bench.play(by: Self.guest)
    let new = FakeDevice("amp", .amplifier, journal: bench.journal)
    try await bench.facade.apply(bench.plan, devices: [new, bench.porch, bench.cd], by: .owner)
    #expect(new.loudnessLimit == 30)
    // An amplifier of this name that comes later is another one.
    try await bench.facade.apply(bench.plan, devices: [bench.porch, bench.cd], by: .owner)
    let other = FakeDevice("amp", .amplifier, journal: bench.journal)
    try await bench.facade.apply(bench.plan, devices: [other, bench.porch, bench.cd], by: .owner)
    #expect(other.loudnessLimit == nil)
  }

  @Test("nothing that may be heard is sent while an amplifier cannot be turned down")
  func silentAmplifier() async throws {
    let steps = [
      Self.amp(["input": "cd"], onFailure: .continue), Self.amp("unmute", onFailure: .continue),
      .sequence([Self.play], onFailure: .continue), Self.amp("off", onFailure: .continue),
    ]
    for code in [DeviceError.Code.timeout, .refused, .notNow] {
      let bench = Bench(["sound": steps])
      await bench.amp.fail("volume", with: DeviceError(code, "its knob is locked"))
      let report = try await bench.run("sound")
      #expect(report.status == .done)
      #expect(
        report.nodes.filter { $0.command != nil }.map(\.status) == [
          .failed, .failed, .failed, .done,
        ])
      #expect(report.nodes.first?.error?.message == "its knob is locked")
      #expect(Set(bench.journal.lines) == [#"amp {"volume":30}"#, #"amp "off""#])
    }
  }

  @Test("a lost amplifier, and one that is off, stop no player")
  func unheardAmplifier() async throws {
    for isOff in [true, false] {
      let bench = Bench(["sound": [Self.play]])
      await bench.amp.report(.volume, 90)
      if isOff { await bench.amp.report(.power, "off") }
      if !isOff { await bench.amp.setAvailability(.unavailable("unplugged")) }
      #expect(try await bench.run("sound").status == .done)
      #expect(bench.journal.lines == [#"cd {"play":{"item":"s1"}}"#])
      // It is turned down when it comes back.
      #expect(bench.amp.loudnessLimit == 30)
    }
  }

  @Test("a player without a cable may be heard on every amplifier of its room")
  func withoutCable() async throws {
    let bench = Bench()
    var plan = bench.plan
    plan.cables = []
    plan.rooms = [
      Room(id: "lounge", devices: ["amp", "cd"]), Room(id: "garden", devices: ["porch"]),
    ]
    try await bench.facade.apply(plan, devices: [bench.amp, bench.porch, bench.cd], by: .owner)
    for amplifier in [bench.amp, bench.porch] { await amplifier.report(.volume, 90) }
    bench.journal.clear()
    try await bench.play(by: Self.guest)
    #expect(bench.journal.lines.first == #"amp {"volume":30}"#)
    #expect(!bench.journal.lines.contains { $0.hasPrefix("porch") })
  }

  @Test("a run that is cancelled while an amplifier is turned down plays nothing")
  func cancelled() async throws {
    let bench = Bench(["sound": [Self.play]])
    await bench.amp.report(.volume, 90)
    await bench.amp.hold("volume")
    let run = try await bench.facade.runScene("sound", arguments: [:], by: Self.guest)
    await bench.amp.waitForHeldCommand()
    await run.cancel()
    #expect(!bench.journal.lines.contains { $0.hasPrefix("cd") })
  }
}

import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// A CD player at a sound card, which is plugged into a receiver.
@Suite("Chains of amplifiers") struct ChainTests {
  private struct Chain {
    let journal = CommandJournal()
    let clock = ManualClock()
    let devices: [DeviceID: FakeDevice]
    let facade: HomeTheaterFacade

    init(_ scenes: [Scene] = []) {
      let roles: [(DeviceID, Role)] = [
        ("card", .amplifier), ("receiver", .amplifier), ("cd", .cdPlayer),
      ]
      var devices: [DeviceID: FakeDevice] = [:]
      for (id, role) in roles {
        devices[id] = FakeDevice(id, role, journal: journal, clock: clock)
      }
      self.devices = devices
      let all =
        scenes + [
          Scene(
            name: "disc",
            steps: [
              TheaterPlan.step("card", .amplifier, "on"),
              TheaterPlan.step("card", .amplifier, ["input": "cd"]),
              TheaterPlan.step("receiver", .amplifier, "on"),
              TheaterPlan.step("cd", .cdPlayer, ["play": ["item": "s1"]]),
            ]),
          Scene(
            name: "over",
            steps: [
              TheaterPlan.step("cd", .cdPlayer, "off"),
              TheaterPlan.step("card", .amplifier, "off"),
              TheaterPlan.step("receiver", .amplifier, "off"),
            ]),
        ]
      var plan = TheaterPlan(
        scenes: Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }),
        cables: [
          CableEdge(from: "cd", to: "card", input: "cd"),
          CableEdge(from: "card", to: "receiver", input: "pc", level: 90),
        ])
      plan.activities = [
        "disc": Activity(
          name: "disc", start: "disc", end: "over", player: "cd",
          amplifier: plan.amplifier(of: "cd"), category: .songs)
      ]
      facade = HomeTheaterFacade(
        devices: roles.compactMap { devices[$0.0] }, plan: plan.choosingChainInputs(),
        positions: MemoryPositions(),
        clock: clock)
    }

    subscript(id: DeviceID) -> FakeDevice { devices[id] ?? FakeDevice(id, .lights) }

    func state(of id: DeviceID) async -> DeviceState? {
      await facade.directory.snapshot(of: id)?.state
    }

    func live(_ body: @Sendable () async throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await facade.run() }
        for id in devices.keys {
          #expect(await eventually { await state(of: id) != nil })
        }
        try await body()
        group.cancelAll()
      }
    }

    func commands(of device: DeviceID) -> [String] {
      journal.lines.filter { $0.hasPrefix("\(device) {") || $0.hasPrefix("\(device) \"") }
    }
  }

  @Test("the last amplifier gets the input of the cable right after its on, in plan and run")
  func input() async throws {
    let room = Chain()
    let plan = try await room.facade.planScene("disc", arguments: [:], by: .owner)
    let run = try await room.facade.begin("disc", item: nil, fromStart: false, by: .owner).run
    #expect(await run.finished().status == .done)
    let commands = [
      #"card "on""#, #"card {"input":"cd"}"#, #"receiver "on""#, #"receiver {"input":"pc"}"#,
      #"cd {"play":{"item":"s1"}}"#,
    ]
    #expect(plan.commands.map { "\($0.device) \($0.command.json)" } == commands)
    #expect(
      room.journal.lines.filter { !$0.contains(" plug ") && !$0.contains("volume") } == commands)
    // The level comes with the command, before the next step.
    #expect(room.commands(of: "card").prefix(2) == [#"card "on""#, #"card {"volume":90}"#])
  }

  @Test("a scene that may do without the last amplifier does not fail at its input")
  func optional() async throws {
    let receiver = TheaterPlan.step("receiver", .amplifier, "on")
    guard case .command(var on) = receiver else { return }
    on.onFailure = .continue
    let input = TheaterPlan.step("card", .amplifier, ["input": "cd"])
    let off = TheaterPlan.step("receiver", .amplifier, "off")
    let room = Chain([
      Scene(name: "maybe", steps: [.command(on), input]),
      Scene(name: "headphones", steps: [off, input]),
      Scene(name: "both", steps: [.parallel([.sequence([input]), .sequence([receiver])])]),
    ])
    for command in ["on", "input"] {
      await room["receiver"].fail(command, with: DeviceError(.unavailable, "unplugged"))
    }
    let run = try await room.facade.runScene("maybe", arguments: [:], by: .owner)
    #expect(await run.finished().status == .done)
    let headphones = try await room.facade.planScene("headphones", arguments: [:], by: .owner)
    #expect(headphones.commands.map(\.device) == ["receiver", "card"])
    let both = try await room.facade.planScene("both", arguments: [:], by: .owner)
    #expect(both.commands.map(\.device) == ["card", "receiver", "receiver"])
  }

  @Test("the volume of a scene for the first amplifier wins over the level")
  func sceneVolume() async throws {
    let scene = Scene(
      name: "soft",
      steps: [
        TheaterPlan.step("card", .amplifier, "on"),
        TheaterPlan.step("card", .amplifier, ["volume": 40]),
      ])
    let room = Chain([scene])
    await room["card"].report(.power, "off")
    try await room.live {
      let run = try await room.facade.runScene("soft", arguments: [:], by: .owner)
      #expect(await run.finished().status == .done)
      #expect(await eventually { await room.state(of: "card")?.volume == 40 })
      // Another report follows the one of the power.
      await room["card"].report(.muted, false)
      #expect(await eventually { await room.state(of: "card")?.isMuted == false })
      #expect(
        room.commands(of: "card") == [
          #"card "on""#, #"card {"volume":90}"#, #"card {"volume":40}"#,
        ])
    }
  }

  @Test("a scene that chooses an input of the last amplifier itself gets no other one")
  func ownInput() async throws {
    let scene = Scene(
      name: "other",
      steps: [
        TheaterPlan.step("card", .amplifier, ["input": "cd"]),
        TheaterPlan.step("receiver", .amplifier, ["input": "game"]),
      ])
    let quiet = Scene(name: "quiet", steps: [TheaterPlan.step("receiver", .amplifier, "on")])
    let room = Chain([scene, quiet])
    for (name, count) in [("other", 2), ("quiet", 1)] {
      let plan = try await room.facade.planScene(name, arguments: [:], by: .owner)
      #expect(plan.commands.count == count, "\(name)")
    }
  }

  @Test("an amplifier that stays off does not fail the scene that chooses its input")
  func off() async throws {
    let scene = Scene(name: "pick", steps: [TheaterPlan.step("card", .amplifier, ["input": "cd"])])
    let room = Chain([scene])
    await room["receiver"].fail("input", with: DeviceError(.notNow, "it is off"))
    let run = try await room.facade.runScene("pick", arguments: [:], by: .owner)
    #expect(await run.finished().status == .done)
    #expect(room.commands(of: "receiver") == [#"receiver {"input":"pc"}"#])
  }

  @Test("volume and mute of the activity are those of the last amplifier")
  func volume() async throws {
    let room = Chain()
    let run = try await room.facade.begin("disc", item: nil, fromStart: false, by: .owner).run
    _ = await run.finished()
    room.journal.clear()
    _ = try await room.facade.changeVolume(.to(35), by: .owner)
    _ = try await room.facade.changeVolume(.mute, by: .owner)
    #expect(
      room.journal.lines.filter { !$0.contains(" plug ") } == [
        #"receiver {"volume":35}"#, #"receiver "mute""#,
      ])
    #expect(await room.facade.activities.session(in: .standard).activity?.amplifier == "receiver")
  }

  @Test("the first amplifier runs at the level of its cable whenever it has turned on")
  func level() async throws {
    let room = Chain()
    try await room.live {
      await room["card"].report(.power, "off")
      await room["card"].report(.volume, 40)
      #expect(await eventually { await room.state(of: "card")?.volume == 40 })
      #expect(room.commands(of: "card").isEmpty)
      await room["card"].report(.power, "on")
      #expect(await eventually { room.commands(of: "card") == [#"card {"volume":90}"#] })
      // A person may change it; a plugin that starts anew makes nothing louder.
      _ = try await room.facade.perform(
        ["volume": 70], on: "card", until: .settled, by: .owner)
      #expect(await eventually { await room.state(of: "card")?.volume == 70 })
      await room["card"].restart()
      #expect(await eventually { room.commands(of: "card").count == 3 })
      #expect(room.commands(of: "card").last == #"card {"volume":70}"#)
      #expect(room.commands(of: "receiver").isEmpty)
    }
  }

  @Test("an amplifier that is on when the controller starts gets no level")
  func start() async throws {
    let room = Chain()
    await room["card"].report(.power, "on")
    await room["card"].report(.volume, 20)
    try await room.live {
      await room["receiver"].report(.power, "on")
      #expect(await eventually { await room.state(of: "receiver")?.power == .on })
      #expect(room.commands(of: "card").isEmpty && room.commands(of: "receiver").isEmpty)
    }
  }

  @Test("a guest's limit is that of the last amplifier, and the first one cannot be raised")
  func limit() async throws {
    let room = Chain()
    let guest = Principal("gil", activities: nil, volumeLimit: 30)
    await room["receiver"].report(.power, "on")
    await room["receiver"].report(.volume, 80)
    await room["card"].report(.volume, 50)
    let run = try await room.facade.begin("disc", item: nil, fromStart: false, by: guest).run
    #expect(await run.finished().status == .done)
    #expect(room["receiver"].loudnessLimit == 30 && room["card"].loudnessLimit == nil)
    #expect(room.commands(of: "receiver").contains(#"receiver {"volume":30}"#))
    for volume in [20, 60] {
      let refused = await refusal { () async throws(TheaterError) in
        try await room.facade.perform(
          ["volume": .integer(volume)], on: "card", until: .settled, by: guest)
      }
      #expect(refused?.code == (volume > 50 ? .forbidden : nil), "\(volume)")
    }
  }

  @Test("an input that the amplifier does not have is refused with the nearest one")
  func unknownInput() async throws {
    let room = Chain()
    let refused = await refusal { () async throws(TheaterError) in
      try await room.facade.perform(
        ["input": "pcc"], on: "receiver", until: .settled, by: .owner)
    }
    #expect(refused?.code == .invalid && refused?.hint == "Did you mean \"pc\"?")
    #expect(room.journal.lines.isEmpty)
  }
}

import JSON
import TestSupport
import Testing

@testable import Devices
@testable import Scenes

@Suite struct ScenePlannerTests {
  private static let roles: [DeviceID: Role] = [
    "amp": .amplifier, "second": .amplifier, "dvd": .dvdPlayer, "tuner": .tuner,
    "lights": .lights, "lamp": .lights, "popper": .popcornPopper,
  ]
  private static let anyone = PlanPolicy(volumeLimit: nil)

  /// An available device that reports these values.
  private static func reported(_ values: [StateKey: JSON], _ provenance: Provenance = .reported)
    -> DeviceSnapshot
  {
    var state = DeviceState()
    for (key, value) in values {
      state.update(Reading(value, provenance: provenance, time: .zero), for: key)
    }
    return DeviceSnapshot(state: state, availability: .available, generation: 1)
  }

  private static func plan(
    _ steps: [Step], arguments: [String: SceneArgument] = [:],
    seeing snapshots: [DeviceID: DeviceSnapshot] = [:], policy: PlanPolicy = anyone
  ) throws(TheaterError) -> ScenePlan {
    try ScenePlanner(roles: roles).plan(
      Scene(name: "evening", steps: steps), arguments: arguments, snapshots: snapshots,
      policy: policy)
  }

  /// `"2.1 lights dim 10: send"` for each command, `"2 parallel"` for each group.
  private static func lines(_ plan: ScenePlan) -> [String] {
    plan.allNodes.map { node in
      switch node.work {
      case .command(let command, let decision):
        "\(node.id) \(command.device) \(command.command): \(word(decision))"
      case .sequence: "\(node.id) sequence"
      case .parallel: "\(node.id) parallel"
      case .wait(let duration): "\(node.id) wait \(duration.seconds)"
      }
    }
  }

  private static func word(_ decision: PlanNode.Decision) -> String {
    switch decision {
    case .send: "send"
    case .skip(let key, let value): "skip, \(key.rawValue) is \(value)"
    case .decideLater: "decide later"
    }
  }

  @Test("E12 E17 · skips stop and eject for a player that is off")
  func stopWhileOff() throws {
    let steps: [Step] = [.make("dvd", .dvdPlayer, "stop"), .make("dvd", .dvdPlayer, "eject")]
    let off = try Self.plan(steps, seeing: ["dvd": Self.reported([.power: "off"])])
    #expect(
      Self.lines(off) == [
        #"1 dvd stop: skip, power is "off""#, #"2 dvd eject: skip, power is "off""#,
      ])
    let assumed = try Self.plan(steps, seeing: ["dvd": Self.reported([.power: "off"], .assumed)])
    #expect(Self.lines(assumed) == ["1 dvd stop: send", "2 dvd eject: decide later"])
    let on = try Self.plan(steps, seeing: ["dvd": Self.reported([.power: "on"])])
    #expect(Self.lines(on) == ["1 dvd stop: send", "2 dvd eject: decide later"])
    // An earlier step may turn the player on, so the decision is made at run time.
    let later = try Self.plan(
      [.make("dvd", .dvdPlayer, "on")] + steps, seeing: ["dvd": Self.reported([.power: "off"])])
    #expect(
      Self.lines(later) == [
        "1 dvd on: send", "2 dvd stop: decide later", "3 dvd eject: decide later",
      ])
  }

  @Test("E17 · the id of a node is its place in the tree of the scene")
  func ids() throws {
    let plan = try Self.plan([
      .make("popper", .popcornPopper, "pop"),
      .parallel([
        .make("lights", .lights, ["dim": 10]),
        .sequence([.wait(.seconds(2)), .make("dvd", .dvdPlayer, "eject")]),
      ]),
      .make("dvd", .dvdPlayer, ["play": ["item": "f1"]]),
    ])
    #expect(
      Self.lines(plan) == [
        "1 popper pop: send", "2 parallel", "2.1 lights dim 10: decide later", "2.2 sequence",
        "2.2.1 wait 2.0", "2.2.2 dvd eject: decide later", #"3 dvd play {"item":"f1"}: send"#,
      ])
    #expect(plan.commands.map(\.device) == ["popper", "lights", "dvd", "dvd"])
  }

  @Test("E12 · skips a command only if the device itself reports its effect")
  func skipping() throws {
    let steps: [Step] = [
      .make("lights", .lights, ["dim": 10]), .make("lamp", .lights, ["dim": 10]),
      .make("amp", .amplifier, ["input": "dvd"]), .make("popper", .popcornPopper, "pop"),
    ]
    var lost = Self.reported([.input: "dvd"])
    lost.availability = .unavailable("the plugin is being restarted")
    let plan = try Self.plan(
      steps,
      seeing: [
        "lights": Self.reported([.brightness: 10]),
        "lamp": Self.reported([.brightness: 10], .assumed), "amp": lost,
        "popper": Self.reported([.popping: "popping"]),
      ])
    #expect(
      Self.lines(plan) == [
        "1 lights dim 10: skip, brightness is 10", "2 lamp dim 10: decide later",
        "3 amp input \"dvd\": decide later", "4 popper pop: skip, popping is \"popping\"",
      ])
    let other = try Self.plan(steps, seeing: ["lights": Self.reported([.brightness: 80])])
    #expect(Self.lines(other).first == "1 lights dim 10: send")
    let always = try Self.plan(
      [.make("lights", .lights, ["dim": 10], always: true)],
      seeing: ["lights": Self.reported([.brightness: 10])])
    #expect(Self.lines(always) == ["1 lights dim 10: send"])
  }

  @Test("E12 · skips no command for a device whose report may be older than a command on its way")
  func uncertain() throws {
    let plan = try Self.plan(
      [
        .make("lights", .lights, ["dim": 10]), .make("lamp", .lights, ["dim": 10]),
        .make("dvd", .dvdPlayer, "stop"),
      ],
      seeing: [
        "lights": Self.reported([.brightness: 10]), "lamp": Self.reported([.brightness: 10]),
        "dvd": Self.reported([.power: "off"]),
      ], policy: PlanPolicy(volumeLimit: nil, uncertainDevices: ["lights", "dvd"]))
    #expect(
      Self.lines(plan) == [
        "1 lights dim 10: send", "2 lamp dim 10: skip, brightness is 10", "3 dvd stop: send",
      ])
  }

  @Test("E12 · checks a value at run time if an earlier or parallel step may change it")
  func decidedLater() throws {
    let on = Self.reported([.power: "on", .input: "dvd", .volume: 50, .brightness: 10])
    let snapshots: [DeviceID: DeviceSnapshot] = ["amp": on, "lights": on, "lamp": on]
    let plan = try Self.plan(
      [
        .make("amp", .amplifier, "on"), .make("amp", .amplifier, ["input": "cd"]),
        .make("amp", .amplifier, ["volume": 50]),
        .parallel([
          .make("lights", .lights, ["dim": 10]),
          .sequence([.make("lamp", .lights, ["dim": 10]), .make("lights", .lights, ["dim": 10])]),
        ]),
      ], seeing: snapshots)
    #expect(
      Self.lines(plan) == [
        "1 amp on: skip, power is \"on\"", "2 amp input \"cd\": send",
        "3 amp volume 50: decide later", "4 parallel", "4.1 lights dim 10: decide later",
        "4.2 sequence", "4.2.1 lamp dim 10: skip, brightness is 10",
        "4.2.2 lights dim 10: decide later",
      ])
    // An earlier plan leaves nothing behind for the next one.
    #expect(try Self.plan([.make("amp", .amplifier, "on")], seeing: snapshots).nodes.count == 1)
  }

  @Test("E12 E14 · arguments are filled in and checked; the failing step is named by its id")
  func arguments() throws {
    let scene = Scene(
      name: "evening", parameters: ["film": .film, "level": .number],
      steps: [
        .sequence([
          .command(
            CommandStep(
              device: "dvd",
              command: .template(name: "play", argument: ["item": "$film"], role: .dvdPlayer))),
          .command(
            CommandStep(
              device: "amp",
              command: .template(name: "volume", argument: "$level", role: .amplifier))),
        ])
      ])
    let planner = ScenePlanner(roles: Self.roles)
    func plan(_ arguments: [String: SceneArgument]) throws(TheaterError) -> ScenePlan {
      try planner.plan(scene, arguments: arguments, snapshots: [:], policy: Self.anyone)
    }
    let good = try plan(["film": .item("f1"), "level": .number(30)])
    #expect(good.commands.map(\.command.json) == [["play": ["item": "f1"]], ["volume": 30]])
    let loud = #expect(throws: TheaterError.self) {
      try plan(["film": .item("f1"), "level": .number(130)])
    }
    #expect(loud?.step == "1.2")
    #expect(loud?.device == "amp")
    let missing = #expect(throws: TheaterError.self) { try plan(["level": .number(30)]) }
    #expect(missing?.message == "the scene \"evening\" needs the parameter \"film\"")
    let unknown = #expect(throws: TheaterError.self) {
      try Self.plan([.wait(.seconds(1)), .make("attic", .lights, "on")])
    }
    #expect(unknown?.step == "2")
    #expect(unknown?.code == .notFound)
  }

  @Test("E10 · starts at the saved position, unless the step names another")
  func resuming() throws {
    let policy = PlanPolicy(
      volumeLimit: nil, resumePositions: ["dvd": ItemPosition(item: "f1", seconds: 42)])
    let plan = try Self.plan(
      [
        .make("dvd", .dvdPlayer, ["play": ["item": "trailer"]]),
        .make("dvd", .dvdPlayer, ["play": ["item": "f1"]]),
        .make("dvd", .dvdPlayer, ["play": ["item": "f1", "position": 5]]),
        .make("dvd", .dvdPlayer, "pause"),
      ], policy: policy)
    #expect(
      plan.commands.map(\.command.json) == [
        ["play": ["item": "trailer"]], ["play": ["item": "f1", "position": 42]],
        ["play": ["item": "f1", "position": 5]], "pause",
      ])
    #expect(plan.resumedAt == 42 && plan.json["resumedAt"] == 42)
  }

  @Test(
    "E23 · says that nothing is resumed where no step plays the item without a position",
    arguments: [["item": "f1", "position": 42], ["item": "f2"], [:]] as [JSON])
  func notResuming(play: JSON) throws {
    let policy = PlanPolicy(
      volumeLimit: nil, resumePositions: ["dvd": ItemPosition(item: "f1", seconds: 42)])
    let plan = try Self.plan([.make("dvd", .dvdPlayer, ["play": play])], policy: policy)
    #expect(plan.commands.map(\.command.json["play"]) == [play])
    #expect(plan.resumedAt == nil && plan.json["resumedAt"] == nil)
  }

  @Test("a volume limit lowers louder steps, and leaves all others as they are")
  func volumeLimit() throws {
    let plan = try Self.plan(
      [
        .make("amp", .amplifier, "on"), .make("amp", .amplifier, ["volume": 50]),
        .make("amp", .amplifier, ["volume": 20]), .make("amp", .amplifier, "unmute"),
      ], policy: PlanPolicy(volumeLimit: 30))
    #expect(plan.commands.map(\.command.json) == ["on", ["volume": 30], ["volume": 20], "unmute"])
  }

  @Test("E12 F3 · a volume limit holds for a volume of any role")
  func volumeLimitOfAnotherRole() throws {
    let row = try #require(Role.amplifier.command(named: "volume"))
    let step = Step.command(
      CommandStep(
        device: "tuner", command: .fixed(Command(role: .tuner, spec: row, argument: 80))))
    let plan = try Self.plan([step], policy: PlanPolicy(volumeLimit: 30))
    #expect(plan.commands.map(\.command.json) == [["volume": 30]])
  }

  @Test("E14 · tunes to the frequency of a station, on either band")
  func frequencies() throws {
    let scene = Scene(
      name: "radio", parameters: ["station": .station],
      steps: [
        .command(
          CommandStep(
            device: "tuner",
            command: .template(name: "station", argument: "$station", role: .tuner)))
      ])
    for (argument, expected) in [
      (SceneArgument.frequency(.fm(98.5)), ["fm": 98.5] as JSON),
      (.frequency(.am(810)), ["am": 810]), (.station("Jazz"), ["station": "Jazz"]),
    ] {
      let plan = try ScenePlanner(roles: Self.roles).plan(
        scene, arguments: ["station": argument], snapshots: [:], policy: Self.anyone)
      #expect(plan.commands.map(\.command.json) == [expected])
    }
  }

  @Test(
    "skips pop only while the popper reports that it pops",
    arguments: [
      ("popping", Provenance.reported, "skip, popping is \"popping\""), ("done", .reported, "send"),
      ("idle", .reported, "send"), ("popping", .unknown, "send"), (nil, .unknown, "send"),
    ] as [(JSON?, Provenance, String)])
  func popsOnce(popping: JSON?, provenance: Provenance, decision: String) throws {
    var snapshots: [DeviceID: DeviceSnapshot] = [:]
    snapshots["popper"] = popping.map { Self.reported([.popping: $0], provenance) }
    let plan = try Self.plan([.make("popper", .popcornPopper, "pop")], seeing: snapshots)
    #expect(Self.lines(plan) == ["1 popper pop: \(decision)"])
    let uncertain = PlanPolicy(volumeLimit: nil, uncertainDevices: ["popper"])
    let sent = try Self.plan(
      [.make("popper", .popcornPopper, "pop")], seeing: snapshots, policy: uncertain)
    #expect(Self.lines(sent) == ["1 popper pop: send"])
  }

  @Test("E17 · a dry run shows each node with its decision and the reason")
  func json() throws {
    let plan = try Self.plan(
      [
        .parallel([.make("lights", .lights, ["dim": 10]), .wait(.milliseconds(1500))]),
        .make("popper", .popcornPopper, "pop"),
      ], seeing: ["lights": Self.reported([.brightness: 10])])
    #expect(
      plan.json == [
        "scene": "evening",
        "steps": [
          ["id": "1", "kind": "parallel"],
          [
            "id": "1.1", "kind": "command", "device": "lights", "command": ["dim": 10],
            "action": "skip", "reported": ["brightness": 10],
          ],
          ["id": "1.2", "kind": "wait", "duration": 1.5],
          [
            "id": "2", "kind": "command", "device": "popper", "command": "pop", "action": "send",
          ],
        ],
      ])
  }
}

extension Step {
  /// A step with a command that is the same in every run.
  static func make(
    _ device: DeviceID, _ role: Role, _ json: JSON, until: Completion = .settled,
    onFailure: OnFailure = .stop, always: Bool = false
  ) -> Step {
    guard let command = try? Command(json, role: role) else {
      preconditionFailure("a test's own command is wrong: \(json)")
    }
    return .command(
      CommandStep(
        device: device, command: .fixed(command), until: until, onFailure: onFailure,
        always: always))
  }
}

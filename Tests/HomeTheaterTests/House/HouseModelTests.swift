import Devices
import JSON
import TestSupport
import Testing

@testable import HomeTheater
@testable import Scenes

/// Two rooms with a shared lamp and a shared amplifier, as a pure model: requests, runs, faults and answers
/// in any order, of two people.
private struct HouseModel {
  /// A device as it is, not as it reports.
  struct Gear: Equatable {
    var isOn = false
    var isPlaying = false
    var volume = 20
  }

  /// A request on its way, as `ActivityController` carries it out.
  struct Process {
    enum Phase: Equatable {
      /// It has taken its rooms; the run that was under way is being cancelled.
      case leaving
      case planning
      /// Its next command has this place.
      case running(Int)
    }
    let decision: HouseDecision
    let turns: [HouseState.Turn]
    let person: Principal
    var phase = Phase.leaving
    var run: Run?
    var commands: [PlannedCommand] = []
    var hasFailed = false
    var isCancelled = false
    /// The devices that another room has begun to use since.
    var taken: Set<DeviceID> = []
  }

  static let people = [Principal("ann"), Principal("ben", volumeLimit: 30)]
  static let rooms: [RoomID] = ["lounge", "kitchen"]
  static let roles: [DeviceID: Role] = [
    "dvd": .dvdPlayer, "cd": .cdPlayer, "deck": .cdPlayer, "amp": .amplifier, "lamp": .lights,
    "spot": .lights,
  ]

  let context: HouseContext
  var house = HouseState()
  var gear: [DeviceID: Gear] = [:]
  var cap = LoudnessCap()
  var processes: [Process] = []
  /// The rooms in which a command has failed, or was cut off, since their activity changed last.
  var faultyRooms: Set<RoomID> = []
  var generator: SeededNumbers
  var runCount = 0
  var now = Duration.zero
  /// How often each thing has happened.
  var counts: [String: Int] = [:]

  init(seed: Int) {
    generator = SeededNumbers(seed)
    context = HouseContext(plan: Self.plan, roles: Self.roles, catalogue: Catalogue(LibraryPlan()))
  }

  // MARK: The theater

  private static let plan: TheaterPlan = {
    func play(_ player: DeviceID, _ role: Role, before: [Step]) -> [Step] {
      before + [
        TheaterPlan.step("amp", .amplifier, "on"),
        TheaterPlan.step("amp", .amplifier, ["volume": 60]), TheaterPlan.step(player, role, "on"),
        TheaterPlan.step(player, role, ["play": ["item": "x"]]),
      ]
    }
    func end(_ player: DeviceID?, _ role: Role = .cdPlayer) -> [Step] {
      (player.map { [TheaterPlan.step($0, role, "stop"), TheaterPlan.step($0, role, "off")] } ?? [])
        + [TheaterPlan.step("lamp", .lights, "on"), TheaterPlan.step("amp", .amplifier, "off")]
    }
    let dim = [TheaterPlan.step("lamp", .lights, ["dim": 10])]
    let scenes = [
      Scene(name: "film", steps: play("dvd", .dvdPlayer, before: dim)),
      Scene(name: "film-over", steps: end("dvd", .dvdPlayer)),
      Scene(name: "album", steps: play("cd", .cdPlayer, before: [])),
      Scene(name: "album-over", steps: end("cd")),
      Scene(name: "cooking", steps: play("deck", .cdPlayer, before: dim)),
      Scene(name: "cooking-over", steps: end("deck")),
      Scene(name: "reading", steps: [TheaterPlan.step("spot", .lights, "on")]),
      Scene(name: "reading-over", steps: [TheaterPlan.step("spot", .lights, "off")]),
      Scene(name: "deck-off", steps: [TheaterPlan.step("deck", .cdPlayer, "off")]),
      Scene(name: "blink", steps: dim + [TheaterPlan.step("lamp", .lights, "on")]),
      Scene(
        name: "chime", steps: [TheaterPlan.step("cd", .cdPlayer, ["play": ["item": "bell"]])]),
    ]
    func activity(_ name: String, _ room: RoomID, _ player: DeviceID?) -> Activity {
      Activity(
        name: name, room: room, start: name, end: "\(name)-over", player: player, amplifier: "amp")
    }
    var plan = TheaterPlan(
      scenes: Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) }),
      activities: [
        "film": activity("film", "lounge", "dvd"), "album": activity("album", "lounge", "cd"),
        "reading": activity("reading", "lounge", nil),
        "cooking": activity("cooking", "kitchen", "deck"),
      ])
    plan.rooms = [
      Room(id: "lounge", devices: ["dvd", "cd", "amp", "lamp", "spot"]),
      Room(id: "kitchen", devices: ["deck", "amp", "lamp"]),
    ]
    return plan
  }()

  private static let players: [RoomID: [DeviceID]] = [
    "lounge": ["dvd", "cd"], "kitchen": ["deck"],
  ]

  // MARK: Inputs

  /// One random input.
  mutating func step() throws {
    now += .milliseconds(10)
    let choice = Int.random(in: 0..<100, using: &generator)
    if choice < 20 || processes.isEmpty {
      try request()
    } else if choice < 22 {
      endByItself()
    } else if choice < 24 {
      // A knob: reported, not undone.
      gear["amp", default: Gear()].volume = Int.random(in: 0...100, using: &generator)
      knobs = true
    } else {
      try advance(Int.random(in: 0..<processes.count, using: &generator), mayFail: true)
    }
    try checkAlways()
  }

  var knobs = false

  private mutating func request() throws {
    let person = Self.people.randomElement(using: &generator) ?? Self.people[0]
    let room = Self.rooms.randomElement(using: &generator) ?? Self.rooms[0]
    let names = context.plan.scenes.keys.sorted()
    let decision: HouseDecision
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: decision = house.turningOff(Bool.random(using: &generator) ? room : nil, context)
    case 1, 2:
      guard house[room].session.activity != nil else { return }
      decision = house.ending(room, context)
      checkEnd(decision, of: room)
    case 3...5:
      let name = context.plan.activities.keys.sorted().randomElement(using: &generator) ?? "film"
      guard let activity = context.plan.activities[name],
        let scene = context.plan.scenes[activity.start]
      else { return }
      decision = try house.decide(beginning: activity, with: scene, item: nil, in: nil, context)
    default:
      let name = names.randomElement(using: &generator) ?? "film"
      guard let scene = context.plan.scenes[name] else { return }
      decision = try house.decide(
        running: scene, in: context.plan.room(of: name) ?? room, context)
      if case .begin(let beginning, _) = decision.effect, context.plan.activities[name] != nil {
        #expect(beginning.activity.name == name, "a start scene is its activity")
      }
    }
    begin(decision, by: person)
  }

  private mutating func endByItself() {
    guard
      let room = Self.rooms.first(where: { room in
        house[room].isSettled && house[room].session.activity != nil
          && house[room].session.report.status == .running
      }), let person = house[room].session.principal
    else { return }
    begin(house.ending(room, context), by: person)
  }

  /// Takes the rooms of a decision, as the controller does right after the decision.
  private mutating func begin(_ decision: HouseDecision, by person: Principal) {
    let request = house.newRequest()
    let turns = decision.rooms.map { house.takeTurn(in: $0, for: request) }
    counts["\(decision.kind)", default: 0] += 1
    // The runs under way are told to stop; their command that is on its way may still arrive.
    for room in decision.rooms {
      for index in processes.indices
      where processes[index].turns.contains(where: { $0.room == room })
        && processes[index].run != nil
      {
        processes[index].isCancelled = true
      }
    }
    processes.append(Process(decision: decision, turns: turns, person: person))
  }

  /// Lets a process come to its next phase.
  private mutating func advance(_ index: Int, mayFail: Bool) throws {
    var process = processes[index]
    switch process.phase {
    case .leaving, .planning:
      let before = reports
      guard (try? house.require(process.turns)) != nil else {
        // A late answer: a newer request has taken a room. Those that are left go on.
        _ = house.fail(process.turns, after: .replaced)
        checkLate(process, before)
        counts["late", default: 0] += 1
        processes.remove(at: index)
        return
      }
      guard process.phase == .planning else {
        processes[index].phase = .planning
        return
      }
      if mayFail, Int.random(in: 0..<12, using: &generator) == 0 {
        _ = house.fail(process.turns, after: TheaterError(.notFound, "a device is gone"))
        counts["no plan", default: 0] += 1
        for turn in process.turns { faultyRooms.insert(turn.room) }
        processes.remove(at: index)
        return
      }
      try start(&process)
      processes[index] = process
    case .running(let place):
      try run(&process, at: place, mayFail: mayFail)
      if process.run == nil { processes.remove(at: index) } else { processes[index] = process }
    }
  }

  private mutating func start(_ process: inout Process) throws {
    runCount += 1
    let decision = house.renewed(process.decision, context)
    if case .end(let room) = decision.effect { checkEnd(decision, of: room) }
    let plan = try ScenePlanner(roles: Self.roles).plan(
      decision.scene, snapshots: [:],
      policy: PlanPolicy(volumeLimit: process.person.volumeLimit))
    let run = Run(id: "run-\(runCount)", plan: plan)
    process.run = run
    process.commands = plan.commands
    process.phase = .running(0)
    if case .begin(let beginning, let room) = process.decision.effect {
      house[room].session.begin(
        beginning, commanding: process.decision.requested.steps.devices, resumedAt: nil,
        by: process.person)
      house[room].condition = PlayerCondition(since: now)
      faultyRooms.remove(room)
    }
    if case .begin(_, let room) = process.decision.effect {
      let used = house[room].session.devices
      for index in processes.indices where processes[index].run != nil {
        if case .begin = processes[index].decision.effect { continue }
        if !processes[index].turns.isEmpty { processes[index].taken.formUnion(used) }
      }
    }
    for turn in process.turns {
      house.start(turn)
      let status: ActivityReport.Status =
        if case .begin = process.decision.effect { .starting } else { .ending }
      house[turn.room].session.setRun(run, status: status)
    }
  }

  private mutating func run(_ process: inout Process, at place: Int, mayFail: Bool) throws {
    guard !process.isCancelled, process.commands.indices.contains(place) else {
      return finish(&process)
    }
    let planned = process.commands[place]
    process.phase = .running(place + 1)
    if mayFail, Int.random(in: 0..<25, using: &generator) == 0 {
      counts["fault", default: 0] += 1
      for turn in process.turns { faultyRooms.insert(turn.room) }
      process.hasFailed = true
      return finish(&process)
    }
    if process.taken.contains(planned.device) { return }
    perform(planned.command, on: planned.device, by: process.person)
    if planned.command == planned.role.off { end(turnedOff: planned.device) }
  }

  private mutating func finish(_ process: inout Process) {
    guard var report = process.run?.report else { return }
    let place = if case .running(let place) = process.phase { place } else { 0 }
    let sent = process.commands.prefix(process.hasFailed ? max(0, place - 1) : place)
    for index in report.nodes.indices where index < sent.count {
      report.nodes[index].status = .done
    }
    report.status = process.isCancelled ? .cancelled : process.hasFailed ? .failed : .done
    for turn in process.turns {
      let before = reports
      let isCurrent = house.isCurrent(turn)
      if case .begin = process.decision.effect {
        #expect(house.finishBeginning(turn, report, at: now) == isCurrent)
      } else {
        let isOver = house.finishEnding(turn, report, at: now)
        #expect((isOver != nil) == isCurrent)
      }
      if !isCurrent {
        counts["late", default: 0] += 1
        #expect(reports == before, "a late answer changes nothing")
      }
    }
    if report.status != .done { for turn in process.turns { faultyRooms.insert(turn.room) } }
    process.run = nil
  }

  /// Ends the activity whose player a scene has turned off.
  private mutating func end(turnedOff device: DeviceID) {
    guard let room = house.roomEnded(byTurningOff: device), house[room].isSettled else { return }
    let turn = house.takeTurn(in: room, for: nil)
    house.start(turn)
    #expect(house.finishEnding(turn, nil, at: now) == true)
    counts["player off", default: 0] += 1
  }

  // MARK: Devices

  private mutating func perform(_ command: Command, on device: DeviceID, by person: Principal) {
    var state = gear[device] ?? Gear()
    let makesSound = command.letsBeHeard || command.spec.effect == .plays
    if makesSound {
      cap.setLimit(person.volumeLimit)
      knobs = false
      if let limit = cap.limit, (gear["amp"]?.volume ?? 0) > limit {
        gear["amp", default: Gear()].volume = limit
        if device == "amp" { state.volume = limit }
      }
    }
    if command.turnsOn { state.isOn = true }
    if command == command.role.off { state = Gear(volume: state.volume) }
    if command == command.role.stop { state.isPlaying = false }
    if command.spec.effect == .plays { state.isPlaying = true }
    if let volume = cap.limited(command).volume { state.volume = volume }
    gear[device] = state
  }

  // MARK: Invariants

  private var reports: [RoomID: ActivityReport] {
    Dictionary(uniqueKeysWithValues: Self.rooms.map { ($0, house[$0].session.report) })
  }

  /// A late answer changes nothing in a room that a newer request has taken.
  private func checkLate(_ process: Process, _ before: [RoomID: ActivityReport]) {
    for turn in process.turns where !house.isCurrent(turn) {
      #expect(before[turn.room] == house[turn.room].session.report)
    }
  }

  /// An end leaves what the other room uses, and says so.
  private func checkEnd(_ decision: HouseDecision, of room: RoomID) {
    for other in Self.rooms where other != room {
      let session = house[other].session
      guard let activity = session.activity, session.report.status != .ending else { continue }
      let own = [activity.player, activity.amplifier].compactMap(\.self)
      #expect(decision.scene.steps.devices.isDisjoint(with: own))
    }
    let used = house.devicesUsed(outside: room)
    #expect(decision.scene.steps.devices.isDisjoint(with: used.keys))
    let whole = Set(house[room].session.endScenes.flatMap(\.steps).map { $0 }.devices)
    #expect(Set(decision.kept.map(\.device)) == whole.intersection(used.keys))
  }

  private func checkAlways() throws {
    if let limit = cap.limit, !knobs { #expect((gear["amp"]?.volume ?? 0) <= limit) }
    guard processes.isEmpty else { return }
    for room in Self.rooms {
      let status = house[room].session.report.status
      #expect(status == .idle || status == .running || status == .failed, "\(room): \(status)")
      #expect(house[room].isSettled)
      guard !faultyRooms.contains(room) else { continue }
      let playing = (Self.players[room] ?? []).filter { gear[$0]?.isPlaying == true }
      #expect(playing.count <= 1, "\(room): \(playing)")
    }
  }

  /// Lets everything under way end, and ends what is on: without faults, nothing can stay.
  mutating func settle() throws {
    while !processes.isEmpty { try advance(0, mayFail: false) }
    for room in Self.rooms where house[room].session.activity != nil {
      begin(house.ending(room, context), by: Self.people[0])
      while !processes.isEmpty { try advance(0, mayFail: false) }
      #expect(house[room].session.activity == nil, "every activity can be ended")
    }
  }
}

extension HouseDecision {
  fileprivate var kind: String {
    switch effect {
    case .begin: "begin"
    case .end: "end"
    case .turnOff: "off"
    case .beside: "beside"
    }
  }
}

@Suite("Two people in two rooms") struct HouseModelTests {
  @Test("begin, end, fail and replace each other in any order", arguments: 1...20)
  func anyOrder(seed: Int) async throws {
    var model = HouseModel(seed: seed)
    for round in 1...5 {
      for input in 1...1000 {
        try model.step()
        // Other tests wait for a thread meanwhile.
        if input.isMultiple(of: 20) { await Task.yield() }
      }
      if round == 5 || round.isMultiple(of: 2) { try model.settle() }
    }
    for kind in ["begin", "end", "off", "beside", "late", "fault", "no plan", "player off"] {
      #expect(model.counts[kind, default: 0] >= 4, "\(kind): \(model.counts)")
    }
  }
}

import Devices
import Scenes

/// What is on in each room: a value without waits and without effects, in which every decision about
/// activities is made.
///
/// The newest request of a room wins. Each request takes a turn, whose number is unique in the house;
/// `require` recognises the answers that come for a turn after a newer one was taken.
struct HouseState: Sendable {
  /// A request that has taken a room.
  struct Turn: Sendable, Hashable {
    let room: RoomID
    /// Rises with each turn of the house.
    let number: Int
  }

  private var rooms: [RoomID: RoomState] = [:]
  private var lastTurn = 0
  private var lastRequest = 0
  /// The devices that may still carry out a command of an earlier run.
  private(set) var uncertainDevices = UncertainDevices()

  /// The state of a room; nothing is on in a room that has never been used.
  subscript(room: RoomID) -> RoomState {
    get { rooms[room] ?? RoomState() }
    set { rooms[room] = newValue }
  }

  /// The rooms in which something has been on.
  var usedRooms: [RoomID] { rooms.keys.sorted() }

  /// The room whose activity has this player; `nil` without one.
  func room(playing player: DeviceID) -> RoomID? {
    usedRooms.first { self[$0].session.activity?.player == player }
  }

  /// Removes a room that is no longer configured, and moves its activity to another room.
  ///
  /// A beginning or an end that is under way has failed then, because its answers are about the lost room.
  ///
  /// - Parameter other: A room in which nothing is on; `nil` to drop what is on.
  mutating func remove(_ room: RoomID, movingTo other: RoomID?) {
    guard var state = rooms.removeValue(forKey: room), let other else { return }
    state.session.resume(after: TheaterError(.cancelled, "the room \"\(room)\" is gone"))
    state.startedTurn = state.turn
    rooms[other] = state
  }

  /// The items of all activities.
  var items: [String] { rooms.values.compactMap { $0.session.report.item } }

  // MARK: Turns

  /// The number of a request of a person, which may have to wait before it takes its turn.
  mutating func newRequest() -> Int {
    lastRequest += 1
    return lastRequest
  }

  /// Takes a room for a request.
  ///
  /// - Parameter request: The number of the request of a person; `nil` for an end by itself.
  mutating func takeTurn(in room: RoomID, for request: Int?) -> Turn {
    lastTurn += 1
    self[room].newestRequest = max(self[room].newestRequest, request ?? 0)
    self[room].turn = lastTurn
    return Turn(room: room, number: lastTurn)
  }

  /// Whether no newer request has taken the room of the turn.
  func isCurrent(_ turn: Turn) -> Bool { self[turn.room].turn == turn.number }

  /// Throws `cancelled` if a newer request has taken one of the rooms.
  func require(_ turns: [Turn]) throws(TheaterError) {
    guard turns.allSatisfy(isCurrent) else { throw .replaced }
  }

  /// Throws `cancelled` if a newer request than this one has taken the room.
  func requireNewest(_ request: Int, in room: RoomID) throws(TheaterError) {
    if request < self[room].newestRequest { throw .replaced }
  }

  /// Records that the request of a turn has come to its run, or has failed before it.
  mutating func start(_ turn: Turn) { self[turn.room].startedTurn = turn.number }

  // MARK: Uncertain devices

  /// Records the devices that may still carry out a command of a run that has ended, and those that
  /// cannot any more.
  ///
  /// - Parameters:
  ///   - turn: The turn of the run; `nil` for a run beside the activities. It may have begun before
  ///     another one that left a device uncertain, so it makes none certain.
  ///   - states: The present states of the devices.
  mutating func record(
    _ report: RunReport, of turn: Turn?, seeing states: [DeviceID: DeviceState]
  ) {
    if let turn { uncertainDevices.remove(after: report, turn: turn.number) }
    guard report.status != .done else { return }
    for planned in report.unconfirmedCommands {
      uncertainDevices.insert(
        after: planned, seeing: states[planned.device], turn: turn?.number ?? lastTurn)
    }
  }

  // MARK: Runs

  /// Records the end of the run that begins the activity of a turn. An answer that comes late changes
  /// nothing.
  ///
  /// - Returns: Whether it has come in time.
  mutating func finishBeginning(_ turn: Turn, _ report: RunReport, at now: Duration) -> Bool {
    guard isCurrent(turn) else { return false }
    self[turn.room].session.finishRun(report, status: .running)
    switch report.status {
    case .failed: self[turn.room].condition.failScene(at: now)
    // A person uses the devices in another way.
    case .cancelled: self[turn.room].condition.stop(at: now)
    case .done, .running: break
    }
    return true
  }

  /// Records the end of the run that ends the activity of a turn.
  ///
  /// - Parameter report: `nil` for an end without a run: another scene has turned the player off.
  /// - Returns: Whether the activity is over; `nil` for an answer that comes late.
  mutating func finishEnding(_ turn: Turn, _ report: RunReport?, at now: Duration) -> Bool? {
    guard isCurrent(turn) else { return nil }
    guard let report, report.status != .done, self[turn.room].session.activity != nil else {
      self[turn.room].session.end(run: report)
      return true
    }
    self[turn.room].session.finishRun(report, status: .failed)
    if report.status == .failed { self[turn.room].condition.failScene(at: now) }
    return false
  }

  /// Goes on after a request that had taken the rooms has failed before its run.
  ///
  /// - Returns: The turns that no newer request has replaced.
  mutating func fail(_ turns: [Turn], after error: TheaterError) -> [Turn] {
    let current = turns.filter(isCurrent)
    for turn in current {
      start(turn)
      self[turn.room].session.resume(after: error)
    }
    return current
  }

  // MARK: Ends

  /// The devices that the activities of other rooms use.
  func devicesUsed(outside room: RoomID) -> [DeviceID: RoomID] {
    var used: [DeviceID: RoomID] = [:]
    // A room whose end is under way needs nothing any more.
    for other in usedRooms where other != room && self[other].session.report.status != .ending {
      for device in self[other].session.devices { used[device] = used[device] ?? other }
    }
    return used
  }

  /// The steps that end what is on in a room, and the devices that they leave as they are, because the
  /// activity of another room uses them.
  ///
  /// Before the end scenes, each player of a scene that played by itself is stopped, unless an end
  /// scene commands it.
  ///
  /// - Parameter roles: The roles of the present devices. The configuration may have lost a device since the activity
  ///   began.
  func endSteps(in room: RoomID, _ roles: [DeviceID: Role]) -> (steps: [Step], kept: [KeptDevice]) {
    let session = self[room].session
    let used = devicesUsed(outside: room)
    let all = session.endScenes.flatMap(\.steps).mapCommands { roles[$0.device] == nil ? nil : $0 }
    let steps = all.mapCommands { used[$0.device] == nil ? $0 : nil }
    let commanded = all.devices
    let stops = session.scenePlayers.filter { id in
      !commanded.contains(id) && used[id] == nil
    }.compactMap { id in
      roles[id].flatMap { role in
        (role.stop ?? role.off).map {
          Step.command(CommandStep(device: id, command: .fixed($0), always: true))
        }
      }
    }
    let kept = keptDevices(commanded.union(session.scenePlayers).sorted(), used)
    return (stops + (steps.commandSteps.isEmpty ? [] : steps), kept)
  }

  /// The devices among these that other rooms use, each with its room and the activity there.
  func keptDevices(_ devices: [DeviceID], _ used: [DeviceID: RoomID]) -> [KeptDevice] {
    devices.compactMap { device in
      used[device].map { room in
        let session = self[room].session
        return KeptDevice(
          device: device, room: room.name,
          title: session.report.title ?? session.activity?.name ?? room.name)
      }
    }
  }
}

/// What is on in one room.
struct RoomState: Sendable {
  /// The activity with its report, and the run that begins or ends it.
  var session = ActivitySession()
  /// Whether the player goes on.
  var condition = PlayerCondition()
  /// The number of the newest turn.
  fileprivate(set) var turn = 0
  /// The number of the newest turn that has come to its run.
  fileprivate(set) var startedTurn = 0
  /// The number of the newest request of a person that has taken a turn.
  fileprivate(set) var newestRequest = 0

  /// Whether no request is on its way to replace what is on.
  var isSettled: Bool { turn == startedTurn }

  /// Whether no request has ever taken the room.
  var isUntouched: Bool { turn == 0 }
}

extension TheaterError {
  /// The error of a request in place of which a newer one is carried out.
  static var replaced: TheaterError {
    TheaterError(.cancelled, "a newer request replaced this one")
  }
}

import Devices
import Scenes

/// What a request does: the same value is shown by a dry run and carried out by a run.
struct HouseDecision: Sendable {
  /// An activity that begins.
  struct Beginning: Sendable {
    /// The activity; for a scene that plays by itself, an activity made from the scene.
    let activity: Activity
    let item: ItemChoice?
    /// The scene that ends it; `nil` for an activity made from a scene, which ends with that of the activity that it
    /// replaces.
    let endScene: Scene?
  }

  enum Effect: Sendable {
    /// Begins an activity in place of the one that is on in the room.
    case begin(Beginning, in: RoomID)
    /// Ends what is on in a room with its end scene.
    case end(RoomID)
    /// Turns off a room, or with `nil` the house, whose rooms these are.
    case turnOff(RoomID?, [RoomID])
    /// Runs beside what is on.
    ///
    /// - Parameter plays: Whether it lets a player be heard.
    case beside(plays: Bool)
  }

  let effect: Effect
  /// The scene of the request, with the arguments filled in.
  let requested: Scene
  /// The steps of the run: those of the scene, after the end of what it replaces.
  var scene: Scene
  /// The devices that the end leaves as they are.
  let kept: [KeptDevice]
  /// Whether the run goes on with the next step where one fails.
  var goesPastFailures = false

  /// The rooms that the request takes.
  var rooms: [RoomID] {
    switch effect {
    case .begin(_, let room), .end(let room): [room]
    case .turnOff(_, let rooms): rooms
    case .beside: []
    }
  }
}

/// What decisions need to know about the theater.
struct HouseContext: Sendable {
  let plan: TheaterPlan
  let roles: [DeviceID: Role]
  let catalogue: Catalogue

  /// The room of requests that name none.
  var defaultRoom: RoomID { plan.allRooms.first?.id ?? .standard }
}

extension HouseState {
  /// Decides about a request to begin an activity.
  ///
  /// - Parameters:
  ///   - scene: Its start scene, with the arguments filled in.
  ///   - item: The item that the user chose; `nil` for the one that the scene plays by itself, if it names one.
  ///   - room: The room of an activity that belongs to none; `nil` for the first one.
  /// - Throws: `invalid` for an activity of another room; `notFound` without its end scene.
  func decide(
    beginning activity: Activity, with scene: Scene, item: ItemChoice?, in room: RoomID?,
    _ context: HouseContext
  ) throws(TheaterError) -> HouseDecision {
    let own = context.plan.room(of: activity)
    if let own, let room, own != room {
      throw TheaterError(
        .invalid, "\"\(activity.name)\" is for the room \"\(own)\", not for \"\(room)\"",
        hint: "Leave the room out.")
    }
    // A player is on in one room.
    let room = own ?? activity.player.flatMap(self.room(playing:)) ?? room ?? context.defaultRoom
    let endScene = try context.plan.scene(named: activity.end)
    let played = ScenePlayback(of: scene.steps.commands, current: nil, in: context.catalogue)
    let fixed = played.flatMap { $0.player == activity.player ? $0.item : nil }
    return replacing(
      HouseDecision.Beginning(activity: activity, item: item ?? fixed, endScene: endScene), scene,
      in: room, context)
  }

  /// Decides about a request to run a scene.
  ///
  /// - An end scene of what is on ends it.
  /// - A scene that begins an activity begins it.
  /// - A scene that plays something becomes the activity of its room, unless it uses another player than
  ///   that activity and commands no amplifier, as a chime during a film.
  /// - Any other scene runs beside the activities. It ends an activity whose player it turns off.
  ///
  /// - Parameters:
  ///   - scene: The scene, with the arguments filled in.
  ///   - room: The room of a scene that belongs to none; `nil` for the first one.
  func decide(
    running scene: Scene, in room: RoomID?, _ context: HouseContext
  ) throws(TheaterError) -> HouseDecision {
    if let own = context.plan.room(of: scene.name), let room, own != room {
      throw TheaterError(
        .invalid, "the scene \"\(scene.name)\" is for the room \"\(own)\", not for \"\(room)\"",
        hint: "Leave the room out.")
    }
    if let ended = roomEnded(by: scene.name, in: room, context) {
      return ending(ended, context)
    }
    let commands = scene.steps.commands
    let place = self.room(of: scene, named: room, commands, context)
    let current = self[place].session.activity?.player
    let played = ScenePlayback(of: commands, current: current, in: context.catalogue)
    if let activity = activity(begunBy: scene, playing: played?.player, context) {
      return try decide(
        beginning: activity, with: scene, item: played?.item,
        in: context.plan.room(of: activity) ?? place, context)
    }
    if let played, played.becomesCurrent(scene, commands, replacing: current, in: context.plan) {
      let activity = played.activity(madeFrom: scene, commands, in: context.plan)
      return HouseDecision(
        effect: .begin(
          HouseDecision.Beginning(activity: activity, item: played.item, endScene: nil), in: place),
        requested: scene, scene: scene, kept: [])
    }
    return HouseDecision(
      effect: .beside(plays: played != nil), requested: scene, scene: scene, kept: [])
  }

  /// The same decision for the present state: other rooms may use other devices by now.
  func renewed(_ decision: HouseDecision, _ context: HouseContext) -> HouseDecision {
    switch decision.effect {
    case .begin(let beginning, let room) where beginning.endScene != nil:
      replacing(beginning, decision.requested, in: room, context)
    case .end(let room): ending(room, context)
    case .turnOff(let room, _): turningOff(room, context)
    case .begin, .beside: decision
    }
  }

  /// The room whose activity is over when a step has turned off this device: its player, or the amplifier of an
  /// activity without a player. `nil` while the activity begins or ends.
  func roomEnded(byTurningOff device: DeviceID) -> RoomID? {
    usedRooms.first { room in
      let session = self[room].session
      guard [.running, .failed].contains(session.report.status), let activity = session.activity
      else { return false }
      return (activity.player ?? activity.amplifier) == device
    }
  }

  /// Decides about a request to end what is on in a room.
  func ending(_ room: RoomID, _ context: HouseContext) -> HouseDecision {
    let (steps, kept) = endSteps(in: room, context.roles)
    let scene = Scene(name: self[room].session.endScenes.last?.name ?? "stop", steps: steps)
    return HouseDecision(effect: .end(room), requested: scene, scene: scene, kept: kept)
  }

  /// Decides about a request to turn off a room, or the whole house: each player first, the lights last.
  ///
  /// A room leaves the devices alone that the activity of another room uses.
  ///
  /// - Parameter room: `nil` for the house.
  func turningOff(_ room: RoomID?, _ context: HouseContext) -> HouseDecision {
    let used = room.map { devicesUsed(outside: $0) } ?? [:]
    let order = context.plan.devices.map(\.id)
    let ids = order + Set(context.roles.keys).subtracting(order).sorted()
    let own = room.map { self[$0].session.devices } ?? []
    let devices = ids.filter { id in
      room.map { context.plan.rooms(of: id).contains($0) || own.contains(id) } ?? true
    }
    let steps = Role.inOffOrder.flatMap { role -> [Step] in
      guard let command = role.off else { return [] }
      return devices.filter { context.roles[$0] == role && used[$0] == nil }.map { device in
        .command(
          CommandStep(
            device: device, command: .fixed(command), until: .accepted, onFailure: .continue,
            always: true))
      }
    }
    let kept = keptDevices(devices, used)
    let rooms = room.map { [$0] } ?? Set(context.plan.allRooms.map(\.id) + usedRooms).sorted()
    let scene = Scene(name: "off", steps: steps)
    return HouseDecision(effect: .turnOff(room, rooms), requested: scene, scene: scene, kept: kept)
  }

  // MARK: Parts

  private func replacing(
    _ beginning: HouseDecision.Beginning, _ scene: Scene, in room: RoomID, _ context: HouseContext
  ) -> HouseDecision {
    var whole = scene
    var kept: [KeptDevice] = []
    if self[room].session.activity != nil {
      let end = endSteps(in: room, context.roles)
      let next = scene.steps.devices
      let steps = end.steps.mapCommands { next.contains($0.device) ? nil : $0 }
      if !steps.commandSteps.isEmpty { whole.steps = steps.continuingPastFailures + scene.steps }
      kept = end.kept.filter { !next.contains($0.device) }
    }
    return HouseDecision(
      effect: .begin(beginning, in: room), requested: scene, scene: whole, kept: kept)
  }

  /// The room in which this scene ends what is on: the named one, else its own, else any.
  private func roomEnded(
    by scene: String, in room: RoomID?, _ context: HouseContext
  ) -> RoomID? {
    let ended = usedRooms.filter {
      self[$0].session.activity != nil && self[$0].session.endScenes.map(\.name) == [scene]
    }
    if let room { return ended.first { $0 == room } }
    let own = context.plan.room(of: scene)
    return ended.first { $0 == own } ?? ended.first
  }

  /// The room in which a scene acts: its own, else that in which the player that it starts is on or to which it
  /// belongs, else the named one, else the first.
  private func room(
    of scene: Scene, named room: RoomID?, _ commands: [SceneCommand], _ context: HouseContext
  ) -> RoomID {
    let player = ScenePlayback(of: commands, current: nil, in: context.catalogue)?.player
    if let player, let present = self.room(playing: player) { return present }
    return context.plan.room(of: scene.name) ?? player.flatMap { context.plan.rooms(of: $0).first }
      ?? room ?? context.defaultRoom
  }

  /// The activity that a scene begins: one of its player goes before others.
  private func activity(
    begunBy scene: Scene, playing player: DeviceID?, _ context: HouseContext
  ) -> Activity? {
    let begun = context.plan.orderedActivities.filter { $0.start == scene.name }
    if let player { return begun.first { $0.player == player } ?? begun.first { $0.player == nil } }
    return begun.first { $0.player == nil } ?? begun.first
  }
}

import Devices
import JSON
import Scenes

/// The permissions and limits of principals: activities, age ratings and volume. Each operation asks
/// here before it changes anything.
@TheaterActor
final class AccessPolicy {
  private let directory: DeviceDirectory
  private let library: Library

  nonisolated init(directory: DeviceDirectory, library: Library) {
    self.directory = directory
    self.library = library
  }

  // MARK: Permissions

  /// Throws `forbidden` unless the principal has the permission.
  func require(_ permission: Permission, of principal: Principal) throws(TheaterError) {
    guard principal.permissions.contains(permission) else {
      throw TheaterError(
        .forbidden, "you may not do this: it needs the permission \"\(permission.rawValue)\"",
        hint: "Ask an owner of this theater.")
    }
  }

  /// Throws `forbidden` unless the principal may give a device the command.
  func checkPermission(
    _ command: Command, for device: any Device, by principal: Principal
  ) throws(TheaterError) {
    guard principal.permissions.contains(command.spec.permission) else {
      throw TheaterError(
        .forbidden,
        "you may not give the \(device.role.title) the command \"\(command.spec.name)\"",
        hint: "Ask an owner of this theater.", device: device.id)
    }
  }

  // MARK: Activities

  /// Throws `forbidden` unless the principal may begin the activity, and end the present activity of its room.
  func check(
    _ activity: Activity, in room: RoomID, of house: HouseState, by principal: Principal
  ) throws(TheaterError) {
    try checkControl(of: [room], in: house, by: principal)
    guard let permitted = principal.activities, !permitted.contains(activity.name) else { return }
    throw TheaterError(
      .forbidden, "your pass does not include \(activity.words)",
      hint: "You may: \(permitted.sorted().joined(separator: ", ")).")
  }

  /// Throws `forbidden` unless in each room nothing is playing, or the principal may control and end it.
  func checkControl(
    of rooms: [RoomID], in house: HouseState, by principal: Principal
  ) throws(TheaterError) {
    guard let permitted = principal.activities else { return }
    let open = directory.plan.rooms(openTo: principal)
    for room in rooms {
      guard open?.contains(room) ?? true else {
        throw TheaterError(.forbidden, "your pass does not include the room \"\(room)\"")
      }
      let session = house[room].session
      if let activity = session.activity, session.isScene || !permitted.contains(activity.name) {
        throw TheaterError(
          .forbidden, "\(activity.words) is on, and your pass does not include it",
          hint: "Wait for its end, or ask the user who began it.")
      }
      try checkOtherPlayers(in: room, during: session)
    }
  }

  /// Throws `forbidden` if the principal may not control a device.
  ///
  /// A guest needs a pass for one of the rooms of the device, and for each activity that uses it. A device
  /// without a room is treated as if it belonged to every room.
  func checkControl(
    of device: DeviceID, in house: HouseState, by principal: Principal
  ) throws(TheaterError) {
    guard principal.activities != nil else { return }
    let plan = directory.plan
    var rooms = plan.rooms(of: device)
    if rooms.isEmpty { rooms = plan.allRooms.map(\.id) }
    if let open = plan.rooms(openTo: principal), !open.isDisjoint(with: rooms) {
      rooms = rooms.filter { open.contains($0) || house[$0].session.devices.contains(device) }
    }
    try checkControl(of: rooms, in: house, by: principal)
  }

  /// Throws `forbidden` unless the principal may run a scene that plays something.
  func checkPlaying(_ scene: Scene, by principal: Principal) throws(TheaterError) {
    guard principal.activities == nil else {
      throw TheaterError(
        .forbidden,
        "the scene \"\(scene.name)\" plays something, and your pass does not include it",
        hint: "Ask an owner of this theater.")
    }
  }

  /// Throws `forbidden` for a scene whose item is of a category that the principal may not choose. Asked before the
  /// item is looked up, so that the answer does not tell whether there is one of this name.
  func checkArguments(of scene: Scene, by principal: Principal) throws(TheaterError) {
    let categories = scene.parameters.values.compactMap(\.category)
    guard categories.allSatisfy({ principal.mayChoose($0, in: directory.plan) }) else {
      return try checkPlaying(scene, by: principal)
    }
  }

  /// Throws `forbidden` if a player that is not the current activity's may be heard. A user without
  /// limits has started it with a command or its buttons, and limited users may not control it.
  private func checkOtherPlayers(
    in room: RoomID, during session: ActivitySession
  ) throws(TheaterError) {
    // While an activity begins or ends, the previous player is still stopping.
    guard session.report.status != .starting, session.report.status != .ending else { return }
    let (plan, snapshots) = (directory.plan, directory.snapshots)
    let players = directory.devices.values.filter {
      $0.role.category != nil && $0.id != session.activity?.player
        && plan.has($0.id, in: room) && mayBeHeard($0.id, snapshots)
    }
    guard let player = players.map(\.id).min() else { return }
    throw TheaterError(
      .forbidden, "\(player) was started outside an activity, and your pass does not include it",
      hint: "Wait for its end, or ask the user who started it.", device: player)
  }

  /// Whether a player plays, and an amplifier may have selected its input.
  private func mayBeHeard(_ player: DeviceID, _ snapshots: [DeviceID: DeviceSnapshot]) -> Bool {
    guard let playback = snapshots[player]?.state.playback,
      playback.isHeard || (playback.status == .paused && playback.item != nil)
    else { return false }
    let cables = directory.plan.cables.filter { $0.from == player }
    return cables.isEmpty
      || cables.contains { cable in
        guard let amplifier = snapshots[cable.to]?.state else { return true }
        return amplifier.power != .off && amplifier.input ?? cable.input == cable.input
      }
  }

  // MARK: Age ratings

  /// The items that the status shows to everybody: those of the players, and those of the activities.
  func knownItems(in house: HouseState) -> Set<UTF8Key> {
    let reported = directory.snapshots.values.compactMap { $0.state.playback?.item }
    return Set((reported + house.items).map { UTF8Key($0) })
  }

  /// Throws `forbidden` unless every item that the commands of a scene play is within the principal's age limit,
  /// including an item that one of them leaves in a player and a later one resumes.
  func checkRatings(
    of commands: [SceneCommand], in house: HouseState, by principal: Principal
  ) throws(TheaterError) {
    guard let limit = principal.ageLimit else { return }
    let hidden = TheaterError(
      .forbidden,
      "the scene plays something that is rated above \(limit), your age limit, or is not in the library",
      hint: "Choose another scene, or ask an owner of this theater.")
    let known = knownItems(in: house)
    var items = directory.snapshots.compactMapValues { $0.state.playback?.heldItem }
    for planned in commands {
      guard let change = ItemChange(planned.command) else { continue }
      let player = planned.device
      try checkRating(
        of: change, on: player, holding: items[player], knowing: known, hiding: { _ in hidden },
        by: principal)
      switch change {
      case .play(let item?): items[player] = item
      case .skip, .release: items[player] = nil
      case .play(nil): break
      }
    }
  }

  /// Throws `forbidden` if the player's next item may be above the principal's age limit.
  ///
  /// - Parameters:
  ///   - held: The item with which the player would go on. A player that reports none may still have one.
  ///   - known: The items of which the principal may learn the rating.
  ///   - hidden: Makes the error for any other item above the limit. It is the same for an item that does not exist:
  ///     otherwise it would tell which films there are.
  private func checkRating(
    of change: ItemChange, on player: DeviceID, holding held: String?, knowing known: Set<UTF8Key>,
    hiding hidden: (String) -> TheaterError, by principal: Principal
  ) throws(TheaterError) {
    guard let limit = principal.ageLimit else { return }
    switch change {
    case .play(let chosen):
      if let item = chosen ?? held {
        guard !permits(item, ageLimit: limit) else { return }
        guard known.contains(UTF8Key(item)) else { throw hidden(item) }
        try checkRating(of: item, limit: limit)
      } else {
        try checkSkipping(on: player, limit: limit)
      }
    case .skip: try checkSkipping(on: player, limit: limit)
    case .release: break
    }
  }

  /// Whether the item is within the age limit; always without a limit.
  func permits(_ item: String, ageLimit: Int?) -> Bool {
    guard let ageLimit else { return true }
    return (try? checkRating(of: item, limit: ageLimit)) != nil
  }

  /// The entry of the library for an item.
  func entry(_ item: String) -> Catalogue.Entry? { library.catalogue.entry(id: item) }

  /// Throws `forbidden` unless the item is rated within the limit. An item that is not in the library
  /// is never within a limit: a player may know a rated film by another name.
  private func checkRating(of item: String, limit: Int) throws(TheaterError) {
    guard let entry = entry(item) else {
      throw TheaterError(
        .forbidden,
        "\"\(item.quotation)\" is not in the library, and you have an age limit",
        hint: "Choose a film or a song of the library.")
    }
    guard let rating = entry.rating, rating > limit else { return }
    throw TheaterError(
      .forbidden, "\"\(entry.item.title)\" is rated \(rating), and you may watch up to \(limit)",
      hint: "Choose another, or ask an owner of this theater.")
  }

  /// Throws `forbidden` if an item above the limit could come next on a player.
  private func checkSkipping(on player: DeviceID, limit: Int) throws(TheaterError) {
    let isPermitted = Category.allCases.flatMap { library.catalogue.entries($0) }.allSatisfy {
      ($0.rating ?? 0) <= limit || !($0.players.isEmpty || $0.players.contains(player))
    }
    guard isPermitted else {
      throw TheaterError(
        .forbidden, "the next item may be rated above \(limit), your age limit",
        hint: "Choose a film or a song of the library.", device: player)
    }
  }

  // MARK: Commands

  /// Throws `forbidden` if the command exceeds a limit of the principal: activities, age or volume.
  ///
  /// - Parameter state: The state of the device.
  func checkLimits(
    of command: Command, for device: DeviceID, in state: DeviceState, of house: HouseState,
    by principal: Principal
  ) throws(TheaterError) {
    try checkControl(of: device, in: house, by: principal)
    if let change = ItemChange(command) {
      let held = state.playback?.heldItem
      // The state of the device may be newer than its newest report.
      let known = knownItems(in: house).union([held].compactMap(\.self).map { UTF8Key($0) })
      try checkRating(
        of: change, on: device, holding: held, knowing: known, hiding: TheaterError.notInLibrary,
        by: principal)
    }
    if let volume = command.volume {
      try checkVolume(volume, of: device, by: principal)
      try checkLevel(volume, of: device, in: state, by: principal)
    }
  }

  /// Throws `forbidden` for a louder first amplifier of a chain: a limited principal's limit is that of the last one.
  private func checkLevel(
    _ volume: Int, of amplifier: DeviceID, in state: DeviceState, by principal: Principal
  ) throws(TheaterError) {
    guard principal.volumeLimit != nil, let chain = directory.plan.chain(from: amplifier),
      volume > state.volume ?? 0
    else { return }
    throw TheaterError(
      .forbidden, "\(amplifier) runs at a fixed level before \(chain.to)",
      hint: "Change the volume of \(chain.to).", device: amplifier)
  }

  /// Throws `forbidden` if a volume in percent is above the principal's limit.
  func checkVolume(_ volume: Int, of amplifier: DeviceID, by principal: Principal)
    throws(TheaterError)
  {
    guard let limit = principal.volumeLimit, volume > limit else { return }
    throw TheaterError(
      .forbidden, "your volume limit is \(limit) %", hint: "Set it to \(limit) % or less.",
      device: amplifier)
  }
}

extension TheaterError {
  /// The "not found" error for an item that is not in the library, or is hidden from the user.
  static func notInLibrary(_ item: String) -> TheaterError {
    TheaterError(
      .notFound, "\"\(item.quotation)\" is not in the library",
      hint: "See the lists of films and songs.")
  }
}

extension Activity {
  /// The activity for people.
  fileprivate var words: String { title.map { "\"\($0)\"" } ?? "the activity \"\(name)\"" }
}

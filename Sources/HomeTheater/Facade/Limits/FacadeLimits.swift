import Devices
import JSON

// How far a person may go, who may not do everything. Whatever brings something about asks here
// first: activities, scenes, steering, and commands for one device.
extension HomeTheaterFacade {
  /// Passes where the activity is for this person, and the one that is on is as well.
  func check(_ activity: Activity, within allowance: Allowance) throws(TheaterError) {
    try checkStage(within: allowance)
    guard allowance.covers(activity.name) else {
      let names = (allowance.activities ?? []).sorted().joined(separator: ", ")
      throw TheaterError(
        .forbidden, "\(activity.words) is not among what you may do", hint: "You may: \(names).")
    }
  }

  /// Passes where nothing is on, or something that this person may steer and end.
  func checkStage(within allowance: Allowance) throws(TheaterError) {
    guard allowance.activities != nil else { return }
    if let activity = stage.activity, stage.isScene || !allowance.covers(activity.name) {
      throw TheaterError(
        .forbidden, "\(activity.words) is on, and not among what you may steer",
        hint: "Wait for its end, or ask who began it.")
    }
    try checkOtherPlayers()
  }

  /// Passes where this person is old enough for everything that the steps play, also where a step
  /// lets go on what one before it has chosen.
  func checkRatings(of steps: [PlannedStep], within allowance: Allowance) throws(TheaterError) {
    guard allowance.ageLimit != nil else { return }
    var items = snapshots.compactMapValues { $0.state.playback?.item }
    for step in steps {
      let player = step.device.id
      try checkItem(step.command, on: player, holding: items[player], within: allowance)
      switch DiscMove(step.command) {
      case .play(let item?)?: items[player] = item
      case .skip?, .release?: items[player] = nil
      case .play(nil)?, nil: break
      }
    }
  }

  /// Passes where this person is old enough for what would go on in a player.
  func checkResuming(_ player: any Device, within allowance: Allowance) throws(TheaterError) {
    // A player of another kind refuses the command itself.
    guard let play = try? Command("play", argument: nil, role: player.role) else { return }
    try checkItem(play, on: player.id, within: allowance)
  }

  /// Passes where this person is old enough for an item. One that is not in the library is not for
  /// whom there is a limit: players may know the same film by other names.
  func checkRating(of item: String, within allowance: Allowance) throws(TheaterError) {
    guard let limit = allowance.ageLimit else { return }
    guard let entry = catalogue.entry(id: item) else {
      throw TheaterError(
        .forbidden,
        "\"\(item.prefix(60))\" is not in the library, and for you there is an age limit",
        hint: "Choose from: theater films, theater songs.")
    }
    guard let rating = entry.rating, rating > limit else { return }
    throw TheaterError(
      .forbidden, "\"\(entry.item.title)\" is rated \(rating), and you may watch up to \(limit)",
      hint: "Choose another, or ask an owner of this theater.")
  }

  /// Passes where no item above this person's age limit could come next in a player.
  func checkSkipping(on player: DeviceID, within allowance: Allowance) throws(TheaterError) {
    guard let limit = allowance.ageLimit else { return }
    let isFree = Category.allCases.flatMap { catalogue.entries($0) }.allSatisfy {
      ($0.rating ?? 0) <= limit || !($0.players.isEmpty || $0.players.contains(player))
    }
    guard isFree else {
      throw TheaterError(
        .forbidden, "the next one may be rated above \(limit), which is your limit",
        hint: "Choose from: theater films, theater songs.", device: player)
    }
  }

  /// Passes where this person may give the device the command.
  func check(_ command: Command, for device: any Device, within allowance: Allowance)
    throws(TheaterError)
  {
    guard allowance.permissions.contains(command.spec.permission) else {
      throw TheaterError(
        .forbidden,
        "you may not give the \(device.role.title) the command \"\(command.spec.name)\"",
        hint: "Ask an owner of this theater.", device: device.id)
    }
    try checkStage(within: allowance)
    try checkItem(command, on: device.id, within: allowance)
    switch AmplifierCommand(command) {
    case .volume(let volume)?: try checkVolume(volume, of: device.id, within: allowance)
    case .unmute?:
      try checkVolume(volume(of: device.id) ?? 100, of: device.id, within: allowance)
    default: break
    }
  }

  /// Passes where a volume is not above what this person may bring about.
  func checkVolume(_ volume: Int, of amplifier: DeviceID, within allowance: Allowance)
    throws(TheaterError)
  {
    guard let limit = allowance.volumeLimit, volume > limit else { return }
    throw TheaterError(
      .forbidden, "for you the volume ends at \(limit) %", hint: "Set it: theater volume \(limit)",
      device: amplifier)
  }

  /// The steps with every volume at this person's limit at most. An amplifier that is louder from
  /// before, and that no step sets, is turned down after its last step; where none is, or the last
  /// one turns it off, before everything.
  func limited(_ steps: [PlannedStep], within allowance: Allowance) -> [PlannedStep] {
    guard let limit = allowance.volumeLimit else { return steps }
    var limited = steps.map { $0.limiting(volume: limit) }
    for device in devices.values where device.role == .amplifier {
      guard let volume = volume(of: device.id), volume > limit,
        !limited.contains(where: { $0.device.id == device.id && $0.setsVolume }),
        let softer = try? AmplifierCommand.volume(limit).checked()
      else { continue }
      let last = limited.lastIndex { $0.device.id == device.id }
        .flatMap { limited[$0].turnsAmplifierOff ? nil : $0 }
      limited.insert(
        PlannedStep(
          device: device, command: softer, until: .accepted,
          onFailure: last == nil ? .continue : .stop, always: false),
        at: last.map { $0 + 1 } ?? 0)
    }
    return limited
  }

  /// The volume that an amplifier was last seen with.
  private func volume(of amplifier: DeviceID) -> Int? { snapshots[amplifier]?.state.volume }

  private func checkItem(_ command: Command, on player: DeviceID, within allowance: Allowance)
    throws(TheaterError)
  {
    let item = snapshots[player]?.state.playback?.item
    try checkItem(command, on: player, holding: item, within: allowance)
  }

  /// Passes where this person is old enough for what a command brings about in a player that holds
  /// this item. One that tells of none may still have one, and plays it when it is told to go on.
  private func checkItem(
    _ command: Command, on player: DeviceID, holding held: String?, within allowance: Allowance
  ) throws(TheaterError) {
    switch DiscMove(command) {
    case .play(let chosen)?:
      if let item = chosen ?? held {
        try checkRating(of: item, within: allowance)
      } else {
        try checkSkipping(on: player, within: allowance)
      }
    case .skip?: try checkSkipping(on: player, within: allowance)
    case .release?, nil: break
    }
  }
}

extension Activity {
  /// The activity in a person's words.
  fileprivate var words: String { title.map { "\"\($0)\"" } ?? "the activity \"\(name)\"" }
}

extension PlannedStep {
  /// This step with a volume of `limit` in place of a louder one.
  fileprivate func limiting(volume limit: Int) -> PlannedStep {
    guard case .volume(let volume)? = AmplifierCommand(command), volume > limit,
      let softer = try? AmplifierCommand.volume(limit).checked()
    else { return self }
    return PlannedStep(
      device: device, command: softer, until: until, onFailure: onFailure, always: always)
  }

  fileprivate var turnsAmplifierOff: Bool {
    if case .off? = AmplifierCommand(command) { true } else { false }
  }

  fileprivate var setsVolume: Bool {
    if case .volume? = AmplifierCommand(command) { true } else { false }
  }
}

import Devices
import JSON
import Scenes

// How far a person may go, who may not do everything. Whatever brings something about asks here
// first: activities, scenes, steering, and commands for one device.
extension HomeTheaterFacade {
  /// Passes where the activity is for this person, and the one that is on is as well.
  func check(_ activity: Activity, by principal: Principal) throws(TheaterError) {
    try checkStage(by: principal)
    guard principal.covers(activity.name) else {
      let names = (principal.activities ?? []).sorted().joined(separator: ", ")
      throw TheaterError(
        .forbidden, "\(activity.words) is not among what you may do", hint: "You may: \(names).")
    }
  }

  /// Passes where nothing is on, or something that this person may steer and end.
  func checkStage(by principal: Principal) throws(TheaterError) {
    guard principal.activities != nil else { return }
    if let activity = stage.activity, stage.isScene || !principal.covers(activity.name) {
      throw TheaterError(
        .forbidden, "\(activity.words) is on, and not among what you may steer",
        hint: "Wait for its end, or ask who began it.")
    }
    try checkOtherPlayers()
  }

  /// Passes where this person is old enough for everything that the steps play, also where a step
  /// lets go on what one before it has chosen.
  func checkRatings(of steps: [PlannedStep], by principal: Principal) throws(TheaterError) {
    guard principal.ageLimit != nil else { return }
    var items = snapshots.compactMapValues { $0.state.playback?.heldItem }
    for step in steps {
      let player = step.device.id
      try checkItem(step.command, on: player, holding: items[player], by: principal)
      switch DiscMove(step.command) {
      case .play(let item?)?: items[player] = item
      case .skip?, .release?: items[player] = nil
      case .play(nil)?, nil: break
      }
    }
  }

  /// Passes where this person is old enough for an item. One that is not in the library is not for
  /// whom there is a limit: players may know the same film by other names.
  func checkRating(of item: String, ageLimit: Int?) throws(TheaterError) {
    guard let limit = ageLimit else { return }
    guard let entry = catalogue.entry(id: item) else {
      throw TheaterError(
        .forbidden,
        "\"\(item.quotation)\" is not in the library, and for you there is an age limit",
        hint: "Choose from: theater films, theater songs.")
    }
    guard let rating = entry.rating, rating > limit else { return }
    throw TheaterError(
      .forbidden, "\"\(entry.item.title)\" is rated \(rating), and you may watch up to \(limit)",
      hint: "Choose another, or ask an owner of this theater.")
  }

  /// Passes where no item above this person's age limit could come next in a player.
  func checkSkipping(on player: DeviceID, by principal: Principal) throws(TheaterError) {
    guard let limit = principal.ageLimit else { return }
    let isFree = Category.allCases.flatMap { catalogue.entries($0) }.allSatisfy {
      ($0.rating ?? 0) <= limit || !($0.players.isEmpty || $0.players.contains(player))
    }
    guard isFree else {
      throw TheaterError(
        .forbidden, "the next one may be rated above \(limit), which is your limit",
        hint: "Choose from: theater films, theater songs.", device: player)
    }
  }

  /// Passes where this person may give a device of this role the command.
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

  /// Throws if the command exceeds a limit of this user: activities, age or volume.
  func checkLimits(
    _ command: Command, for device: any Device, by principal: Principal
  ) async throws(TheaterError) {
    // Ask the device itself: its latest report may not have arrived here yet.
    let state = await device.snapshot().state
    try checkStage(by: principal)
    try checkItem(
      command, on: device.id, holding: state.playback?.heldItem, by: principal)
    switch AmplifierCommand(command) {
    case .volume(let volume)?: try checkVolume(volume, of: device.id, by: principal)
    case .unmute?: try checkVolume(state.volume ?? 100, of: device.id, by: principal)
    default: break
    }
  }

  /// Passes where a volume is not above what this person may bring about.
  func checkVolume(_ volume: Int, of amplifier: DeviceID, by principal: Principal)
    throws(TheaterError)
  {
    guard let limit = principal.volumeLimit, volume > limit else { return }
    throw TheaterError(
      .forbidden, "for you the volume ends at \(limit) %", hint: "Set it: theater volume \(limit)",
      device: amplifier)
  }

  /// The steps with every volume at this person's limit at most. An amplifier that is louder by then
  /// is turned down as soon as a step has turned it on and before one unmutes it; where there is no
  /// such step, before everything.
  func limited(_ steps: [PlannedStep], by principal: Principal) -> [PlannedStep] {
    guard let limit = principal.volumeLimit,
      let softer = try? AmplifierCommand.volume(limit).checked()
    else { return steps }
    func ceiling(_ amplifier: any Device, _ onFailure: OnFailure) -> PlannedStep {
      PlannedStep(
        device: amplifier, command: softer, until: .accepted, onFailure: onFailure, always: false,
        isCeiling: true)
    }
    var limited = steps.flatMap { step in
      switch AmplifierCommand(step.command) {
      case .on?: [step, ceiling(step.device, .stop)]
      case .unmute?: [ceiling(step.device, .stop), step]
      default: [step.limiting(volume: limit)]
      }
    }
    for device in devices.values where device.role == .amplifier {
      let own = steps.filter { $0.device.id == device.id }
      // One that is off, or that the steps turn off, may refuse; then nothing is heard of it.
      let isHeardOn = own.last.map { !$0.turnsAmplifierOff } ?? false
      guard !own.contains(where: \.makesAmplifierHeard),
        snapshots[device.id]?.state.volume.map({ $0 > limit }) ?? !own.isEmpty
      else { continue }
      limited.insert(ceiling(device, isHeardOn ? .stop : .continue), at: 0)
    }
    return limited
  }

  /// Passes where this person is old enough for what a command brings about in a player that holds
  /// this item. One that holds none may still have one, and plays it when it is told to go on.
  private func checkItem(
    _ command: Command, on player: DeviceID, holding held: String?, by principal: Principal
  ) throws(TheaterError) {
    switch DiscMove(command) {
    case .play(let chosen)?:
      if let item = chosen ?? held {
        try checkRating(of: item, ageLimit: principal.ageLimit)
      } else {
        try checkSkipping(on: player, by: principal)
      }
    case .skip?: try checkSkipping(on: player, by: principal)
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

  fileprivate var makesAmplifierHeard: Bool {
    switch AmplifierCommand(command) {
    case .on?, .unmute?: true
    default: false
    }
  }
}

import Devices
import Scenes

// The age limit of what comes by itself: a player that goes on to the next title, and somebody at the
// player who changes it. What is commanded is checked before it happens (`FacadeLimits`).
extension HomeTheaterFacade {
  /// Notes whose age limit counts from now on, where a command chooses what a player plays.
  ///
  /// - Returns: The number of the choice; `nil` where the command chooses nothing.
  func noteChoice(
    _ command: Command, on player: DeviceID, by principal: Principal
  ) -> Int? {
    switch DiscMove(command) {
    case .play(nil)? where snapshots[player]?.state.playback?.isHeld == true:
      lowerLimit(on: player, to: principal)
    case .play?, .skip?: choose(on: player, by: principal)
    case .release?, nil: nil
    }
  }

  /// From now on this person's age limit counts for what comes by itself. What plays already, and
  /// might, was somebody else's choice, until it changes.
  @discardableResult
  func choose(on player: DeviceID, by principal: Principal) -> Int {
    var watch = watches[player] ?? AgeLimitMonitor()
    watch.ageLimit = principal.ageLimit
    watch.heardIn = nil
    if snapshots[player]?.state.playback?.isHeard != true { watch.passed = nil }
    return note(watch, on: player)
  }

  /// Lowers the player's age limit to this user's. A user who lets an item go on does not choose
  /// it, so no limit is lifted; but the items that follow it by themselves are for this user as
  /// well.
  private func lowerLimit(on player: DeviceID, to principal: Principal) -> Int? {
    // Without a watch the item was put in at the player itself.
    var watch = watches[player] ?? AgeLimitMonitor()
    guard let limit = principal.ageLimit, watch.ageLimit.map({ limit < $0 }) ?? true else {
      return nil
    }
    watch.ageLimit = limit
    watch.passed = nil
    return note(watch, on: player)
  }

  private func note(_ watch: AgeLimitMonitor, on player: DeviceID) -> Int {
    choices += 1
    watches[player] = watch
    watches[player]?.turn = choices
    return choices
  }

  /// Reverts a choice when its command has failed. Where the command may have had an effect all the
  /// same, an age limit that is lower stays.
  func revert(
    _ choice: Int, on player: DeviceID, to before: AgeLimitMonitor?, after error: DeviceError
  ) {
    guard var watch = watches[player], watch.turn == choice else { return }
    let limit = watch.ageLimit
    watch.ageLimit = before?.ageLimit
    watch.passed = before?.passed
    switch error.code {
    case .unsupported, .invalid, .notNow, .refused: break
    case .failed, .unavailable, .cancelled:
      watch.ageLimit = [watch.ageLimit, limit].compactMap(\.self).min()
    case .timeout: return
    }
    watches[player] = watch
  }

  /// Forgets who chose, once an activity is over whose player is silent. A choice that is newer than
  /// `choice`, or that still plays, counts until the player stops.
  func forgetChoice(_ choice: Int?, on player: DeviceID) {
    guard watches[player]?.turn == choice, snapshots[player]?.state.playback?.isHeard != true
    else { return }
    watches[player] = nil
  }

  /// Stops what a player plays, where who chose last is not old enough for it. What a player does not
  /// tell of cannot be known.
  func watch(_ playback: Playback, of player: any Device) {
    let isOnStage = player.id == stage.activity?.player
    let snapshot = snapshots[player.id]
    // Without a watch the item was put in at the player itself.
    var watch = watches[player.id] ?? AgeLimitMonitor()
    // A player that starts anew reports "stopped" before it goes on with what it played.
    if playback.status == .stopped, !isOnStage, watch.stopping == nil,
      snapshot?.availability == .available, watch.heardIn == snapshot?.generation
    {
      // What is put in from here on is nobody's choice that was told to the theater.
      watches[player.id] = nil
    }
    guard playback.isHeard, let item = playback.item,
      let stop = try? Command("stop", argument: nil, role: player.role)
    else { return }
    guard item != watch.passed else {
      if watch.heardIn != nil { watches[player.id]?.heardIn = snapshot?.generation }
      return
    }
    do throws(TheaterError) {
      try checkRating(of: item, ageLimit: watch.ageLimit)
      watch.passed = item
      watch.heardIn = snapshot?.generation
      let found = watch.stopping == nil ? nil : watch.found
      watch.stopping = nil
      watch.found = nil
      watches[player.id] = watch
      if let found { withdraw(found) }
    } catch {
      // Told again as long as it goes on playing.
      guard watch.stopping?.report.status != .running else { return }
      let user = isOnStage ? stage.report.user : nil
      let found = LimitStop(item, catalogue.entry(id: item), user: user, player.id)
      let isNew = watch.found != found || watch.stopping?.report.status == .done
      watch.passed = nil
      watch.found = found
      watch.stopping = carryOut(stop, because: found, on: player, isNew: isNew)
      watches[player.id] = watch
      if isNew { tell(found.error) }
    }
  }

  private func carryOut(
    _ stop: Command, because found: LimitStop, on player: any Device, isNew: Bool
  ) -> Run {
    let steps = [
      PlannedStep(
        device: player, command: stop, until: .settled, onFailure: .stop, always: true)
    ]
    let run = Run(id: history.nextID(), scene: "age-limit", steps: steps, events: events)
    // A player that does not stop must not push other runs out of the history.
    if isNew { history.add(run) }
    run.start { [runner, limitStopped] run in
      // The controller itself acts here.
      await runner.run(steps, as: run) { (step) throws(DeviceError) in
        try await step.device.perform(step.command, until: step.until)
      }
      guard let error = run.report.error else { return await limitStopped(found) }
      await self.couldNotStop(found, error, isNew: isNew)
    }
    return run
  }

  private func couldNotStop(_ found: LimitStop, _ error: TheaterError, isNew: Bool) {
    guard isNew else { return }
    let failure = found.failure(error.message)
    log("\(found.player): \(failure.message)")
    tell(failure)
  }

  /// Tells it with the activity whose player it is.
  private func tell(_ error: TheaterError) {
    guard error.device == stage.activity?.player else { return }
    stage.report.error = error
    events.publish(.activity(stage.report))
  }

  /// What was told of it is over. Anything worse that was told since stands.
  private func withdraw(_ found: LimitStop) {
    guard let error = stage.report.error, error.device == found.player,
      error.message.hasPrefix("it went on to \(found.words)")
    else { return }
    stage.report.error = nil
    events.publish(.activity(stage.report))
  }
}

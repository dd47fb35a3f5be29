import Devices

// The age limit of what comes by itself: a player that goes on to the next title, and somebody at the
// player who changes it. What is commanded is checked before it happens (`FacadeLimits`).
extension HomeTheaterFacade {
  /// Notes whose age limit counts from now on, where a command chooses what a player plays.
  func noteChoice(_ command: Command, on player: DeviceID, within allowance: Allowance) {
    switch DiscMove(command) {
    case .play(.some)?, .skip?: choose(on: player, within: allowance)
    case .play(nil)?:
      // Going on chooses nothing; beginning again what is over does.
      let status = snapshots[player]?.state.playback?.status
      if status == .stopped || status == .ended { choose(on: player, within: allowance) }
    case .release?, nil: break
    }
  }

  /// From now on this person's age limit counts for what comes by itself. What plays already, and
  /// might, was somebody else's choice, until it changes.
  func choose(on player: DeviceID, within allowance: Allowance) {
    var watch = watches[player, default: PlayerWatch()]
    watch.chooser = allowance
    watch.hasPlayed = false
    watch.turn += 1
    watches[player] = watch
  }

  /// What a refused command would have chosen, nobody has chosen.
  func takeBack(on player: DeviceID, to before: PlayerWatch?) {
    guard var watch = watches[player], watch.turn == (before?.turn ?? 0) + 1 else { return }
    watch.chooser = before?.chooser ?? .everything
    watch.passed = before?.passed
    watches[player] = watch
  }

  /// Stops what a player plays, where who chose last is not old enough for it. What a player does not
  /// tell of cannot be known.
  func watch(_ playback: Playback, of player: any Device) {
    let isOnStage = player.id == stage.activity?.player
    var watch = watches[player.id, default: PlayerWatch()]
    if playback.status == .stopped, !isOnStage, watch.hasPlayed, watch.stopping == nil {
      // What is put in from here on is nobody's choice that was told to the theater.
      watches[player.id] = nil
    }
    guard playback.isHeard, let item = playback.item, item != watch.passed,
      let stop = try? Command("stop", argument: nil, role: player.role)
    else { return }
    do throws(TheaterError) {
      try checkRating(of: item, within: watch.chooser)
      watch.passed = item
      watch.hasPlayed = true
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
      await runner.run(steps, as: run)
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

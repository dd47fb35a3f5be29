import Devices

// The age limit of what comes by itself: a player that goes on to the next title, and somebody at the
// player who changes it. What is commanded is checked before it happens (`FacadeLimits`).
extension HomeTheaterFacade {
  /// Notes whose age limit counts from now on, where a command chooses what the activity's player
  /// plays.
  func noteChoice(_ command: Command, on player: DeviceID, within allowance: Allowance) {
    guard player == stage.activity?.player else { return }
    switch DiscMove(command) {
    case .play(.some)?, .skip?: choose(within: allowance)
    case .play(nil)?, .release?, nil: break
    }
  }

  /// From now on this person's age limit counts for what comes by itself. What plays already was
  /// somebody else's choice, until it changes.
  func choose(within allowance: Allowance) {
    let playback = stage.activity?.player.flatMap { snapshots[$0]?.state.playback }
    stage.chooser = allowance
    stage.heard = playback.flatMap { $0.isHeard ? $0.item : nil }
  }

  /// Stops what the activity's player plays, where who chose last is not old enough for it. What a
  /// player does not tell of cannot be known.
  func watch(_ playback: Playback, of player: any Device) {
    guard playback.isHeard, let item = playback.item, item != stage.heard,
      let stop = try? Command("stop", argument: nil, role: player.role)
    else { return }
    do throws(TheaterError) {
      try checkRating(of: item, within: stage.chooser)
      stage.heard = item
      guard stage.stopping != nil else { return }
      stage.stopping = nil
      stage.report.error = nil
    } catch {
      // Told again as long as it goes on playing.
      guard stage.stopping?.report.status != .running else { return }
      let stopped = LimitStop(item, catalogue.entry(id: item), user: stage.report.user, player.id)
      stage.heard = nil
      stage.stopping = carryOut(stop, because: stopped, on: player)
      stage.report.error = stopped.error
    }
    events.publish(.activity(stage.report))
  }

  private func carryOut(_ stop: Command, because stopped: LimitStop, on player: any Device) -> Run {
    let steps = [
      PlannedStep(
        device: player, command: stop, until: .settled, onFailure: .stop, always: true)
    ]
    let run = Run(id: history.nextID(), scene: "age-limit", steps: steps, events: events)
    history.add(run)
    run.start { [runner, limitStopped] run in
      await runner.run(steps, as: run)
      await limitStopped(stopped)
    }
    return run
  }
}

/// What was stopped because somebody who chose before is not old enough for it.
package struct LimitStop: Sendable, Hashable {
  /// Who began the activity, as its beginning was told.
  package let user: String?
  /// The film, in a person's words: `"The Short Cut", rated 16`.
  package let words: String
  package let player: DeviceID

  fileprivate init(
    _ item: String, _ entry: Catalogue.Entry?, user: String?, _ player: DeviceID
  ) {
    self.user = user
    self.player = player
    let title = "\"\(entry?.item.title ?? String(item.prefix(60)))\""
    words = title + (entry?.rating.map { ", rated \($0)" } ?? ", not in the library")
  }

  var error: TheaterError {
    TheaterError(
      .forbidden, "it went on to \(words), above the age limit of who chose: it is stopped",
      hint: "Choose another, or let somebody choose it who may watch it.", device: player)
  }
}

/// What a command does about the item in a player.
enum DiscMove {
  /// Plays an item, or what is there already.
  case play(String?)
  /// Goes to another that the command does not name.
  case skip
  /// Leaves open what would play next.
  case release

  /// `nil` for what concerns no item.
  init?(_ command: Command) {
    switch (DVDPlayerCommand(command), CDPlayerCommand(command)) {
    case (.play(let request)?, _), (_, .play(let request)?): self = .play(request.item)
    case (.next?, _), (.previous?, _), (_, .next?), (_, .previous?): self = .skip
    case (.stop?, _), (.eject?, _), (.off?, _), (_, .stop?), (_, .eject?), (_, .off?):
      self = .release
    default: return nil
    }
  }
}

extension Playback {
  /// Whether it is heard, or will be in a moment.
  fileprivate var isHeard: Bool { status == .playing || status == .opening }
}

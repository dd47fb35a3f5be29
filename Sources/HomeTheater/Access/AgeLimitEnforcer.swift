import Devices
import JSON
import Scenes

/// The stop of an item above the age limit of the user who chose it.
package struct LimitStop: Sendable, Hashable {
  /// The user of the activity; `nil` if the player belongs to none.
  package let user: String?
  /// The item for people: `"The Short Cut", rated 16`.
  package let words: String
  /// The stopped player.
  package let player: DeviceID

  init(_ item: String, _ entry: Catalogue.Entry?, user: String?, player: DeviceID) {
    self.user = user
    self.player = player
    let title = "\"\(entry?.item.title ?? item.quotation)\""
    words = title + (entry?.rating.map { ", rated \($0)" } ?? ", not in the library")
  }

  /// The error of the activity whose player was stopped.
  var error: TheaterError {
    TheaterError(
      .forbidden, "\(player) went on to \(words), which is above the age limit, and was stopped",
      hint: "Choose another item, or let a user choose it who may watch it.", device: player)
  }

  /// The error if the player could not be stopped.
  func failure(_ reason: String) -> TheaterError {
    TheaterError(
      .deviceFailed,
      "\(player) went on to \(words), which is above the age limit, and did not stop: \(reason)",
      hint: "Stop it by hand. It is told to stop again with each of its reports.", device: player)
  }
}

/// Stops players that have gone on to an item above their age limit.
@TheaterActor
final class AgeLimitEnforcer {
  private let monitor: AgeLimitMonitor
  private let engine: SceneEngine
  private let house: House
  private let players: PlayerFollower
  private let log: @Sendable (String) -> Void
  private let stopped: @Sendable (LimitStop) async -> Void

  /// - Parameter stopped: Receives each stop.
  nonisolated init(
    monitor: AgeLimitMonitor, engine: SceneEngine, house: House, players: PlayerFollower,
    log: @escaping @Sendable (String) -> Void,
    stopped: @escaping @Sendable (LimitStop) async -> Void
  ) {
    self.monitor = monitor
    self.engine = engine
    self.house = house
    self.players = players
    self.log = log
    self.stopped = stopped
  }

  /// Checks a player's report and stops a forbidden item.
  func observe(_ playback: Playback, of player: any Device) {
    guard let stop = player.role.stop else { return }
    let room = house.state.room(playing: player.id)
    let finding = monitor.check(
      playback, of: player, isCurrent: room != nil,
      user: room.flatMap { house[$0].session.report.user })
    switch finding {
    case .permitted(let stop?): players.clearError(.ageLimit, of: stop.player)
    case .forbidden(let found, let isNew):
      monitor.setStopRun(run(stop, because: found, on: player, isNew: isNew), on: player.id)
      if isNew { players.setError(found.error, .ageLimit) }
    case .permitted(nil), nil: break
    }
  }

  /// Starts the run that stops a player. The controller itself acts here, not a user.
  private func run(
    _ stop: Command, because found: LimitStop, on player: any Device, isNew: Bool
  ) -> Run {
    // A player that does not stop must not push other runs out of the history.
    engine.start(
      ScenePlan(scene: "age-limit", sending: stop, to: player.id), by: nil, isKept: isNew,
      then: { [stopped] run in
        guard let error = run.report.error else { return await stopped(found) }
        if isNew { await self.reportFailure(found, error) }
      })
  }

  private func reportFailure(_ found: LimitStop, _ error: TheaterError) {
    let failure = found.failure(error.message)
    log("\(found.player): \(failure.message)")
    players.setError(failure, .ageLimit)
  }
}

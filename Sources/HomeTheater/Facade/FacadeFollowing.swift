import Devices
import JSON
import Scenes

// The current activity follows its player: when a disc goes on to its next song, the item, the
// title and the saved position follow.
extension HomeTheaterFacade {
  /// Follows a report of the activity's player: its current item and playback.
  func follow(_ player: any Device, _ snapshot: DeviceSnapshot) async {
    guard player.id == stage.activity?.player,
      let reading = snapshot.state.readings[.playback]
    else { return }
    guard var playback = snapshot.state.playback else {
      // Contact is lost: the position must not run on without the player.
      return await positions.hold(at: clock.now())
    }
    playback.item = snapshot.state.currentItem(of: player.role)
    guard stage.follows(playback.item, at: reading.time) else { return }
    let turn = stage.turn
    let before = stage.report
    if let item = playback.item, item != before.item { setItem(item) }
    stage.hasEnded = playback.status == .ended
    setFailure(of: playback)
    if stage.report != before { events.publish(.activity(stage.report)) }
    playback.duration = playback.duration ?? stage.duration
    await positions.take(playback, at: reading.time)
    guard turn == stage.turn else { return }
    await endIfOver()
  }

  /// Takes the newest report of the player, also where it is still on its way here.
  func catchUp() async {
    guard let id = stage.activity?.player, let player = devices[id] else { return }
    await follow(player, await player.snapshot())
  }

  /// Sets the current item of the activity.
  private func setItem(_ item: String) {
    let entry = catalogue.entry(id: item)
    stage.report.item = item
    stage.report.itemTitle = entry?.item.title ?? item.boundedLine(maximumBytes: 200)
    stage.report.resumedAt = nil
    stage.duration = entry?.item.duration
  }

  /// Reports a failed player, until it plays again.
  private func setFailure(of playback: Playback) {
    switch playback.status {
    case .failed:
      let failure = TheaterError(
        .deviceFailed, playback.reason ?? "it stopped playing",
        hint: "Choose something else, or look at: theater plugins", device: stage.report.player)
      stage.failure = failure
      stage.report.error = failure
    case .playing:
      if let failure = stage.failure, stage.report.error == failure { stage.report.error = nil }
      stage.failure = nil
    case .stopped, .opening, .paused, .ended: break
    }
  }
}

extension DeviceState {
  /// The item that a player has now: for a tuner between stations, its frequency.
  func currentItem(of role: Role) -> String? {
    if let item = playback?.item { return item }
    guard role == .tuner, power == .on, let number = self[.frequency]?.number else { return nil }
    switch self[.band]?.string {
    case "am": return StationFrequency.am(number).description
    case "fm": return StationFrequency.fm(number).description
    default: return nil
    }
  }
}

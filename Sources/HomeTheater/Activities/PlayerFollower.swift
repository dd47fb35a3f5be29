import Devices
import JSON
import Platform

/// Follows the players of the activities: their items, positions and failures.
@TheaterActor
final class PlayerFollower {
  private let house: House
  private let directory: DeviceDirectory
  private let library: Library
  private let clock: any TheaterClock
  private let makePlayback: @Sendable () -> PlaybackMonitor
  private var playbacks: [RoomID: PlaybackMonitor] = [:]

  nonisolated init(
    house: House, directory: DeviceDirectory, library: Library, clock: any TheaterClock,
    playback: @escaping @Sendable () -> PlaybackMonitor
  ) {
    self.house = house
    self.directory = directory
    self.library = library
    self.clock = clock
    makePlayback = playback
  }

  /// The playback of a room.
  func playback(in room: RoomID) -> PlaybackMonitor {
    if let playback = playbacks[room] { return playback }
    let playback = makePlayback()
    playbacks[room] = playback
    return playback
  }

  /// Gives the playback of a removed room to another one; to none with `nil`.
  func movePlayback(from room: RoomID, to other: RoomID?) {
    let playback = playbacks.removeValue(forKey: room)
    if let other { playbacks[other] = playback }
  }

  /// Returns the position in seconds from which an item can be resumed; `nil` for its start.
  func savedPosition(
    of item: ItemChoice, _ category: Category, user: String
  ) async -> Double? {
    await playback(in: .standard).savedPosition(of: item, category, user: user)
  }

  /// Returns the saved positions of a user in seconds, the one that was saved last first.
  func savedPositions(of user: String) async -> [(item: UTF8Key, seconds: Double)] {
    for playback in playbacks.values { await playback.waitForWrites() }
    return await playback(in: .standard).savedPositions(of: user)
  }

  /// Saves the positions, and follows nothing any more.
  func shutDown() async { for playback in playbacks.values { await playback.shutDown() } }

  // MARK: Reports

  /// Updates the item and the failure of an activity from a report of its player.
  ///
  /// - Returns: The room of the activity; `nil` if the report changes none.
  func observe(_ snapshot: DeviceSnapshot, of player: any Device) async -> RoomID? {
    guard let room = house.state.room(playing: player.id),
      let reading = snapshot.state.readings[.playback]
    else { return nil }
    let playback = playback(in: room)
    guard var reported = snapshot.state.playback else {
      await playback.freezePosition()
      return nil
    }
    reported.item = snapshot.state.currentItem(of: player.role)
    guard house[room].session.report.status != .ending, playback.accept(reported, at: reading.time)
    else { return nil }
    house.update(room) { state in
      if let item = reported.item, item != state.session.report.item {
        let choice = library.catalogue.choice(of: item)
        state.session.setItem(choice)
        playback.setItem(choice)
      }
      state.condition.update(snapshot, at: clock.now())
      if !state.condition.needsRetry {
        state.session.clearFailure()
      } else if reported.status == .failed {
        state.session.setFailure(
          failure(reported.reason, of: player.id, in: state.session.activity, at: playback),
          retryingAt: playback.position)
      }
    }
    await playback.savePosition(of: reported, at: reading.time)
    return room
  }

  /// Updates an activity from the newest report of its player, which may not have arrived yet.
  func update(_ room: RoomID) async {
    guard let id = house[room].session.activity?.player, let player = directory[id] else { return }
    let snapshot = await player.snapshot()
    guard house[room].session.activity?.player == id else { return }
    _ = await observe(snapshot, of: player)
  }

  /// Reports an error of the player of an activity. Errors of other players are ignored.
  func setError(_ error: TheaterError, _ source: ActivitySession.ErrorSource) {
    guard let room = error.device.flatMap({ house.state.room(playing: $0) }) else { return }
    house[room].session.setError(error, source)
    house.publish(room)
  }

  /// Clears an error of the player of an activity.
  func clearError(_ source: ActivitySession.ErrorSource, of player: DeviceID) {
    for room in house.state.usedRooms where house[room].session.report.error?.device == player {
      house[room].session.clearError(source)
      house.publish(room)
    }
  }

  /// The error of a player that does not play its item any more.
  private func failure(
    _ reason: String?, of player: DeviceID, in activity: Activity?, at playback: PlaybackMonitor
  ) -> TheaterError {
    var hint = "\"resume\" tries it again at \(playback.position.positionText)."
    if let activity, case .end(let time) = activity.whenFailed {
      hint += " If nothing plays, \"\(activity.name)\" ends in \(time.words)."
    }
    return TheaterError(.deviceFailed, reason ?? "it stopped playing", hint: hint, device: player)
  }

  // MARK: Another try

  /// Returns the command that tries the current item again on its player, at the position at which that failed;
  /// `nil` if the player is not that of an activity, or goes on with the item by itself.
  func retryCommand(on player: any Device) async -> Command? {
    guard let room = house.state.room(playing: player.id),
      house[room].condition.needsRetry,
      [.running, .failed].contains(house[room].session.report.status)
    else { return nil }
    let status = await player.snapshot().state.playback?.status
    guard let item = house[room].session.report.item, status != .opening, status != .playing,
      status != .paused
    else { return nil }
    return player.role.playCommand(item, at: playback(in: room).position)
  }

  /// Gives a stuck player its whole time again, because a person tries the item again.
  func recordRetry(on player: DeviceID) {
    guard let room = house.state.room(playing: player) else { return }
    house[room].condition.restart(at: clock.now())
  }

  /// Records that a person has stopped a player, so that its activity waits for nothing any more.
  func recordStop(of player: DeviceID) {
    guard let room = house.state.room(playing: player),
      [.running, .failed].contains(house[room].session.report.status)
    else { return }
    house.update(room) { state in
      state.condition.stop(at: clock.now())
      state.session.clearFailure()
    }
  }
}

import Devices
import JSON
import Platform
import Scenes

/// Follows the player of the current activity: its current item, the user's position in it, and its
/// end.
@TheaterActor
final class PlaybackMonitor {
  /// Whether the player has reached the end of its disc or film.
  private(set) var hasEnded = false
  /// The item that the player was told to play, until it reports one.
  private var item: String?
  /// The length of the current item in seconds, if the library has it.
  private var duration: Double?
  /// Whether the player has reported the chosen item. Its reports before that are about earlier
  /// playback.
  private var isConfirmed = false
  /// The user for whom positions are saved.
  private var user: String?
  /// The time of the newest report that counts.
  private var reportTime = Duration.zero
  private let positions: PositionRecorder
  private let clock: any TheaterClock
  /// Saves the position in intervals. It goes on from one activity to the next: films that are begun in
  /// turn need no timer each.
  private var saving: Task<Void, Never>?

  nonisolated init(positions: PositionRecorder, clock: any TheaterClock) {
    self.positions = positions
    self.clock = clock
  }

  /// Follows a player that is about to play `item`.
  ///
  /// - Parameter user: The user for whom positions are saved; `nil` if none are.
  func begin(_ item: ItemChoice?, savingFor user: String?) {
    hasEnded = false
    isConfirmed = false
    reportTime = clock.now()
    self.item = item?.id
    duration = item?.duration
    self.user = user
    beginSaving()
  }

  /// Follows the player again after `end`: it plays on.
  func resume() { beginSaving() }

  private func beginSaving() {
    guard let user else { return }
    positions.begin(item: item, user: user)
    guard saving == nil else { return }
    saving = Task(executorPreference: ArrivalExecutor.shared) { await self.savePositions() }
  }

  private func savePositions() async {
    await positions.run()
    saving = nil
  }

  /// Takes the player's item as the current one from now on, whether or not it has ever reported the
  /// chosen one.
  func confirm() { isConfirmed = true }

  /// Whether a report of the player is about the current activity. Takes its item and its end if so.
  func accept(_ playback: Playback, at time: Duration) -> Bool {
    guard time >= reportTime else { return false }
    if !isConfirmed, playback.item == nil || playback.item != item { return false }
    isConfirmed = true
    reportTime = time
    item = playback.item ?? item
    hasEnded = playback.status == .ended
    return true
  }

  /// Sets the length in seconds of the current item.
  func setDuration(_ duration: Double?) { self.duration = duration }

  /// Saves the position that the player has reported, if it is due.
  func savePosition(of playback: Playback, at time: Duration) async {
    var playback = playback
    playback.duration = playback.duration ?? duration
    await positions.record(playback, at: time)
  }

  /// Stops the position: contact with the player is lost.
  func freezePosition() async { await positions.freezePosition(at: clock.now()) }

  /// Returns the position in seconds from which an item can be resumed; `nil` for its start.
  func savedPosition(of item: ItemChoice, user: String) async -> Double? {
    await positions.position(item: item.id, user: user, duration: item.duration)
  }

  /// Returns all saved positions of a user in seconds, the one that was saved last first.
  func savedPositions(of user: String) async -> [(item: UTF8Key, seconds: Double)] {
    await positions.positions(of: user)
  }

  /// Saves the position one last time and stops following.
  func end() async { await positions.end() }

  /// Saves the position one last time and ends everything.
  func shutDown() async {
    saving?.cancel()
    await end()
  }
}

extension DeviceState {
  /// The current item of a player; for a tuner between stations, its frequency.
  func currentItem(of role: Role) -> String? {
    if let item = playback?.item { return item }
    guard role.has(.tuning), power == .on, let number = self[.frequency]?.number else { return nil }
    switch self[.band]?.string {
    case "am": return StationFrequency.am(number).description
    case "fm": return StationFrequency.fm(number).description
    default: return nil
    }
  }
}

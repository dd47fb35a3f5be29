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
  /// The kind of the player's items.
  private var category = Category.films
  /// The length of the current item in seconds, if the library has it.
  private var duration: Double?
  /// Whether the current item is a part of an audio book.
  private var isAudiobook = false
  /// The position at which the item stands or moves; a player that fails or is lost leaves it there.
  private var place = Playback(.opening)
  private var placedAt = Duration.zero
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

  /// Follows a player of a category that is about to play `item`.
  ///
  /// - Parameters:
  ///   - resumedAt: The position at which the item begins, in seconds; `nil` for its start.
  ///   - user: The user for whom positions are saved; `nil` if none are.
  ///   - time: The time from which on reports are about this item.
  func begin(
    _ item: ItemChoice?, of category: Category, resumedAt: Double?, savingFor user: String?,
    since time: Duration
  ) {
    hasEnded = false
    isConfirmed = false
    reportTime = time
    self.item = item?.id
    self.category = category
    duration = item?.duration
    isAudiobook = item?.isAudiobook ?? false
    place = Playback(.opening, position: resumedAt ?? 0)
    placedAt = clock.now()
    self.user = user
    beginSaving()
  }

  /// Follows the player again after `end`: it plays on.
  func resume() { beginSaving() }

  private func beginSaving() {
    guard let user else { return }
    positions.begin(item: item, rule: rule(duration), user: user)
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
    if let reported = playback.item, reported != item {
      item = reported
      place = Playback(.opening)
    }
    hasEnded = playback.status == .ended
    setPlace(playback, at: time)
    return true
  }

  /// Takes the position of a report. A player that fails, stops or opens its item anew may report none.
  private func setPlace(_ playback: Playback, at time: Duration) {
    switch playback.status {
    case .playing, .paused: place = playback
    case .failed, .opening, .stopped, .ended:
      let isKnown = playback.position > 0
      place.position = isKnown ? playback.position : place.position(after: time - placedAt)
      place.duration = playback.duration ?? place.duration
      place.rate = 0
    }
    placedAt = time
  }

  /// The position in the current item, in seconds; where the player does not play it any more, the position at
  /// which that began.
  var position: Double { place.position(after: clock.now() - placedAt) }

  /// Sets the current item, as the library describes it.
  func setItem(_ item: ItemChoice) {
    duration = item.duration
    isAudiobook = item.isAudiobook
  }

  private func rule(_ duration: Double?) -> ResumeRule {
    ResumeRule(category: category, duration: duration, isAudiobook: isAudiobook)
  }

  /// Saves the present position.
  func savePosition() async { await positions.save() }

  /// Saves the position that the player has reported, if it is due.
  func savePosition(of playback: Playback, at time: Duration) async {
    var playback = playback
    playback.duration = playback.duration ?? duration
    if playback.status == .failed { playback.position = place.position }
    await positions.record(playback, rule: rule(playback.duration), at: time)
  }

  /// Stops the position: contact with the player is lost.
  func freezePosition() async {
    let now = clock.now()
    place.position = place.position(after: now - placedAt)
    place.rate = 0
    placedAt = now
    await positions.freezePosition(at: now)
  }

  /// Returns the position in seconds from which an item can be resumed; `nil` for its start.
  func savedPosition(of item: ItemChoice, _ category: Category, user: String) async -> Double? {
    let rule = ResumeRule(
      category: category, duration: item.duration, isAudiobook: item.isAudiobook)
    return await positions.position(item: item.id, user: user, rule: rule)
  }

  /// Waits until the positions that were saved so far are stored.
  func waitForWrites() async { await positions.waitForWrites() }

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

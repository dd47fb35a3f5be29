import Devices
import JSON
import Platform

/// The storage of the positions at which users left films and songs.
public protocol PositionStore: Sendable {
  /// Saves the position in seconds at which `user` left `item`.
  func save(_ seconds: Double, item: String, user: String) async throws
  /// Returns the position in seconds at which `user` left `item`; `nil` without one.
  func position(item: String, user: String) async throws -> Double?
  /// Returns all positions of `user` in seconds, the one that was saved last first.
  func positions(user: String) async throws -> [(item: String, seconds: Double)]
  /// Deletes the position of an item that was played to its end.
  func clear(item: String, user: String) async throws
}

extension PositionStore {
  /// Returns none: lists then show no positions.
  public func positions(user: String) -> [(item: String, seconds: Double)] { [] }
}

/// Saves the heard position of each item that a user plays, at most `interval` behind.
///
/// It follows a player from item to item: an item that was left keeps its position, one that was
/// played to its end has none. ``ResumeRule`` says which positions are kept.
@TheaterActor
final class PositionRecorder {
  /// Interval between saves of the position during playback.
  static let interval = Duration.seconds(4)

  private let store: any PositionStore
  private let clock: any TheaterClock
  private let writes: OrderedWrites
  private var session: Session?

  /// The playback of one user on one player.
  private struct Session {
    let user: String
    var item: String?
    var rule: ResumeRule
    var anchor: Playback?
    var anchoredAt = Duration.zero
    var saved: Double?
    /// Whether the item has no position in the store, because it is seen.
    var isCleared = false
  }

  nonisolated init(
    store: any PositionStore, clock: any TheaterClock, log: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.clock = clock
    writes = OrderedWrites(log: log)
  }

  /// Begins to save positions of `user`.
  ///
  /// - Parameter item: The item that the player is about to play, if it is known.
  func begin(item: String?, rule: ResumeRule, user: String) {
    session = Session(user: user, item: item, rule: rule)
  }

  /// Records a report of the player. Saves at once when the position stops moving or the item changes;
  /// clears the position of an item that has ended.
  ///
  /// - Parameter rule: The rule of the player's item.
  func record(_ playback: Playback, rule: ResumeRule, at time: Duration) async {
    guard let before = session else { return }
    let isAnother = playback.item != nil && playback.item != before.item
    session?.anchor = playback
    session?.anchoredAt = time
    session?.rule = rule
    if isAnother {
      session?.item = playback.item
      session?.saved = nil
      session?.isCleared = false
      await saveLeftItem(of: before, at: time)
    }
    switch playback.status {
    case .ended: if let item = playback.item ?? before.item { await clear(item, of: before.user) }
    case .paused: await save()
    case .playing where isAnother || before.anchor?.status != .playing: await save()
    case .failed where !isAnother:
      // The player says where it failed; the sound may have ended before the report.
      var failed = before
      failed.anchor = Playback(.paused, position: playback.position, duration: playback.duration)
      failed.anchoredAt = time
      failed.rule = rule
      await savePosition(of: failed, at: time)
      session?.saved = nil
    case .stopped where !isAnother, .opening where !isAnother:
      await savePosition(of: before, at: time)
      // A restart at the beginning is not the user's way back to it.
      session?.saved = nil
    case .stopped, .failed, .opening, .playing: break
    }
  }

  /// Stops the position at `time`: contact with the player is lost.
  func freezePosition(at time: Duration) async {
    guard var anchor = session?.anchor, let since = session?.anchoredAt else { return }
    anchor.position = anchor.position(after: time - since)
    anchor.rate = 0
    session?.anchor = anchor
    session?.anchoredAt = time
    await save()
    session?.saved = nil
  }

  /// Saves the present position.
  func save() async {
    if let session { await savePosition(of: session, at: clock.now()) }
  }

  /// Saves the position one last time and stops.
  func end() async {
    let ended = session
    session = nil
    if let ended { await savePosition(of: ended, at: clock.now()) }
  }

  /// Saves in intervals, until a user plays nothing or the task is cancelled.
  func run() async {
    while session != nil, (try? await clock.sleep(for: Self.interval)) != nil {
      await save()
    }
  }

  /// Waits until the positions that were saved so far are stored.
  func waitForWrites() async { await writes.wait() }

  /// Returns the position in seconds at which `user` left `item`; `nil` if the item begins at its start.
  func position(item: String, user: String, rule: ResumeRule) async -> Double? {
    await writes.wait()
    guard let position = try? await store.position(item: item, user: user),
      rule.isResumable(position)
    else { return nil }
    return position
  }

  /// Returns all saved positions of `user` in seconds, the one that was saved last first.
  func positions(of user: String) async -> [(item: UTF8Key, seconds: Double)] {
    await writes.wait()
    let saved = (try? await store.positions(user: user)) ?? []
    return saved.map { (item: UTF8Key($0.item), seconds: $0.seconds) }
  }

  /// Saves the position of an item that was left for another one. An item of unknown length may have
  /// been played to its end, and begins from its start next time.
  private func saveLeftItem(of session: Session, at time: Duration) async {
    guard let item = session.item, let anchor = session.anchor else { return }
    if anchor.duration == nil, anchor.status == .playing {
      await clear(item, of: session.user)
    } else {
      await savePosition(of: session, at: time)
    }
  }

  private func savePosition(of session: Session, at time: Duration) async {
    guard let item = session.item, let anchor = session.anchor, session.rule.keepsPositions,
      anchor.status == .playing || anchor.status == .paused
    else { return }
    let position = anchor.position(after: time - session.anchoredAt)
    if session.rule.isSeen(position) {
      // Once is enough: the credits may be long.
      if !session.isCleared { await clear(item, of: session.user) }
      return
    }
    if session.rule.isBeginning(position) {
      // An earlier position stays until this user has played past the beginning and has come back.
      if session.saved != nil { await clear(item, of: session.user) }
      return
    }
    guard position != session.saved else { return }
    let isSaved = await write("the position of \"\(item)\" could not be saved") { store in
      try await store.save(position, item: item, user: session.user)
    }
    if isSaved, self.session?.item == item {
      self.session?.saved = position
      self.session?.isCleared = false
    }
  }

  private func clear(_ item: String, of user: String) async {
    if session?.item == item { session?.saved = nil }
    let isCleared = await write("the position of \"\(item)\" could not be cleared") { store in
      try await store.clear(item: item, user: user)
    }
    if isCleared, session?.item == item { session?.isCleared = true }
  }

  private func write(
    _ failure: String, _ body: @escaping @Sendable (any PositionStore) async throws -> Void
  ) async -> Bool {
    await writes.write(failure) { [store] in try await body(store) }.value
  }
}

import Devices

/// Keeps the heard position of what a person plays, at most `interval` behind.
actor PositionKeeper {
  /// How often the position is saved while something plays.
  static let interval = Duration.seconds(4)

  private let store: any PositionStore
  private let clock: any TheaterClock
  private let log: @Sendable (String) -> Void
  private var played: Played?

  private struct Played {
    let user: String
    let item: String
    var anchor: Playback?
    var anchoredAt = Duration.zero
    var saved: Double?
  }

  init(
    store: any PositionStore, clock: any TheaterClock, log: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.log = log
  }

  /// Follows `item` for `user` from now on.
  func begin(item: String, user: String) { played = Played(user: user, item: item) }

  /// Takes what the player reports. Whatever stops the position from moving is saved at once.
  func take(_ playback: Playback, at time: Duration) async {
    guard var current = played, playback.item == current.item else { return }
    let before = current.anchor
    current.anchor = playback
    current.anchoredAt = time
    played = current
    switch playback.status {
    case .ended: await clear(current)
    case .paused: await save()
    case .playing where before?.status != .playing: await save()
    case .stopped, .failed, .opening, .playing: break
    }
  }

  /// Saves where the item is now.
  func save() async {
    guard let current = played, let anchor = current.anchor else { return }
    guard anchor.status == .playing || anchor.status == .paused else { return }
    let position = anchor.position(after: clock.now() - current.anchoredAt)
    guard position >= 1, position != current.saved else { return }
    do {
      try await store.save(position, item: current.item, user: current.user)
      if played?.item == current.item { played?.saved = position }
    } catch {
      log("the position of \"\(current.item)\" could not be saved: \(error)")
    }
  }

  /// Saves the position one last time and follows nothing any more.
  func end() async {
    await save()
    played = nil
  }

  /// Saves in intervals until cancelled.
  func run() async {
    while (try? await clock.sleep(until: clock.now() + Self.interval)) != nil { await save() }
  }

  /// Where `user` left `item`, unless so near to the beginning that it is not worth offering.
  func place(item: String, user: String) async -> Double? {
    guard let position = try? await store.position(item: item, user: user), position >= 1 else {
      return nil
    }
    return position
  }

  private func clear(_ ended: Played) async {
    played = nil
    do {
      try await store.clear(item: ended.item, user: ended.user)
    } catch {
      log("the position of \"\(ended.item)\" could not be cleared: \(error)")
    }
  }
}

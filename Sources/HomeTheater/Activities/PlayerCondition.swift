import Devices

/// Whether the player of an activity goes on with the item that a person chose.
///
/// A player that fails, waits for its medium, is lost or has started anew is stuck, without a command. It is
/// stuck until it plays, or until a person stops it.
struct PlayerCondition: Sendable, Hashable {
  enum State: Sendable, Hashable {
    /// It plays, or is about to.
    case playing
    /// It is paused, stopped by a person, or at the end.
    case resting
    /// `since` is the time of the fault, or of the newest attempt of a person to play the item again.
    case stuck(since: Duration)
    /// The controller has stopped it by ending. Nothing else ends the activity because of that.
    case interrupted
  }
  private(set) var state = State.playing
  /// The generation of the player in which it was active last.
  private var generation: Int?
  /// The time of its newest report. Older ones do not count.
  private var reportTime: Duration
  /// Whether a scene that begins or ends the activity has failed since the player played last.
  private var hasSceneFailed = false
  /// When a person stopped it. Older reports do not make it stuck again.
  private var stopTime: Duration?

  /// - Parameter time: The time at which the activity began. Earlier reports are about other playback.
  init(since time: Duration = .zero) { reportTime = time }

  /// `nil` unless it is stuck.
  var stuckSince: Duration? {
    if case .stuck(let since) = state { since } else { nil }
  }

  /// Whether `resume` gives it its item again.
  var needsRetry: Bool { stuckSince != nil || state == .interrupted }

  /// Records that the controller has stopped the player by ending.
  mutating func interrupt() { state = .interrupted }

  /// Updates the condition from the newest snapshot; `nil` for a player that is not configured any more.
  mutating func update(_ snapshot: DeviceSnapshot?, at now: Duration) {
    guard let snapshot, snapshot.isReachable else {
      // A paused or stopped player is not expected to play.
      if state == .playing { state = .stuck(since: now) }
      return
    }
    guard let reading = snapshot.state.readings[.playback], reading.time >= reportTime,
      let playback = snapshot.state.playback
    else { return }
    reportTime = reading.time
    switch playback.status {
    case .playing: end(.playing)
    case .paused, .ended: end(.resting)
    case .stopped where state == .interrupted: break
    case .failed, .opening:
      if let stopTime, reading.time <= stopTime { return }
      if stuckSince == nil { state = .stuck(since: now) }
    case .stopped:
      guard !hasSceneFailed, generation ?? snapshot.generation == snapshot.generation else {
        // A plugin that has started anew reports "stopped"; no person has stopped it.
        if state == .playing { state = .stuck(since: now) }
        return
      }
      end(.resting)
    }
    generation = snapshot.generation
  }

  /// Records that the scene that begins or ends the activity has failed. The player is stuck, unless it plays
  /// nevertheless.
  mutating func failScene(at now: Duration) {
    hasSceneFailed = true
    state = .stuck(since: now)
  }

  /// Records that a person tries the item again: the time of a stuck player counts anew.
  mutating func restart(at now: Duration) {
    if stuckSince != nil { state = .stuck(since: now) }
  }

  /// Records that a person has stopped the player.
  mutating func stop(at now: Duration) {
    end(.resting)
    stopTime = now
  }

  private mutating func end(_ state: State) {
    self.state = state
    hasSceneFailed = false
    stopTime = nil
  }
}

import Devices
import JSON

/// A disc player's mechanism as a value: what it does at which time. It waits for nothing and
/// reports nothing itself.
struct DiscMechanism: Sendable {
  enum Tray: String, Sendable { case open, closed, moving }

  let recordings: [Recording]
  /// How long the tray moves, and how long a disc takes until it sounds.
  let trayTime: Duration
  let loadTime: Duration
  /// Whether the next recording follows by itself, as on a CD.
  let goesOn: Bool

  private(set) var power = Power.off
  private(set) var tray = Tray.closed
  private(set) var status = Playback.Status.stopped
  /// Which recording is in the machine.
  private(set) var current: Int?
  /// The position at `since`, in seconds.
  private var position = 0.0
  private var since = Duration.zero
  /// When an opening tray is open.
  private var trayOpens: Duration?
  /// When it begins to sound.
  private var ready: Duration?
  private var nextAnchor: Duration?

  /// Rises whenever sound begins anew or jumps.
  private(set) var take = 0
  /// Songs that were played to their end since the last report, each at its end.
  private var ends: [Playback] = []
  /// The take whose end was heard while it was paused: the two may cross each other.
  private var drainedTake: Int?
  /// Whether the cable says what is heard; else the clock does.
  private(set) var isPlugged = false

  private static let anchorInterval = Duration.seconds(5)

  init(_ recordings: [Recording], trayTime: Duration, loadTime: Duration, goesOn: Bool) {
    self.recordings = recordings
    self.trayTime = trayTime
    self.loadTime = loadTime
    self.goesOn = goesOn
  }

  /// What is in the machine.
  var recording: Recording? {
    current.flatMap { recordings.indices.contains($0) ? recordings[$0] : nil }
  }

  /// Where it is heard, in seconds from the beginning.
  func position(at now: Duration) -> Double {
    let moved = status == .playing ? position + (now - since).seconds : position
    return min(max(0, moved), recording?.duration ?? 0)
  }

  /// From now on the cable says what is heard.
  mutating func plug(at now: Duration) {
    position = position(at: now)
    since = now
    isPlugged = true
  }

  /// Takes over what the cable says is heard.
  mutating func align(to heard: Double, at now: Duration) {
    guard status == .playing || status == .paused else { return }
    position = heard
    since = now
  }

  func playback(at now: Duration) -> Playback {
    guard let recording, status != .stopped else { return Playback(.stopped) }
    return Playback(
      status, item: recording.id, position: position(at: now), duration: recording.duration)
  }

  /// The songs that the disc has gone on from by itself, for one report each.
  mutating func takeEnds() -> [Playback] {
    defer { ends = [] }
    return ends
  }

  // MARK: Commands

  mutating func turnOn() { power = .on }

  mutating func turnOff(at now: Duration) {
    stop(at: now)
    ready = nil
    power = .off
  }

  mutating func stop(at now: Duration) {
    set(.stopped, at: 0, now)
    ready = nil
    // A tray that was closing for the disc still closes.
    if tray == .moving, trayOpens == nil { tray = .closed }
  }

  mutating func eject(at now: Duration) {
    stop(at: now)
    current = nil
    guard tray != .open else { return }
    tray = trayTime > .zero ? .moving : .open
    trayOpens = trayTime > .zero ? now + trayTime : nil
  }

  mutating func begin(_ index: Int, at start: Double, _ now: Duration) {
    let closing = tray == .closed ? .zero : trayTime
    current = index
    trayOpens = nil
    tray = closing > .zero ? .moving : .closed
    let wait = closing + (status == .playing || status == .paused ? .zero : loadTime)
    set(wait > .zero ? .opening : .playing, at: start, now)
    ready = wait > .zero ? now + wait : nil
  }

  mutating func pause(at now: Duration) {
    guard status == .playing || status == .opening else { return }
    let isLoaded = status == .playing
    ready = nil
    tray = tray == .moving ? .closed : tray
    set(.paused, at: position(at: now), now, isJump: !isLoaded)
  }

  mutating func resume(at now: Duration) {
    guard status == .paused else { return }
    set(.playing, at: position, now, isJump: false)
    if drainedTake == take { finish(at: now) }
  }

  /// Goes to a place in the same recording, playing or paused as before.
  mutating func seek(to position: Double, at now: Duration) { set(status, at: position, now) }

  // MARK: Time

  /// Does what is due.
  ///
  /// - Returns: Whether there is something to report, and when it wants to be called again.
  mutating func advance(to now: Duration) -> (changed: Bool, next: Duration?) {
    var changed = false
    if let opens = trayOpens, opens <= now {
      tray = .open
      trayOpens = nil
      changed = true
    }
    if let ready, ready <= now {
      self.ready = nil
      tray = .closed
      set(.playing, at: position, ready)
      changed = true
    }
    while let end, end <= now {
      finish(at: end)
      changed = true
    }
    if let anchor = nextAnchor, anchor <= now {
      nextAnchor = now + Self.anchorInterval
      changed = true
    }
    return (changed, [trayOpens, ready, end, nextAnchor].compactMap { $0 }.min())
  }

  /// The cable has carried the last frame of `take` to the ear.
  mutating func drained(take number: Int, at now: Duration) {
    guard number == take else { return }
    if status == .playing { finish(at: now) } else { drainedTake = number }
  }

  /// When the recording will have been heard by the clock.
  private var end: Duration? {
    guard status == .playing, !isPlugged, let recording else { return nil }
    return since + .seconds(max(0, recording.duration - position))
  }

  private mutating func finish(at end: Duration) {
    if goesOn, let current, current + 1 < recordings.count {
      let duration = recordings[current].duration
      ends.append(
        Playback(
          .playing, item: recordings[current].id, position: duration, duration: duration, rate: 0))
      self.current = current + 1
      set(.playing, at: 0, end)
    } else {
      set(.ended, at: recording?.duration ?? 0, end)
    }
  }

  private mutating func set(
    _ status: Playback.Status, at position: Double, _ now: Duration, isJump: Bool = true
  ) {
    if isJump { take += 1 }
    self.status = status
    self.position = position
    since = now
    nextAnchor = status == .playing ? now + Self.anchorInterval : nil
  }
}

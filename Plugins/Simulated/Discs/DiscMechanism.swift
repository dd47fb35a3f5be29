import Devices
import JSON

/// The state machine of a disc player: power, tray, disc and playback at any time. It neither waits nor
/// reports.
struct DiscMechanism: Sendable {
  enum Tray: String, Sendable { case open, closed, moving }

  /// A command for a player that is on.
  enum Action: Sendable {
    case play(PlayRequest), pause, stop, eject, seek(Double), next, previous
  }

  /// The words in messages that differ between kinds of player.
  struct Nouns: Sendable {
    let player: String
    let recording: String
    let part: String
  }

  /// Within so many seconds of a part's beginning, `previous` means the part before.
  private static let restartLimit = 3.0

  let recordings: [Recording]
  let nouns: Nouns
  /// How long the tray moves.
  let trayTime: Duration
  /// How long a disc takes from the closed tray to its first sound.
  let loadTime: Duration
  /// Whether the next recording follows by itself, as on a CD.
  let playsOn: Bool

  private(set) var power = Power.off
  private(set) var tray = Tray.closed
  private(set) var status = Playback.Status.stopped
  /// The index of the current recording.
  private(set) var current: Int?
  /// The position at `since`, in seconds.
  private var position = 0.0
  private var since = Duration.zero
  /// When an opening tray is open.
  private var trayOpens: Duration?
  /// When the sound begins.
  private var ready: Duration?
  private var nextAnchor: Duration?

  /// Rises whenever the sound begins again or jumps.
  private(set) var epoch = 0
  /// Songs that were played to their end since the last report, each at its end.
  private var ends: [Playback] = []
  /// The epoch whose end was heard after a pause: the cable's report and the command may cross.
  private var drainedEpoch: Int?
  /// Whether the cable reports the heard position; otherwise the clock determines it.
  private(set) var isPlugged = false

  private static let anchorInterval = Duration.seconds(5)

  init(
    _ recordings: [Recording], nouns: Nouns, trayTime: Duration, loadTime: Duration, playsOn: Bool
  ) {
    self.recordings = recordings
    self.nouns = nouns
    self.trayTime = trayTime
    self.loadTime = loadTime
    self.playsOn = playsOn
  }

  /// The current recording.
  var recording: Recording? {
    current.flatMap { recordings.indices.contains($0) ? recordings[$0] : nil }
  }

  /// Returns the heard position, in seconds from the beginning.
  func position(at now: Duration) -> Double {
    let moved = status == .playing ? position + (now - since).seconds : position
    return min(max(0, moved), recording?.duration ?? 0)
  }

  /// Uses the heard position of the cable from now on.
  mutating func followCable(at now: Duration) {
    position = position(at: now)
    since = now
    isPlugged = true
  }

  /// Sets the position that was heard on the cable, in seconds.
  mutating func setHeardPosition(_ heard: Double, at now: Duration) {
    guard status == .playing || status == .paused else { return }
    position = heard
    since = now
  }

  /// Returns the playback state for a report.
  func playback(at now: Duration) -> Playback {
    guard let recording, status != .stopped else { return Playback(.stopped) }
    return Playback(
      status, item: recording.id, position: position(at: now), duration: recording.duration)
  }

  /// Removes and returns the songs that have ended since the last call, for one report each.
  mutating func removeEnds() -> [Playback] {
    defer { ends = [] }
    return ends
  }

  // MARK: Commands

  mutating func turnOn() { power = .on }

  /// Performs a command on a player that is on.
  mutating func perform(_ action: Action, at now: Duration) throws(DeviceError) {
    switch action {
    case .play(let request): try play(request, at: now)
    case .pause: pause(at: now)
    case .stop: stop(at: now)
    case .eject: eject(at: now)
    case .seek(let position): try seek(to: position, at: now)
    case .next: try skip(by: 1, at: now)
    case .previous: try skip(by: -1, at: now)
    }
  }

  mutating func turnOff(at now: Duration) {
    stop(at: now)
    ready = nil
    power = .off
  }

  private mutating func stop(at now: Duration) {
    set(.stopped, at: 0, now)
    ready = nil
    // A tray that was closing for the disc still closes.
    if tray == .moving, trayOpens == nil { tray = .closed }
  }

  private mutating func eject(at now: Duration) {
    stop(at: now)
    current = nil
    guard tray != .open else { return }
    tray = trayTime > .zero ? .moving : .open
    trayOpens = trayTime > .zero ? now + trayTime : nil
  }

  private mutating func begin(_ index: Int, at start: Double, _ now: Duration) {
    let closing = tray == .closed ? .zero : trayTime
    current = index
    trayOpens = nil
    tray = closing > .zero ? .moving : .closed
    let wait = closing + (status == .playing || status == .paused ? .zero : loadTime)
    set(wait > .zero ? .opening : .playing, at: start, now)
    ready = wait > .zero ? now + wait : nil
  }

  private mutating func pause(at now: Duration) {
    guard status == .playing || status == .opening else { return }
    let isLoaded = status == .playing
    ready = nil
    tray = tray == .moving ? .closed : tray
    set(.paused, at: position(at: now), now, isJump: !isLoaded)
  }

  private mutating func resume(at now: Duration) {
    guard status == .paused else { return }
    set(.playing, at: position, now, isJump: false)
    if drainedEpoch == epoch { finish(at: now) }
  }

  /// Goes to a position in seconds in the current recording, playing or paused as before.
  private mutating func seek(to position: Double, at now: Duration) throws(DeviceError) {
    guard let recording, status == .playing || status == .paused else { throw notPlaying }
    try check(position, in: recording)
    set(status, at: position, now)
  }

  private mutating func play(_ request: PlayRequest, at now: Duration) throws(DeviceError) {
    if request.item == nil, request.position == nil {
      if status == .paused { return resume(at: now) }
      if status == .playing { return }
    }
    let index = try index(of: request.item)
    let position = request.position ?? 0
    try check(position, in: recordings[index])
    begin(index, at: position, now)
  }

  private func index(of item: String?) throws(DeviceError) -> Int {
    guard let item else {
      if let current { return current }
      guard !recordings.isEmpty else {
        throw DeviceError(
          .notNow, "there is no disc in it", hint: "Name a \(nouns.recording) in its options.")
      }
      return 0
    }
    if let index = recordings.firstIndex(where: { $0.id == item }) { return index }
    let ids = recordings.map(\.id)
    throw DeviceError(
      .invalid, "there is no \(nouns.recording) \"\(item)\" in it",
      hint: nearest(to: item, in: ids).map { "Did you mean \"\($0)\"?" }
        ?? "It has: \(ids.joined(separator: ", ")).")
  }

  private func check(_ position: Double, in recording: Recording) throws(DeviceError) {
    guard position < recording.duration else {
      throw DeviceError(
        .invalid, "\"\(recording.title)\" lasts \(JSON.number(recording.duration)) s",
        hint: "Choose a position before its end.")
    }
  }

  /// Goes to the next or previous part: a film's chapter, or a song. A step back leads to the current
  /// part's beginning first.
  private mutating func skip(by step: Int, at now: Duration) throws(DeviceError) {
    guard let current, let recording, status == .playing || status == .paused else {
      throw notPlaying
    }
    let position = position(at: now)
    let starts = recording.chapterStarts
    let chapter = starts.lastIndex { $0 <= position } ?? 0
    let restarts = step < 0 && position - starts[chapter] > Self.restartLimit
    let wanted = restarts ? chapter : chapter + step
    if starts.indices.contains(wanted) {
      set(status, at: starts[wanted], now)
    } else if playsOn, recordings.indices.contains(current + step) {
      begin(current + step, at: 0, now)
    } else if step < 0 {
      set(status, at: 0, now)
    } else {
      throw DeviceError(.notNow, "this is the last \(nouns.part)", hint: "Choose another.")
    }
  }

  private var notPlaying: DeviceError {
    DeviceError(.notNow, "nothing is playing", hint: "Play a \(nouns.recording) first.")
  }

  // MARK: Time

  /// Does the actions that are due.
  ///
  /// - Returns: Whether there is something to report, and the time of the next call.
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
    return (changed, due)
  }

  /// When the next action is due.
  var due: Duration? { [trayOpens, ready, end, nextAnchor].compactMap { $0 }.min() }

  /// Records that the last frame of an epoch was heard.
  mutating func finish(epoch number: Int, at now: Duration) {
    guard number == epoch else { return }
    if status == .playing { finish(at: now) } else { drainedEpoch = number }
  }

  /// When the recording ends by the clock; nil with a cable.
  private var end: Duration? {
    guard status == .playing, !isPlugged, let recording else { return nil }
    return since + .seconds(max(0, recording.duration - position))
  }

  private mutating func finish(at end: Duration) {
    if playsOn, let current, current + 1 < recordings.count {
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
    if isJump { epoch += 1 }
    self.status = status
    self.position = position
    since = now
    nextAnchor = status == .playing ? now + Self.anchorInterval : nil
  }
}

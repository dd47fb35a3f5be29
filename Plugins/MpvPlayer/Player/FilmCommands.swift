import Devices
import JSON
import MediaFolders
import Platform
import PluginProtocol

/// The commands of a player.
extension FilmModel {
  /// What a `play` means.
  enum PlayDecision: Equatable {
    /// The medium plays already.
    case report
    case resume
    /// Opens an item; nil for the one that the library chooses.
    case open(item: String?, seconds: Double)
  }

  /// Decides what a `play` means now. A medium that failed or is being opened goes on at its position.
  func decide(_ request: PlayRequest, at now: Duration) -> PlayDecision {
    guard request.item == nil, request.position == nil else {
      return .open(item: request.item ?? item, seconds: request.position ?? 0)
    }
    switch record.status {
    case .playing: return wish == .pause ? .resume : .report
    case .paused: return .resume
    case .opening, .failed: return .open(item: item, seconds: record.position(at: now))
    case .stopped, .ended: return .open(item: item, seconds: 0)
    }
  }

  /// Returns the present report.
  mutating func report(at now: Duration) -> Effect {
    lastReport = now
    return .report(record.playback(at: now))
  }

  /// Opens a medium and plays it.
  mutating func play(_ start: Start, at now: Duration) -> [Effect] {
    command = .play
    wish = nil
    restarts.reset()
    // An mpv that waits for a dead disk or share would first wait for the end of that.
    let effects = record.isStalled ? [kill()] : []
    return effects + begin(FilmOpening(start), at: now)
  }

  mutating func pause(at now: Duration) -> [Effect] {
    command = .pause
    switch record.status {
    case .playing: return ask(.pause)
    case .paused where wish == .resume: return ask(.pause)
    case .paused, .stopped, .ended: return [report(at: now), finish()]
    case .opening, .failed:
      guard pauseOpening() else {
        return [finish(DeviceError(.notNow, "nothing is playing"))]
      }
      return [finish()]
    }
  }

  /// Asks mpv to pause or to go on.
  private mutating func ask(_ wish: Wish) -> [Effect] {
    self.wish = wish
    return [.ask(ticket, wish == .pause ? .pause : .resume)]
  }

  /// Makes the medium that is being opened begin paused. Returns false if none is being opened.
  mutating func pauseOpening() -> Bool {
    guard case .opening(var opening) = stage else { return false }
    opening.start.isPaused = true
    stage = .opening(opening)
    return true
  }

  /// Plays a paused medium.
  mutating func resume(at now: Duration) -> [Effect] {
    command = .resume
    wish = nil
    guard let medium else {
      // Between two songs: the next one plays.
      record.setStatus(.playing, at: record.position(at: now), now: now)
      return [report(at: now), finish()]
    }
    if entry.isHeld { return ask(.resume) }
    return begin(FilmOpening(Start(medium: medium, seconds: record.position(at: now))), at: now)
  }

  /// Stops what is played or opened.
  mutating func stop() -> [Effect] {
    let effects = giveUpCommand()
    (command, wish) = (.stop, nil)
    leave(.stopped)
    return effects + [.ask(ticket, .stop)]
  }

  /// Drops the command, because a newer one has replaced it. Stops a medium that it was opening.
  mutating func cancel() -> [Effect] {
    defer { command = nil }
    guard command == .play || command == .resume, case .opening = stage else { return [] }
    wish = nil
    leave(.stopped)
    return [.ask(ticket, .stop)]
  }

  /// Whether the medium plays, and is not paused.
  var isPlaying: Bool { hasMedium && record.status == .playing }

  /// Whether a seek is possible now.
  var canSeek: Bool {
    guard case .running = stage else { return false }
    return isActive && record.facts.isSeekable
  }

  mutating func seek(to seconds: Double, at now: Duration) -> [Effect] {
    command = .seek
    guard case .running(let medium) = stage, isActive else { return [finish(.nothingPlays)] }
    guard record.facts.isSeekable else {
      return [
        finish(DeviceError(.unsupported, "this medium has no other positions to go to"))
      ]
    }
    let wanted = record.facts.duration.map { min(seconds, $0) } ?? seconds
    nextTicket(at: now)
    entry.beginSeek()
    stage = .seeking(medium, to: wanted, until: now + Self.longestSeek)
    return [.ask(ticket, .seek(wanted))]
  }

  /// What `next` or `previous` means.
  enum SkipDecision: Equatable {
    case seek(Double)
    /// Opens the song this many places after the present item; the start says how.
    case open(steps: Int, from: String, isPaused: Bool)
    case refuse(DeviceError)
  }

  /// Decides what `next` (`steps` 1) or `previous` (`steps` -1) means.
  func decideSkip(_ steps: Int, at now: Duration) -> SkipDecision {
    guard let medium, isActive else { return .refuse(.nothingPlays) }
    let seconds = record.position(at: now)
    switch record.facts.chapterStep(steps, from: seconds) {
    case .begin(let begin): return .seek(begin)
    case .behindLast where medium.isAudioCD: return .refuse(.lastSong)
    case .behindLast: return .refuse(DeviceError(.notNow, "this is the last chapter"))
    case nil: break
    }
    if steps < 0, seconds > MediaFacts.restartLimit || !isCD { return .seek(0) }
    guard isCD else { return .refuse(DeviceError(.notNow, "this film has no chapters")) }
    return .open(steps: steps, from: medium.item, isPaused: record.status == .paused)
  }

  mutating func finish(_ error: DeviceError? = nil) -> Effect {
    command = nil
    return .finish(error.map { .failure($0) } ?? .success(()))
  }

  /// Ends the command if it is this one, and not a newer one.
  mutating func finish(_ own: Command, _ error: DeviceError? = nil) -> [Effect] {
    command == own ? [finish(error)] : []
  }

  /// Ends a command that waits for what does not come any more.
  mutating func giveUpCommand() -> [Effect] {
    command == nil ? [] : [finish(.replaced)]
  }

  mutating func nextTicket(at now: Duration) {
    ticket += 1
    poll = (false, now)
    progress.reset()
  }

  /// Kills mpv.
  mutating func kill() -> Effect {
    forgetProcess()
    return .kill
  }

  /// Forgets what the process said, because it has ended or was killed. The next one numbers its media from 1 again.
  mutating func forgetProcess() {
    entry = MpvEntry()
    appended = nil
    firstTicketOfProcess = ticket + 1
  }
}

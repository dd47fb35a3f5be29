import Devices
import JSON
import Platform
import PluginProtocol

/// mpv's answers to pauses and their ends. They are adopted whether or not their command still waits, because they say
/// what mpv does, and also after the medium has ended or mpv was started again.
extension FilmModel {
  /// Handles the answer to a pause or a resume; nil for other answers.
  mutating func handleWish(_ answer: Answer, at now: Duration) -> [Effect]? {
    switch answer {
    case .paused(let position): return adoptPause(at: position, now: now)
    case .notPaused(let failure): return handleRefusedPause(failure)
    case .resumed: return adoptResume(at: now)
    case .notResumed(let failure): return handleRefusedResume(failure, at: now)
    default: return nil
    }
  }

  private mutating func adoptPause(at position: Double?, now: Duration) -> [Effect] {
    // After a newer resume, mpv plays again.
    guard wish == .pause else { return [] }
    wish = nil
    // The next medium is being opened meanwhile, or the same one again.
    guard !pauseOpening(), record.status == .playing else { return finish(.pause) }
    record.setStatus(.paused, at: position ?? record.position(at: now), now: now)
    return [report(at: now)] + finish(.pause)
  }

  private mutating func handleRefusedPause(_ failure: MpvFailure) -> [Effect] {
    guard wish == .pause else { return [] }
    wish = nil
    if pauseOpening() || record.status != .playing { return finish(.pause) }
    return finish(.pause, .notPaused(failure))
  }

  private mutating func adoptResume(at now: Duration) -> [Effect] {
    guard wish == .resume else { return [] }
    wish = nil
    if let effects = resumeOpening(at: now) { return effects }
    guard record.status == .paused || record.status == .playing else { return finish(.resume) }
    record.setStatus(.playing, at: record.position(at: now), now: now)
    return [report(at: now)] + setStalled(entry.isStalled, at: now) + finish(.resume)
  }

  private mutating func handleRefusedResume(_ failure: MpvFailure, at now: Duration) -> [Effect] {
    guard wish == .resume else { return [] }
    wish = nil
    if let effects = resumeOpening(at: now) { return effects }
    guard let medium else { return finish(.resume, DeviceError(.failed, failure.text)) }
    guard command == .resume else {
      return failure == .timeout ? restart("mpv does not answer", at: now) : []
    }
    let start = Start(medium: medium, seconds: record.position(at: now))
    return (failure == .timeout ? [kill()] : []) + begin(FilmOpening(start), at: now)
  }

  /// Makes the medium that is being opened again begin to play; its command ends then. Nil if none is being opened.
  private mutating func resumeOpening(at now: Duration) -> [Effect]? {
    guard case .opening(var opening) = stage else { return nil }
    opening.start.isPaused = false
    if opening.isPausedInProcess { return attempt(opening, at: now) }
    stage = .opening(opening)
    return []
  }
}

import Devices
import JSON
import MediaFolders
import MediaNames
import Platform
import PluginProtocol

/// The openings of media.
extension FilmModel {
  mutating func begin(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    entry.unload()
    let start = opening.start
    if record.item != start.medium.item { record.facts = MediaFacts() }
    record.item = start.medium.item
    record.setStatus(.opening, at: start.seconds, now: now)
    let announcement = start.isAnnounced ? [report(at: now)] : []
    return announcement + attempt(opening, at: now)
  }

  /// Gives up an opening. If a film that has played before lacks only its display, waits for the display instead.
  mutating func giveUp(
    _ opening: FilmOpening, _ reason: String, at now: Duration
  ) -> [Effect] {
    guard reason == entry.noPicture, let limit = opening.displayDeadline, now < limit else {
      return abandon(reason)
    }
    record.reason = "waiting for the display"
    return [kill(), report(at: now)] + wait(Self.displayInterval, before: opening, at: now)
  }

  /// Asks mpv to load the medium of an opening.
  mutating func attempt(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    var opening = opening
    nextTicket(at: now)
    appended = nil
    entry.beginOpening()
    opening.step = .requested(isPaused: opening.start.isPaused)
    stage = .opening(opening)
    return [.ask(ticket, .open(opening.start))]
  }

  /// Opens the medium again after mpv crashed or did not answer.
  mutating func retry(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    guard let pause = restarts.restart(at: now) else { return abandon(.tooManyRestarts) }
    return wait(pause, before: opening, at: now)
  }

  mutating func wait(
    _ pause: Duration, before opening: FilmOpening, at now: Duration
  ) -> [Effect] {
    guard pause > .zero else { return attempt(opening, at: now) }
    var opening = opening
    nextTicket(at: now)
    opening.step = .waiting(until: now + pause)
    stage = .opening(opening)
    return []
  }

  /// Goes on with an opening as far as mpv's events allow.
  mutating func advance(at now: Duration) -> [Effect] {
    guard case .opening(var opening) = stage else { return [] }
    switch opening.step {
    case .requested, .readingFacts, .waiting: return []
    case .replacing(let isPaused, _):
      guard entry.hasBegun else { return [] }
      opening.step = .loading(isPaused: isPaused, until: now + Self.longestOpening)
      stage = .opening(opening)
      return advance(at: now)
    case .loading, .starting:
      if let failure = entry.failure { return giveUp(opening, failure, at: now) }
      if entry.isPlaying {
        opening.step = .checking(isPaused: opening.isPausedInProcess)
        stage = .opening(opening)
        return [.ask(ticket, .checkOutputs(record.facts))]
      }
      if entry.hasEnded { return endEarly(opening, at: now) }
      if case .loading(let isPaused, _) = opening.step, entry.isLoaded {
        opening.step = .readingFacts(isPaused: isPaused)
        stage = .opening(opening)
        return [.ask(ticket, .readFacts(opening.start.medium))]
      }
      return []
    case .checking, .settling: return []
    }
  }

  /// Handles the end of a medium that has not begun to play, because it begins shortly before its end.
  mutating func endEarly(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    adoptScannedDuration(of: opening.start.medium)
    record.setStatus(.playing, at: opening.start.seconds, now: now)
    stage = .running(opening.start.medium)
    return [report(at: now), finish()] + endMedium(at: now)
  }

  mutating func handleOpening(
    _ answer: Answer, _ opening: FilmOpening, at now: Duration
  ) -> [Effect] {
    var opening = opening
    switch (answer, opening.step) {
    case (.opened(let number), .requested(let isPaused)):
      entry.load(number)
      opening.step = .replacing(isPaused: isPaused, until: now + Self.patienceWhileLoading)
    case (.facts(let facts), .readingFacts(let isPaused)):
      record.facts = facts
      opening.step = .starting(isPaused: isPaused, until: now + Self.longestOpening)
    case (.outputs(let facts, let isWithoutSound, let isWithoutPicture), .checking(let isPaused)):
      if let failure = entry.failure { return giveUp(opening, failure, at: now) }
      if !entry.hasEnded {
        adopt(facts)
        if isWithoutSound { return abandon(noSound) }
        if isWithoutPicture { return giveUp(opening, entry.noPicture, at: now) }
      }
      let pauses = opening.start.isPaused && !isPaused
      opening.step = .settling(isPaused: isPaused || pauses)
      stage = .opening(opening)
      return [.ask(ticket, .settle(pauses: pauses))]
    case (.settled(let position), .settling(let isPaused)):
      if opening.start.isPaused, !isPaused {
        opening.step = .settling(isPaused: true)
        stage = .opening(opening)
        return [.ask(ticket, .settle(pauses: true))]
      }
      return run(opening, isPaused: isPaused, at: position ?? opening.start.seconds, now: now)
    case (.lost, .settling(let isPaused)):
      return run(opening, isPaused: isPaused, at: opening.start.seconds, now: now)
    case (.lost, _): return [kill()] + retry(opening, at: now)
    case (.failed(let reason), _): return abandon(reason)
    case (.noPosition(let failure), _):
      // mpv answers during the other steps as well, but their requests have limits of their own.
      guard opening.isPolled, failure == .timeout || failure == .closed else { return [] }
      return [kill()] + retry(opening, at: now)
    default: return []
    }
    stage = .opening(opening)
    return advance(at: now)
  }

  var noSound: String {
    "the sound cannot be played: the audio device \(audioDevice) could not be opened\(entry.logText)"
  }

  /// Adopts the facts of a medium that plays. Its outputs may have changed the tracks.
  mutating func adopt(_ facts: MediaFacts) {
    // If the medium has ended meanwhile, mpv has forgotten its facts: keep the earlier ones.
    guard !facts.tracks.isEmpty else { return }
    let duration = record.facts.duration
    record.facts = facts
    record.facts.duration = facts.duration ?? duration
  }

  mutating func adoptScannedDuration(of medium: Medium) {
    if record.facts.duration == nil { record.facts.duration = scannedDuration(medium.item) }
  }

  /// Returns the title of a medium that plays: for a film in a file, the one that the lists show.
  private func title(of medium: Medium) -> String {
    let tag = record.facts.title
    guard !isCD, medium.path != nil, !medium.isDisc, let name = medium.item.firstIndex(of: "/")
    else { return tag ?? MediaFiles.title(of: medium.item) }
    // The name of the media folder is no part of the path.
    let path = String(medium.item[medium.item.index(after: name)...])
    return FilmTitle.displayed(
      path: medium.parts.isEmpty ? path : FilmPart.wholeName(of: path), tag: tag)
  }

  /// Reports that the medium plays, or is open and paused.
  mutating func run(
    _ opening: FilmOpening, isPaused: Bool, at seconds: Double, now: Duration
  ) -> [Effect] {
    let medium = opening.start.medium
    if medium.isAudioCD { record.facts.nameSongs() }
    record.facts.title = title(of: medium)
    adoptScannedDuration(of: medium)
    record.setStatus(isPaused ? .paused : .playing, at: seconds, now: now)
    stage = .running(medium)
    poll = (false, now)
    (reading, stalledSince) = (ReadingProgress(), nil)
    let seconds = record.position(at: now)
    var effects: [Effect] = [
      .reportAttributes(record.facts.attributes(at: seconds)), report(at: now),
    ]
    // mpv may have begun to wait for data while it opened the medium.
    effects += setStalled(entry.isStalled, at: now)
    effects.append(finish())
    if isCD, !medium.isAudioCD, !entry.hasEnded {
      effects.append(.ask(ticket, .append(after: medium.item)))
    }
    if entry.hasEnded { effects += endMedium(at: now) }
    return effects
  }

  /// Stops a medium that cannot be played, then reports the failure.
  mutating func abandon(_ reason: String) -> [Effect] {
    leave(.abandoned(reason))
    return [.ask(ticket, .stop)]
  }
}

import Devices
import JSON
import MediaFolders
import Platform
import PluginProtocol

/// The ends of media, and what follows them.
extension FilmModel {
  /// Leaves the medium. Later events and answers about it are ignored.
  mutating func leave(_ leaving: Leaving) {
    ticket += 1
    poll.isAsked = false
    progress.reset()
    appended = nil
    entry.unload()
    stage = .leaving(leaving)
  }

  /// Reports that the medium cannot be played, and keeps its position.
  mutating func fail(
    _ reason: String, at seconds: Double? = nil, now: Duration
  ) -> [Effect] {
    leave(.stopped)
    stage = .idle
    record.setStatus(
      .failed, at: seconds ?? record.position(at: now), now: now, reason: reason)
    let error = DeviceError(MediaFailure(.unsupported, subject: record.item ?? "", detail: reason))
    let report = report(at: now)
    return [report, command == nil ? .log(.error, error.message) : finish(error)]
  }

  /// Stops a medium that does not go on, then reports its failure with this position in seconds.
  mutating func breakOff(_ reason: String, at seconds: Double, now: Duration) -> [Effect] {
    record.setStatus(.opening, at: seconds, now: now)
    return abandon(reason)
  }

  /// Makes mpv stop after the end or the failure of a medium was reported.
  mutating func stopAfterReport() -> [Effect] {
    leave(.reported)
    return [.ask(ticket, .stop)]
  }

  mutating func endMedium(at now: Duration) -> [Effect] {
    guard let medium, isActive else { return [] }
    var effects: [Effect] = []
    if case .seeking(_, let wanted, _) = stage { effects = giveUpSeek(to: wanted, at: now) }
    let position = record.position(at: now)
    let end = FilmEnd(
      facts: record.facts, isDisc: medium.isDisc, position: position, readError: entry.readError,
      isReadToEnd: reading.isReadToEnd(at: position, size: record.facts.size),
      lastPlace: medium.isDisc || !medium.parts.isEmpty ? nil : reading.place(before: position))
    if let next = appended, end.isNearItsEnd {
      return effects + follow(medium, with: next, at: now)
    }
    leave(.ended(medium, end))
    return effects + [.ask(ticket, .inspect(medium, end))]
  }

  /// Goes on with the song that mpv plays by itself.
  mutating func follow(
    _ ended: Medium, with next: AppendedSong, at now: Duration
  ) -> [Effect] {
    let isPaused = record.status == .paused
    let lastFrame = Playback(
      .playing, item: ended.item, position: record.end(at: now), duration: record.facts.duration,
      rate: 0)
    nextTicket(at: now)
    appended = nil
    entry.beginOpening()
    entry.load(next.number)
    record.facts = MediaFacts()
    record.item = next.song.item
    record.setStatus(.opening, at: 0, now: now)
    var opening = FilmOpening(Start(medium: next.song, isPaused: isPaused, isAnnounced: isPaused))
    opening.step = .loading(isPaused: isPaused, until: now + Self.longestOpening)
    stage = .opening(opening)
    return isPaused ? [report(at: now)] : [.report(lastFrame)]
  }

  /// Ends a seek whose medium has ended.
  mutating func giveUpSeek(to seconds: Double, at now: Duration) -> [Effect] {
    guard command == .seek else { return [] }
    record.setPosition(seconds, now: now)
    return finish(.seek)
  }

  mutating func handleLeaving(
    _ answer: Answer, _ leaving: Leaving, at now: Duration
  ) -> [Effect] {
    // A process that did not stop was killed.
    if case .lost = answer { forgetProcess() }
    switch (leaving, answer) {
    case (.stopped, _):
      stage = .idle
      record.setStatus(.stopped, at: 0, now: now)
      return [report(at: now)] + (command == .stop ? [finish()] : [])
    case (.abandoned(let reason), _): return fail(reason, now: now)
    case (.ended(let medium, var end), .inspected(let inspection)):
      end.inspection = inspection
      if let failure = end.failure { return breakOff(failure, at: end.position, now: now) }
      return [.ask(ticket, isCD ? .findNext(item: medium.item) : .waitForSilence)]
    case (.ended(let medium, _), .next(let song?)):
      // A pause may have come meanwhile; then the next song begins paused.
      let isPaused = record.status == .paused
      let lastFrame = Playback(
        .playing, item: medium.item, position: record.end(at: now),
        duration: record.facts.duration, rate: 0)
      let start = Start(medium: song, isPaused: isPaused, isAnnounced: isPaused)
      return (isPaused ? [] : [.report(lastFrame)]) + begin(FilmOpening(start), at: now)
    case (.ended, .next): return [.ask(ticket, .waitForSilence)]
    case (.ended, .failed(let reason)):
      record.setStatus(
        .failed, at: record.position(at: now), now: now, reason: reason)
      return [.log(.warning, reason), report(at: now)] + stopAfterReport()
    case (.ended, _):
      record.setStatus(.ended, at: record.end(at: now), now: now)
      return [report(at: now)] + stopAfterReport()
    case (.reported, _):
      stage = .idle
      return []
    }
  }
}

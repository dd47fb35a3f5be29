import Devices
import JSON
import MediaFolders
import Platform
import PluginProtocol

/// A state machine of one player, without I/O. Its inputs are commands, answers, mpv's events and times. It returns
/// the effects to execute.
///
/// At most one command is in progress. Each opening, stop, seek and end begins with a new ticket, so that answers to
/// requests of an earlier one are recognized as late in one place, ``handle(_:to:at:)``.
struct FilmModel: Sendable {
  /// The time between two requests for the position while a medium plays. They also detect an mpv that hangs.
  static let pollingInterval = Duration.milliseconds(300)
  /// The time between two requests for the position while a medium is paused.
  static let pollingInPause = Duration.seconds(5)
  /// The longest wait for mpv's answer about the position while a medium plays.
  static let patience = Duration.milliseconds(800)
  /// The longest wait for mpv's answer while a medium is opened.
  static let patienceWhileOpening = Duration.seconds(6)
  /// The longest wait for each of the two steps of an opening: until mpv has read the medium, and until the medium
  /// plays. The controller waits 30 s for the command.
  static let longestOpening = Duration.seconds(25)
  /// The longest time that a seek may take.
  static let longestSeek = Duration.seconds(6)
  /// The time between two reports of the position while nothing else is reported.
  private static let reportInterval = Duration.seconds(5)

  /// A command in progress.
  private enum Command { case play, pause, resume, stop, seek }

  private enum Stage {
    /// There is no medium.
    case idle
    case opening(FilmOpening)
    /// The medium plays or is paused.
    case running(Medium)
    /// mpv seeks in the medium, until this time at most.
    case seeking(Medium, to: Double, until: Duration)
    /// The medium has ended or is given up. An answer decides what follows.
    case leaving(Leaving)
  }

  /// The reason why a medium is left.
  private enum Leaving {
    case stopped
    /// The opening failed for this reason.
    case abandoned(String)
    /// The medium has ended at this position in seconds.
    case ended(Medium, at: Double)
  }

  private let isCD: Bool
  private let audioDevice: String
  /// Returns the duration of an item in seconds, as the library knows it.
  private let scannedDuration: @Sendable (String) -> Double?
  private(set) var ticket: Ticket = 0
  private var command: Command?
  private var stage = Stage.idle
  private var entry = MpvEntry()
  /// The first ticket whose requests go to the running process. Late answers with a lower one came from another process.
  private var firstTicketOfProcess: Ticket = 0
  private var record = PlayerRecord()
  private var restarts = RestartLimit()
  private var progress = ProgressMonitor()
  /// Whether a request for the position waits for its answer, and the time of the last request.
  private var poll = (isAsked: false, last: Duration.zero)
  private var lastReport = Duration.zero

  /// - Parameters:
  ///   - isCD: Whether songs follow each other.
  ///   - audioDevice: The name of the sound device, for messages.
  ///   - scannedDuration: Returns the duration of an item in seconds, as the library knows it.
  init(
    isCD: Bool, audioDevice: String, scannedDuration: @escaping @Sendable (String) -> Double?
  ) {
    self.isCD = isCD
    self.audioDevice = audioDevice
    self.scannedDuration = scannedDuration
  }

  // MARK: The state

  /// The id of the last item that was opened; nil before the first one.
  var item: String? { record.item }

  /// Whether mpv holds a medium, or is to load one.
  var hasMedium: Bool { medium != nil }

  /// Whether this is the ticket of the present opening, so that its request may go on.
  func isCurrent(_ ticket: Ticket) -> Bool { ticket == self.ticket }

  /// The medium that plays or is being opened.
  private var medium: Medium? {
    switch stage {
    case .opening(let opening): opening.start.medium
    case .running(let medium), .seeking(let medium, _, _): medium
    case .idle, .leaving: nil
    }
  }

  /// Whether a medium plays or is paused.
  private var isActive: Bool { record.status == .playing || record.status == .paused }

  /// The time of the next `tick`; nil for none.
  var deadline: Duration? {
    switch stage {
    case .idle, .leaving: nil
    case .opening(let opening):
      [opening.deadline, opening.isPolled ? nextPoll : nil].compactMap(\.self).min()
    case .running: nextPoll
    case .seeking(_, _, let limit): limit
    }
  }

  private var nextPoll: Duration? {
    guard !poll.isAsked else { return nil }
    return poll.last + (record.status == .paused ? Self.pollingInPause : Self.pollingInterval)
  }

  // MARK: Commands

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
    case .playing: return .report
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
    restarts.reset()
    return begin(FilmOpening(start), at: now)
  }

  mutating func pause(at now: Duration) -> [Effect] {
    command = .pause
    switch record.status {
    case .playing: return [.ask(ticket, .pause)]
    case .paused, .stopped, .ended: return [report(at: now), finish()]
    case .opening, .failed:
      guard pauseOpening() else {
        return [finish(DeviceError(.notNow, "nothing is playing"))]
      }
      return [finish()]
    }
  }

  /// Makes the medium that is being opened begin paused. Returns false if none is being opened.
  private mutating func pauseOpening() -> Bool {
    guard case .opening(var opening) = stage else { return false }
    opening.start.isPaused = true
    stage = .opening(opening)
    return true
  }

  /// Plays a paused medium.
  mutating func resume(at now: Duration) -> [Effect] {
    command = .resume
    guard let medium else {
      // Between two songs: the next one plays.
      record.setStatus(.playing, at: record.position(at: now), now: now)
      return [report(at: now), finish()]
    }
    if entry.isHeld { return [.ask(ticket, .resume)] }
    return begin(FilmOpening(Start(medium: medium, seconds: record.position(at: now))), at: now)
  }

  /// Stops what is played or opened.
  mutating func stop() -> [Effect] {
    let effects = giveUpCommand()
    command = .stop
    leave(.stopped)
    return effects + [.ask(ticket, .stop)]
  }

  /// Drops the command, because a newer one has replaced it. Stops a medium that it was opening.
  mutating func cancel() -> [Effect] {
    defer { command = nil }
    guard command == .play || command == .resume, case .opening = stage else { return [] }
    leave(.stopped)
    return [.ask(ticket, .stop)]
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

  private mutating func finish(_ error: DeviceError? = nil) -> Effect {
    command = nil
    return .finish(error.map { .failure($0) } ?? .success(()))
  }

  /// Ends a command that waits for what does not come any more.
  private mutating func giveUpCommand() -> [Effect] {
    command == nil ? [] : [finish(.replaced)]
  }

  private mutating func nextTicket(at now: Duration) {
    ticket += 1
    poll = (false, now)
    progress.reset()
  }

  /// Kills mpv.
  private mutating func kill() -> Effect {
    forgetProcess()
    return .kill
  }

  /// Forgets what the process said, because it has ended or was killed. The next one numbers its media from 1 again.
  private mutating func forgetProcess() {
    entry = MpvEntry()
    firstTicketOfProcess = ticket + 1
  }

  // MARK: Openings

  private mutating func begin(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    entry.unload()
    let start = opening.start
    if record.item != start.medium.item { record.facts = MediaFacts() }
    record.item = start.medium.item
    record.setStatus(.opening, at: start.seconds, now: now)
    let announcement = start.isAnnounced ? [report(at: now)] : []
    return announcement + attempt(opening, at: now)
  }

  /// Asks mpv to load the medium of an opening.
  private mutating func attempt(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    var opening = opening
    nextTicket(at: now)
    entry.beginOpening()
    opening.step = .requested(isPaused: opening.start.isPaused)
    stage = .opening(opening)
    return [.ask(ticket, .open(opening.start))]
  }

  /// Opens the medium again after mpv crashed or did not answer.
  private mutating func retry(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    guard let pause = restarts.restart(at: now) else { return abandon(.tooManyRestarts) }
    return wait(pause, before: opening, at: now)
  }

  private mutating func wait(
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
  private mutating func advance(at now: Duration) -> [Effect] {
    guard case .opening(var opening) = stage else { return [] }
    defer { if case .opening = stage { stage = .opening(opening) } }
    switch opening.step {
    case .requested, .readingFacts, .waiting: return []
    case .loading, .starting:
      if let failure = entry.failure { return abandon(failure) }
      if entry.isPlaying {
        opening.step = .checking(isPaused: opening.isPausedInProcess)
        return [.ask(ticket, .checkOutputs(record.facts))]
      }
      if entry.hasEnded { return endEarly(opening, at: now) }
      if case .loading(let isPaused, _) = opening.step, entry.isLoaded {
        opening.step = .readingFacts(isPaused: isPaused)
        return [.ask(ticket, .readFacts(opening.start.medium))]
      }
      return []
    case .checking, .settling: return []
    }
  }

  /// Handles the end of a medium that has not begun to play, because it begins shortly before its end.
  private mutating func endEarly(_ opening: FilmOpening, at now: Duration) -> [Effect] {
    adoptScannedDuration(of: opening.start.medium)
    record.setStatus(.playing, at: opening.start.seconds, now: now)
    stage = .running(opening.start.medium)
    return [report(at: now), finish()] + endMedium(at: now)
  }

  private mutating func handleOpening(
    _ answer: Answer, _ opening: FilmOpening, at now: Duration
  ) -> [Effect] {
    var opening = opening
    switch (answer, opening.step) {
    case (.opened(let number), .requested(let isPaused)):
      entry.load(number)
      opening.step = .loading(isPaused: isPaused, until: now + Self.longestOpening)
    case (.facts(let facts), .readingFacts(let isPaused)):
      record.facts = facts
      opening.step = .starting(isPaused: isPaused, until: now + Self.longestOpening)
    case (.outputs(let facts, let isWithoutSound, let isWithoutPicture), .checking(let isPaused)):
      if let failure = entry.failure { return abandon(failure) }
      if !entry.hasEnded {
        adopt(facts)
        if isWithoutSound { return abandon(noSound) }
        if isWithoutPicture { return abandon(entry.noPicture) }
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
    case (.position, _):
      poll.isAsked = false
      return []
    default: return []
    }
    stage = .opening(opening)
    return advance(at: now)
  }

  private var noSound: String {
    "the sound cannot be played: the audio device \(audioDevice) could not be opened\(entry.logText)"
  }

  /// Adopts the facts of a medium that plays. Its outputs may have changed the tracks.
  private mutating func adopt(_ facts: MediaFacts) {
    // If the medium has ended meanwhile, mpv has forgotten its facts: keep the earlier ones.
    guard !facts.tracks.isEmpty else { return }
    let duration = record.facts.duration
    record.facts = facts
    record.facts.duration = facts.duration ?? duration
  }

  private mutating func adoptScannedDuration(of medium: Medium) {
    if record.facts.duration == nil { record.facts.duration = scannedDuration(medium.item) }
  }

  /// Reports that the medium plays, or is open and paused.
  private mutating func run(
    _ opening: FilmOpening, isPaused: Bool, at seconds: Double, now: Duration
  ) -> [Effect] {
    let medium = opening.start.medium
    if medium.isAudioCD { record.facts.nameSongs() }
    if record.facts.title == nil { record.facts.title = MediaFiles.title(of: medium.item) }
    adoptScannedDuration(of: medium)
    record.setStatus(isPaused ? .paused : .playing, at: seconds, now: now)
    stage = .running(medium)
    poll = (false, now)
    let seconds = record.position(at: now)
    var effects: [Effect] = [
      .reportAttributes(record.facts.attributes(at: seconds)), report(at: now),
    ]
    // mpv may have begun to wait for data while it opened the medium.
    effects += setStalled(entry.isStalled, at: now)
    effects.append(finish())
    if entry.hasEnded { effects += endMedium(at: now) }
    return effects
  }

  /// Stops a medium that cannot be played, then reports the failure.
  private mutating func abandon(_ reason: String) -> [Effect] {
    leave(.abandoned(reason))
    return [.ask(ticket, .stop)]
  }

  // MARK: The end of a medium

  /// Leaves the medium. Later events and answers about it are ignored.
  private mutating func leave(_ leaving: Leaving) {
    ticket += 1
    poll.isAsked = false
    progress.reset()
    entry.unload()
    stage = .leaving(leaving)
  }

  /// Reports that the medium cannot be played, and keeps its position.
  private mutating func fail(_ reason: String, at now: Duration) -> [Effect] {
    leave(.stopped)
    stage = .idle
    record.setStatus(.failed, at: record.position(at: now), now: now, reason: reason)
    let error = DeviceError(MediaFailure(.unsupported, subject: record.item ?? "", detail: reason))
    let report = report(at: now)
    return [report, command == nil ? .log(.error, error.message) : finish(error)]
  }

  private mutating func endMedium(at now: Duration) -> [Effect] {
    guard let medium, isActive else { return [] }
    let end = record.facts.duration ?? record.position(at: now)
    let effects = giveUpSeek(to: end, at: now)
    leave(.ended(medium, at: end))
    return effects + [.ask(ticket, isCD ? .findNext(item: medium.item) : .waitForSilence)]
  }

  /// Ends a seek whose medium has ended.
  private mutating func giveUpSeek(to seconds: Double, at now: Duration) -> [Effect] {
    guard command == .seek else { return [] }
    record.setPosition(seconds, now: now)
    return [finish()]
  }

  private mutating func handleLeaving(
    _ answer: Answer, _ leaving: Leaving, at now: Duration
  ) -> [Effect] {
    // A process that did not stop was killed.
    if case .lost = answer { forgetProcess() }
    switch (leaving, answer) {
    case (.stopped, _):
      stage = .idle
      record.setStatus(.stopped, at: 0, now: now)
      return [report(at: now)] + (command == .stop ? [finish()] : [])
    case (.abandoned(let reason), _): return fail(reason, at: now)
    case (.ended(let medium, let end), .next(let song?)):
      // A pause may have come meanwhile; then the next song begins paused.
      let isPaused = record.status == .paused
      let lastFrame = Playback(
        .playing, item: medium.item, position: end, duration: record.facts.duration, rate: 0)
      let start = Start(medium: song, isPaused: isPaused, isAnnounced: isPaused)
      return (isPaused ? [] : [.report(lastFrame)]) + begin(FilmOpening(start), at: now)
    case (.ended, .next): return [.ask(ticket, .waitForSilence)]
    case (.ended, .failed(let reason)):
      stage = .idle
      record.setStatus(
        .failed, at: record.position(at: now), now: now, reason: reason)
      return [.log(.warning, reason), report(at: now)]
    case (.ended(_, let end), _):
      stage = .idle
      record.setStatus(.ended, at: end, now: now)
      return [report(at: now)]
    }
  }

  // MARK: Answers

  /// Handles the answer to a request.
  mutating func handle(_ answer: Answer, to ticket: Ticket, at now: Duration) -> [Effect] {
    guard ticket == self.ticket else { return handleLate(answer, to: ticket) }
    if command == .pause, let effects = handlePause(answer, at: now) { return effects }
    switch stage {
    case .idle: return []
    case .opening(let opening): return handleOpening(answer, opening, at: now)
    case .leaving(let leaving): return handleLeaving(answer, leaving, at: now)
    case .seeking(let medium, let wanted, _):
      switch answer {
      case .lost, .failed:
        stage = .running(medium)
        record.setPosition(wanted, now: now)
        return [finish(), kill()] + recover(at: now)
      case .position(let position): return endSeek(medium, at: position ?? wanted, now: now)
      default: return []
      }
    case .running: return handleRunning(answer, at: now)
    }
  }

  /// Handles the answer to a request of an earlier opening, seek or stop.
  private mutating func handleLate(_ answer: Answer, to ticket: Ticket) -> [Effect] {
    switch answer {
    case .opened(let number):
      if ticket >= firstTicketOfProcess { entry.ignore(number) }
      return []
    case .paused, .lost, .failed:
      // The medium has ended meanwhile, or the next one is being opened.
      guard command == .pause else { return [] }
      _ = pauseOpening()
      return [finish()]
    default: return []
    }
  }

  /// Handles the answer to a pause; nil for other answers.
  private mutating func handlePause(_ answer: Answer, at now: Duration) -> [Effect]? {
    switch answer {
    case .paused(let position):
      guard record.status == .playing else { return [finish()] }
      record.setStatus(.paused, at: position ?? record.position(at: now), now: now)
      return [report(at: now), finish()]
    case .failed(let reason): return [finish(.notPaused(reason))]
    case .lost(let failure): return [finish(.notPaused(failure.text))]
    default: return nil
    }
  }

  private mutating func handleRunning(_ answer: Answer, at now: Duration) -> [Effect] {
    switch answer {
    case .resumed:
      record.setStatus(.playing, at: record.position(at: now), now: now)
      return [report(at: now)] + setStalled(entry.isStalled, at: now) + [finish()]
    case .position(let position):
      poll.isAsked = false
      if let fault = recordPosition(position, at: now) { return restart(fault, at: now) }
      guard record.status == .playing, now - lastReport >= Self.reportInterval else { return [] }
      return [report(at: now)] + progressReport(at: now)
    case .lost, .failed:
      if command == .resume, let medium {
        return (answer == .lost(.timeout) ? [kill()] : [])
          + begin(FilmOpening(Start(medium: medium, seconds: record.position(at: now))), at: now)
      }
      poll.isAsked = false
      // The end of the connection is an event of its own.
      return answer == .lost(.timeout) ? restart("mpv does not answer", at: now) : []
    default: return []
    }
  }

  // MARK: Events of mpv

  /// Handles an event of the running process.
  mutating func handle(_ event: MpvEvent, at now: Duration) -> [Effect] {
    guard let change = entry.handle(event) else { return [] }
    switch stage {
    case .idle, .leaving: return []
    case .opening: return advance(at: now)
    case .running, .seeking: break
    }
    switch change {
    case .ended: return endMedium(at: now)
    case .failed(let reason): return fail(reason, at: now)
    case .stalled(let isStalled): return setStalled(isStalled, at: now)
    case .chapter: return progressReport(at: now)
    case .playing:
      guard case .seeking = stage else { return [] }
      // On a DVD, mpv goes to the nearest position at which the DVD can start.
      return [.ask(ticket, .position(within: Self.patienceWhileOpening))]
    case .loaded: return []
    }
  }

  /// Handles the end of the running process.
  mutating func handleEndOfProcess(at now: Duration) -> [Effect] {
    forgetProcess()
    switch stage {
    case .idle: return []
    case .opening(let opening):
      if case .waiting = opening.step { return [] }
      return retry(opening, at: now)
    case .running: return recover(at: now)
    case .seeking(let medium, let wanted, _):
      stage = .running(medium)
      record.setPosition(wanted, now: now)
      return [finish()] + recover(at: now)
    // The requests of these stages are answered without a process too.
    case .leaving: return []
    }
  }

  /// Opens the medium again in a new process at the last position, after mpv has crashed or was killed.
  private mutating func recover(at now: Duration) -> [Effect] {
    guard let medium, isActive else { return [] }
    let seconds = record.position(at: now)
    let isPaused = record.status == .paused
    let message = "mpv ended unexpectedly; \(medium.item) goes on at \(Int(seconds)) s"
    guard let pause = restarts.restart(at: now) else {
      return [.log(.warning, message)] + abandon(.tooManyRestarts)
    }
    let opening = FilmOpening(Start(medium: medium, seconds: seconds, isPaused: isPaused))
    record.setStatus(.opening, at: seconds, now: now)
    return [.log(.warning, message), report(at: now)] + wait(pause, before: opening, at: now)
  }

  /// Kills an mpv that hangs or does not play, and opens the medium again.
  private mutating func restart(_ fault: String, at now: Duration) -> [Effect] {
    if record.status == .playing { record.resetToReportedPosition(now: now) }
    return [.log(.warning, "\(fault); it is started again"), kill()] + recover(at: now)
  }

  // MARK: Times

  /// Does what is due at a time.
  mutating func tick(at now: Duration) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    switch stage {
    case .idle, .leaving: return []
    case .running: return ask(within: Self.patience, at: now)
    case .seeking(let medium, let wanted, _):
      nextTicket(at: now)
      stage = .running(medium)
      record.setPosition(wanted, now: now)
      return [finish(DeviceError(.failed, .notBegun(within: Self.longestSeek)))]
    case .opening(let opening):
      if let limit = opening.deadline, limit <= now {
        if case .waiting = opening.step { return attempt(opening, at: now) }
        return abandon(.notBegun(within: Self.longestOpening))
      }
      return ask(within: Self.patienceWhileOpening, at: now)
    }
  }

  private mutating func ask(within limit: Duration, at now: Duration) -> [Effect] {
    poll = (true, now)
    return [.ask(ticket, .position(within: limit))]
  }

  // MARK: The position

  private mutating func endSeek(_ medium: Medium, at seconds: Double, now: Duration) -> [Effect] {
    nextTicket(at: now)
    stage = .running(medium)
    record.setPosition(seconds, now: now)
    return [report(at: now)] + progressReport(at: now) + [finish()]
  }

  /// Stores a position in seconds that mpv has reported. Returns the fault if mpv should play, but does not.
  private mutating func recordPosition(_ seconds: Double?, at now: Duration) -> String? {
    guard record.status == .playing, !entry.isStalled else {
      progress.reset()
      return nil
    }
    if let seconds { record.setPosition(seconds, now: now) }
    return progress.fault(
      at: seconds, hasSound: record.facts.hasSound, hasOutput: entry.hasSoundOutput, now: now)
  }

  /// Sets whether mpv waits for data, and reports a change. Does nothing unless a medium plays.
  private mutating func setStalled(_ isStalled: Bool, at now: Duration) -> [Effect] {
    guard record.status == .playing, record.isStalled != isStalled else { return [] }
    record.setPosition(record.position(at: now), now: now)
    record.isStalled = isStalled
    return [report(at: now)]
  }

  /// The report of the attributes that change while a medium plays.
  private func progressReport(at now: Duration) -> [Effect] {
    guard case .running = stage, isActive else { return [] }
    return [.reportAttributes(record.facts.progress(at: record.position(at: now)))]
  }
}

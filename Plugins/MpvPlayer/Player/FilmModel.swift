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
  /// The longest wait until mpv has left the medium before, and for each of its answers while it opens a file. Another
  /// thread of mpv waits for the disk, so only an mpv that cannot leave a medium on a dead disk or share takes longer.
  static let patienceWhileLoading = Duration.seconds(2)
  /// The longest wait for each of the two steps of an opening: until mpv has read the medium, and until the medium
  /// plays. The controller waits 30 s for the command.
  static let longestOpening = Duration.seconds(25)
  /// The longest time that a seek may take.
  static let longestSeek = Duration.seconds(6)
  /// The time between two attempts to open a film whose display is gone, and the longest wait for the display.
  static let displayInterval = Duration.seconds(2)
  static let longestWaitForDisplay = Duration.seconds(600)
  /// The longest wait for data of a film that plays.
  static let longestStall = Duration.seconds(600)
  /// The time between two reports of the position while nothing else is reported.
  static let reportInterval = Duration.seconds(5)

  /// A command in progress.
  enum Command { case play, pause, resume, stop, seek }

  /// A pause or its end.
  enum Wish { case pause, resume }

  enum Stage {
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
  enum Leaving {
    case stopped
    /// The opening failed for this reason.
    case abandoned(String)
    /// The medium has ended.
    case ended(Medium, FilmEnd)
    /// The end or the failure is reported. mpv may go on by itself with the next entry of its playlist.
    case reported
  }

  let isCD: Bool
  let audioDevice: String
  /// Returns the duration of an item in seconds, as the library knows it.
  let scannedDuration: @Sendable (String) -> Double?
  var ticket: Ticket = 0
  var command: Command?
  /// The last pause or resume while mpv has not answered it, also when its command was given up. It may concern the
  /// medium
  /// that has followed meanwhile.
  var wish: Wish?
  var stage = Stage.idle
  var entry = MpvEntry()
  /// The first ticket whose requests go to the running process. Late answers with a lower one came from another
  /// process.
  var firstTicketOfProcess: Ticket = 0
  var record = PlayerRecord()
  var restarts = RestartLimit()
  var progress = ProgressMonitor()
  var reading = ReadingProgress()
  /// The song with which mpv goes on by itself.
  var appended: AppendedSong?
  /// Since when mpv has waited for data; nil while it does not wait.
  var stalledSince: Duration?
  /// Whether a request for the position waits for its answer, and the time of the last request.
  var poll = (isAsked: false, last: Duration.zero)
  var lastReport = Duration.zero

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
  var medium: Medium? {
    switch stage {
    case .opening(let opening): opening.start.medium
    case .running(let medium), .seeking(let medium, _, _): medium
    case .idle, .leaving: nil
    }
  }

  /// Whether a medium plays or is paused.
  var isActive: Bool { record.status == .playing || record.status == .paused }

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

  var nextPoll: Duration? {
    guard !poll.isAsked else { return nil }
    return poll.last + (record.status == .paused ? Self.pollingInPause : Self.pollingInterval)
  }

  // MARK: Answers

  /// Handles the answer to a request.
  mutating func handle(_ answer: Answer, to ticket: Ticket, at now: Duration) -> [Effect] {
    if let effects = handleWish(answer, at: now) { return effects }
    guard ticket == self.ticket else {
      if case .opened(let number) = answer, ticket >= firstTicketOfProcess { entry.ignore(number) }
      return []
    }
    switch answer {
    case .position, .noPosition: poll.isAsked = false
    default: break
    }
    switch stage {
    case .idle: return []
    case .opening(let opening): return handleOpening(answer, opening, at: now)
    case .leaving(let leaving): return handleLeaving(answer, leaving, at: now)
    case .seeking(let medium, let wanted, _):
      switch answer {
      case .lost, .failed, .noPosition:
        stage = .running(medium)
        record.setPosition(wanted, now: now)
        return finish(.seek) + [kill()] + recover(at: now)
      case .position(let position):
        return endSeek(medium, at: position.seconds ?? wanted, now: now)
      default: return []
      }
    case .running: return handleRunning(answer, at: now)
    }
  }

  mutating func handleRunning(_ answer: Answer, at now: Duration) -> [Effect] {
    switch answer {
    case .appended(let next):
      appended = next
      return []
    case .position(let position):
      if reading.record(position, hasError: entry.readError != nil) { entry.clearReadError() }
      if let fault = recordPosition(position.seconds, at: now) { return restart(fault, at: now) }
      if record.isStalled, let stalledSince, now - stalledSince > Self.longestStall {
        return breakOff(
          "no data came for \(Int(Self.longestStall / .seconds(60))) minutes",
          at: record.position(at: now), now: now)
      }
      guard record.status == .playing, now - lastReport >= Self.reportInterval else { return [] }
      return [report(at: now)] + progressReport(at: now)
    case .noPosition(.timeout):
      // A pause or resume waits longer for its own answer. The end of the connection is an event of its own.
      return wish == nil ? restart("mpv does not answer", at: now) : []
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
    case .failed(let reason): return fail(reason, now: now) + stopAfterReport()
    case .stalled(let isStalled): return setStalled(isStalled, at: now)
    case .chapter: return progressReport(at: now)
    case .playing:
      guard case .seeking = stage else { return [] }
      // On a DVD, mpv goes to the nearest position at which the DVD can start.
      return [.ask(ticket, .position(within: Self.patienceWhileOpening))]
    case .begun, .loaded: return []
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
      return finish(.seek) + recover(at: now)
    // The requests of these stages are answered without a process too.
    case .leaving: return []
    }
  }

  /// Opens the medium again in a new process at the last position, after mpv has crashed or was killed.
  mutating func recover(at now: Duration) -> [Effect] {
    guard let medium, isActive else { return [] }
    let seconds = record.position(at: now)
    let isPaused = record.status == .paused
    let message = "mpv ended unexpectedly; \(medium.item) goes on at \(Int(seconds)) s"
    guard let pause = restarts.restart(at: now) else {
      return [.log(.warning, message)] + abandon(.tooManyRestarts)
    }
    var opening = FilmOpening(Start(medium: medium, seconds: seconds, isPaused: isPaused))
    opening.displayDeadline = now + Self.longestWaitForDisplay
    record.setStatus(.opening, at: seconds, now: now)
    return [.log(.warning, message), report(at: now)] + wait(pause, before: opening, at: now)
  }

  /// Kills an mpv that hangs or does not play, and opens the medium again.
  mutating func restart(_ fault: String, at now: Duration) -> [Effect] {
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
      return finish(.seek, DeviceError(.failed, .notBegun(within: Self.longestSeek)))
    case .opening(let opening):
      if let limit = opening.deadline, limit <= now {
        switch opening.step {
        case .waiting: return attempt(opening, at: now)
        case .replacing: return [kill()] + retry(opening, at: now)
        default: return abandon(.notBegun(within: Self.longestOpening))
        }
      }
      let isLoading = if case .loading = opening.step { true } else { false }
      return ask(
        within: isLoading ? Self.patienceWhileLoading : Self.patienceWhileOpening, at: now)
    }
  }

  mutating func ask(within limit: Duration, at now: Duration) -> [Effect] {
    poll = (true, now)
    return [.ask(ticket, .position(within: limit))]
  }

  // MARK: The position

  mutating func endSeek(_ medium: Medium, at seconds: Double, now: Duration) -> [Effect] {
    nextTicket(at: now)
    stage = .running(medium)
    record.setPosition(seconds, now: now)
    return [report(at: now)] + progressReport(at: now) + finish(.seek)
  }

  /// Stores a position in seconds that mpv has reported. Returns the fault if mpv should play, but does not.
  mutating func recordPosition(_ seconds: Double?, at now: Duration) -> String? {
    guard record.status == .playing, !entry.isStalled else {
      progress.reset()
      return nil
    }
    if let seconds { record.setPosition(seconds, now: now) }
    return progress.fault(
      at: seconds, hasSound: record.facts.hasSound, hasOutput: entry.hasSoundOutput,
      hasLostPicture: record.facts.hasPicture && entry.hasLostVideoOutput, now: now)
  }

  /// Sets whether mpv waits for data, and reports a change. Does nothing unless a medium plays.
  mutating func setStalled(_ isStalled: Bool, at now: Duration) -> [Effect] {
    guard record.status == .playing, record.isStalled != isStalled else { return [] }
    record.setPosition(record.position(at: now), now: now)
    record.isStalled = isStalled
    stalledSince = isStalled ? now : nil
    return [report(at: now)]
  }

  /// The report of the attributes that change while a medium plays.
  func progressReport(at now: Duration) -> [Effect] {
    guard case .running = stage, isActive else { return [] }
    return [.reportAttributes(record.facts.progress(at: record.position(at: now)))]
  }
}

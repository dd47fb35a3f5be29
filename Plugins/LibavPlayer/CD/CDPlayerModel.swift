import Devices
import JSON
import MediaFolders
import Platform
import PluginProtocol

/// The sound of a ``PlaybackEngine`` at one moment.
struct SoundState: Equatable, Sendable {
  /// The heard place; nil before the first song and just after a jump.
  var place: Place?
  /// The song that was written to the cable last.
  var newest: PlayableSong?
  /// The section of the cable that ends the disc; nil until it was written.
  var lastSection: UInt32?
  /// How long the sound written so far lasts.
  var remaining = Duration.zero
  /// The songs of the disc, in their order.
  var order: [PlayableSong] = []
  /// The songs on the cable whose files ended too early.
  var earlyEnds: [EarlyEnd] = []
}

/// The end of a song whose file is cut off or damaged.
struct EarlyEnd: Equatable, Sendable {
  let song: PlayableSong
  /// The position of the last decoded sound, in seconds.
  let seconds: Double
  let failure: MediaFailure
}

/// A state machine of a CD player, without I/O.
///
/// Its inputs are commands, answers, and events of the engine and the cable, each with the sound and the time. It
/// returns the effects to execute, in their order. Every request carries a generation; an answer to an older one is
/// dropped in ``handle(_:to:_:at:)``.
struct CDPlayerModel: Sendable {
  /// An action that the player must execute.
  enum Effect: Equatable, Sendable {
    case reportState([StateKey: JSON])
    case report(Playback)
    case log(LogNotification.Level, String)
    /// Loads libav.
    case warmUp
    /// Finds the file of an item. Answered with ``Answer/found(_:)``.
    case find(String, generation: Int)
    /// Finds the first song of the first disc. Answered with ``Answer/found(_:)``.
    case findFirstSong(generation: Int)
    /// Lists the songs of the disc of a song. Answered with ``Answer/listed(_:)``.
    case listDisc(PlayableSong, generation: Int)
    /// Drops the sound and opens a song at a position in seconds. Answered with ``Answer/opened(_:)``.
    case open(PlayableSong, seconds: Double, generation: Int)
    /// Gives up the opening in progress.
    case cancelOpening
    /// Holds the sound. Answered at once with ``soundPaused(at:_:at:)``.
    case pauseSound
    case resumeSound
    /// Drops the sound and closes the file.
    case stopSound
    case setOrder([PlayableSong])
    /// Ends the command; nil for success.
    case finish(DeviceError?)
  }

  /// The answer to a request.
  enum Answer: Sendable {
    /// nil if there is no song at all.
    case found(Result<PlayableSong?, MediaFailure>)
    case listed(Result<[PlayableSong], MediaFailure>)
    case opened(Result<Place, MediaFailure>)
  }

  /// The progress of the command in progress.
  private enum Step: Equatable {
    /// `play` waits for the file of its item, or for the first song.
    case finding(position: Double)
    /// `play` waits for the list of the current disc, whose first song it plays.
    case restarting(PlayableSong)
    /// `play` waits for its song.
    case opening(PlayableSong)
    /// `pause` waits for the place at which the sound stopped.
    case pausing
    /// A skip waits for the list of the disc.
    case listing(steps: Int)
    /// A skip or seek waits for its song.
    case jumping(Jump)
  }

  /// A move to another place or song.
  private struct Jump: Equatable {
    let song: PlayableSong
    /// The direction of a skip that passes over songs that cannot be opened; 0 for a move within the song.
    let steps: Int
    /// The place before the move.
    let origin: Place
    /// A playing player goes on playing, a paused one stays paused.
    let status: Playback.Status
  }

  /// Polling interval of the heard position, while the cable already carries the next song.
  private static let songPolling = Duration.milliseconds(50)
  /// Interval between two reports of the position while nothing else happens.
  private static let positionInterval = Duration.seconds(5)
  /// The position in seconds up to which `previous` means the song before; later it means the current
  /// song's beginning.
  private static let restartLimit = 3.0

  private(set) var status = Playback.Status.stopped
  /// The last reported place; where the song stands while it does not play.
  private(set) var place: Place?
  private var isOn = false
  private var tray = "closed"
  /// The reason of a failure.
  private var reason: String?
  private var step: Step?
  /// The number of the newest request.
  private var generation = 0
  /// The last section that was heard to its end.
  private var drainedSection: UInt32?
  /// Whether a cancelled command has dropped the sound, so that resuming opens the song again.
  private var mustReopen = false
  private var supply = SupplyMonitor()
  private var lastReport = Duration.zero
  private var nextSupplyCheck = Duration.zero
  /// The time of the next look at the heard song; nil if no other song follows on the cable.
  private var nextSongCheck: Duration?

  /// The time of the next ``tick(_:at:)``; nil for none.
  var deadline: Duration? {
    guard status == .playing else { return nil }
    return [lastReport + Self.positionInterval, nextSupplyCheck, nextSongCheck]
      .compactMap(\.self).min()
  }

  // MARK: Commands

  /// Reports the state for the first time.
  mutating func open(at now: Duration) -> [Effect] {
    [.reportState([.power: "off", .tray: .string(tray)]), playbackReport(at: nil, now)]
  }

  /// Begins a command. It takes the place of one that is in progress.
  mutating func begin(
    _ command: CDPlayerCommand, _ sound: SoundState, at now: Duration
  ) -> [Effect] {
    var effects = abandon(sound, at: now)
    do throws(DeviceError) {
      try begin(command, sound, at: now, &effects)
    } catch {
      finish(error, &effects)
    }
    return effects
  }

  private mutating func begin(
    _ command: CDPlayerCommand, _ sound: SoundState, at now: Duration, _ effects: inout [Effect]
  ) throws(DeviceError) {
    switch command {
    case .on: turnOn(&effects)
    case .off: turnOff(sound, at: now, &effects)
    default:
      guard isOn else {
        throw DeviceError(.notNow, "the CD player is off", hint: "Turn it on first.")
      }
    }
    switch command {
    case .on, .off: break
    case .play(let request): play(request, sound, at: now, &effects)
    case .pause: try pause(sound, at: now, &effects)
    case .stop: halt(sound, at: now, &effects)
    case .eject:
      halt(sound, at: now, &effects)
      setTray("open", &effects)
      changeStatus(to: .stopped, at: nil, sound, now, &effects)
    case .seek(let seconds):
      let place = try currentPlace(sound)
      jump(to: place.song, seconds: seconds, from: place, &effects)
    case .next: try skip(1, sound, at: now, &effects)
    case .previous: try skip(-1, sound, at: now, &effects)
    }
    if step == nil { finish(nil, &effects) }
  }

  /// Drops the command in progress, because its caller has cancelled it. Its later answers change nothing.
  mutating func abandon(_ sound: SoundState, at now: Duration) -> [Effect] {
    guard let step = step.take() else { return [] }
    generation += 1
    var effects: [Effect] = []
    switch step {
    case .finding, .restarting, .listing, .pausing: break
    case .opening:
      effects.append(.cancelOpening)
      halt(sound, at: now, &effects)
    case .jumping(let jump):
      // The engine has dropped the sound of the place before. The next skip or seek would be heard on a
      // cable that is not paused.
      mustReopen = true
      effects += [.cancelOpening, .pauseSound, .stopSound]
      changeStatus(to: .paused, at: jump.origin, sound, now, &effects)
    }
    return effects
  }

  private mutating func finish(_ error: DeviceError?, _ effects: inout [Effect]) {
    step = nil
    effects.append(.finish(error))
  }

  private mutating func nextGeneration() -> Int {
    generation += 1
    return generation
  }

  // MARK: Power and tray

  private mutating func turnOn(_ effects: inout [Effect]) {
    guard !isOn else { return }
    isOn = true
    effects += [.warmUp, .reportState([.power: "on"])]
  }

  private mutating func turnOff(_ sound: SoundState, at now: Duration, _ effects: inout [Effect]) {
    halt(sound, at: now, &effects)
    isOn = false
    effects.append(.reportState([.power: "off"]))
  }

  private mutating func setTray(_ state: String, _ effects: inout [Effect]) {
    guard tray != state else { return }
    tray = state
    effects.append(.reportState([.tray: .string(state)]))
  }

  // MARK: Playback commands

  /// Plays an item, resumes after a pause or a failure, or begins the disc.
  private mutating func play(
    _ request: PlayRequest, _ sound: SoundState, at now: Duration, _ effects: inout [Effect]
  ) {
    if let item = request.item {
      step = .finding(position: request.position ?? 0)
      return effects.append(.find(item, generation: nextGeneration()))
    }
    guard request.position == nil else {
      return playFirst(from: request.position ?? 0, sound, at: now, &effects)
    }
    switch status {
    case .playing: report(sound, now, &effects)
    case .paused where !mustReopen:
      effects.append(.resumeSound)
      changeStatus(to: .playing, at: place, sound, now, &effects)
    case .paused, .failed:
      guard let place else { return playFirst(from: 0, sound, at: now, &effects) }
      start(place.song, at: place.seconds, sound, now, &effects)
    case .stopped, .opening, .ended:
      guard let song = place?.song else { return playFirst(from: 0, sound, at: now, &effects) }
      step = .restarting(song)
      effects.append(.listDisc(song, generation: nextGeneration()))
    }
  }

  /// Plays the current song from a position, or the first song of all.
  private mutating func playFirst(
    from position: Double, _ sound: SoundState, at now: Duration, _ effects: inout [Effect]
  ) {
    if let song = place?.song { return start(song, at: position, sound, now, &effects) }
    step = .finding(position: position)
    effects.append(.findFirstSong(generation: nextGeneration()))
  }

  private mutating func start(
    _ song: PlayableSong, at seconds: Double, _ sound: SoundState, _ now: Duration,
    _ effects: inout [Effect]
  ) {
    setTray("closed", &effects)
    mustReopen = false
    step = .opening(song)
    let place = Place(song: song, seconds: seconds, duration: nil)
    changeStatus(to: .opening, at: place, sound, now, &effects)
    effects.append(.open(song, seconds: seconds, generation: nextGeneration()))
  }

  /// Stops the sound and keeps the place.
  private mutating func pause(
    _ sound: SoundState, at now: Duration, _ effects: inout [Effect]
  ) throws(DeviceError) {
    switch status {
    case .playing:
      step = .pausing
      effects.append(.pauseSound)
    case .paused, .stopped, .ended: report(sound, now, &effects)
    case .opening, .failed: throw DeviceError(.notNow, "nothing is playing")
    }
  }

  /// Handles the end of the sound after ``Effect/pauseSound``, at this place; nil if it is not known.
  mutating func soundPaused(
    at stopped: Place?, _ sound: SoundState, at now: Duration
  ) -> [Effect] {
    guard step == .pausing else { return [] }
    var effects: [Effect] = []
    let stopped = stopped ?? place
    reportEnd(before: stopped, sound, &effects)
    changeStatus(to: .paused, at: stopped, sound, now, &effects)
    finish(nil, &effects)
    return effects
  }

  /// Skips `steps` songs. A step back leads to the beginning of the current song first.
  private mutating func skip(
    _ steps: Int, _ sound: SoundState, at now: Duration, _ effects: inout [Effect]
  ) throws(DeviceError) {
    let place = try currentPlace(sound)
    if steps < 0, place.seconds > Self.restartLimit {
      return jump(to: place.song, seconds: 0, from: place, &effects)
    }
    guard sound.order.contains(place.song) else {
      step = .listing(steps: steps)
      return effects.append(.listDisc(place.song, generation: nextGeneration()))
    }
    try skip(steps, from: place, in: sound.order, &effects)
  }

  private mutating func skip(
    _ steps: Int, from place: Place, in order: [PlayableSong], _ effects: inout [Effect]
  ) throws(DeviceError) {
    if let next = order.neighbour(of: place.song, steps: steps) {
      return jump(to: next, seconds: 0, steps: steps, from: place, &effects)
    }
    guard steps < 0 else { throw DeviceError(.notNow, "this is the last song of the disc") }
    jump(to: place.song, seconds: 0, from: place, &effects)
  }

  /// Moves to another place or song.
  private mutating func jump(
    to song: PlayableSong, seconds: Double, steps: Int = 0, from origin: Place,
    _ effects: inout [Effect]
  ) {
    step = .jumping(Jump(song: song, steps: steps, origin: origin, status: status))
    effects.append(.open(song, seconds: seconds, generation: nextGeneration()))
  }

  /// Returns the current place; throws unless a song plays or is paused.
  private func currentPlace(_ sound: SoundState) throws(DeviceError) -> Place {
    guard let place = heardPlace(sound), [.playing, .paused].contains(status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a song first.")
    }
    return place
  }

  /// Ends the sound and closes the file.
  private mutating func halt(_ sound: SoundState, at now: Duration, _ effects: inout [Effect]) {
    mustReopen = false
    // A list of a disc that is on its way is not needed any more.
    generation += 1
    effects += [.stopSound, .resumeSound]
    let start = heardPlace(sound).map { Place(song: $0.song, seconds: 0, duration: $0.duration) }
    changeStatus(to: .stopped, at: start, sound, now, &effects)
  }

  // MARK: Answers

  /// Handles the answer to a request; one to an older request than the newest is dropped.
  mutating func handle(
    _ answer: Answer, to generation: Int, _ sound: SoundState, at now: Duration
  ) -> [Effect] {
    guard generation == self.generation else { return [] }
    var effects: [Effect] = []
    switch (answer, step) {
    case (.found(let result), .finding(let position)):
      found(result, from: position, sound, at: now, &effects)
    case (.listed(let result), .restarting(let song)):
      start((try? result.get())?.first ?? song, at: 0, sound, now, &effects)
    case (.listed(.success(let songs)), .listing(let steps)):
      effects.append(.setOrder(songs))
      do throws(DeviceError) {
        try skip(steps, from: currentPlace(sound), in: songs, &effects)
      } catch {
        finish(error, &effects)
      }
    case (.listed(.failure(let failure)), .listing): finish(DeviceError(failure), &effects)
    case (.listed(.success(let songs)), _): effects.append(.setOrder(songs))
    case (.listed(.failure), _): break
    case (.opened(let result), .opening(let song)):
      opened(result, song, sound, at: now, &effects)
    case (.opened(let result), .jumping(let jump)):
      opened(result, jump, sound, at: now, &effects)
    case (.found, _), (.opened, _): break
    }
    return effects
  }

  private mutating func found(
    _ result: Result<PlayableSong?, MediaFailure>, from position: Double, _ sound: SoundState,
    at now: Duration, _ effects: inout [Effect]
  ) {
    switch result {
    case .success(let song?): start(song, at: position, sound, now, &effects)
    case .success(nil):
      let error = DeviceError(
        .notNow, "there is no disc in the player",
        hint: "Choose a song from the list of songs, or add a folder to the option \"folders\".")
      finish(error, &effects)
    case .failure(let failure): finish(DeviceError(failure), &effects)
    }
  }

  /// Ends `play` when its song was opened or not.
  private mutating func opened(
    _ result: Result<Place, MediaFailure>, _ song: PlayableSong, _ sound: SoundState,
    at now: Duration, _ effects: inout [Effect]
  ) {
    switch result {
    case .success(let place):
      effects.append(.resumeSound)
      changeStatus(to: .playing, at: place, sound, now, &effects)
      requestOrder(around: song, sound, &effects)
      finish(nil, &effects)
    case .failure(let failure):
      if failure.kind == .cancelled {
        halt(sound, at: now, &effects)
      } else {
        changeStatus(to: .failed, at: place, reason: failure.message, sound, now, &effects)
      }
      finish(DeviceError(failure), &effects)
    }
  }

  /// Ends a skip or seek when its song was opened. A skip passes over a song that cannot be opened.
  private mutating func opened(
    _ result: Result<Place, MediaFailure>, _ jump: Jump, _ sound: SoundState, at now: Duration,
    _ effects: inout [Effect]
  ) {
    switch result {
    case .success(let place):
      mustReopen = false
      changeStatus(to: jump.status, at: place, sound, now, &effects)
      requestOrder(around: jump.song, sound, &effects)
      finish(nil, &effects)
    case .failure(let failure):
      let error = DeviceError(failure)
      if failure.kind == .cancelled {
        effects += abandon(sound, at: now)
      } else if error.code == .failed, pass(jump, failure, sound, &effects) {
        return
      } else {
        changeStatus(to: .failed, at: jump.origin, reason: failure.message, sound, now, &effects)
      }
      finish(error, &effects)
    }
  }

  /// Goes on with the skip behind a song that could not be opened; false if no song follows.
  private mutating func pass(
    _ jump: Jump, _ failure: MediaFailure, _ sound: SoundState, _ effects: inout [Effect]
  ) -> Bool {
    guard jump.steps != 0 else { return false }
    let next = sound.order.neighbour(of: jump.song, steps: jump.steps)
    // Backwards, the beginning of the song before the skip comes last.
    guard let song = next ?? (jump.steps < 0 ? jump.origin.song : nil) else { return false }
    effects.append(.log(.warning, "left out: \(failure.message)"))
    step = .jumping(
      Jump(
        song: song, steps: next == nil ? 0 : jump.steps, origin: jump.origin, status: jump.status))
    effects.append(.open(song, seconds: 0, generation: nextGeneration()))
    return true
  }

  /// Requests the songs around `song`, so that the engine knows the next one.
  private func requestOrder(
    around song: PlayableSong, _ sound: SoundState, _ effects: inout [Effect]
  ) {
    guard !sound.order.contains(song) else { return }
    effects.append(.listDisc(song, generation: generation))
  }

  // MARK: Events and time

  /// Handles an event of the engine.
  mutating func handle(
    _ event: PlaybackEvent, _ sound: SoundState, at now: Duration
  ) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .nextSong(let song):
      // A command in progress asks for its own list.
      if step == nil { requestOrder(around: song, sound, &effects) }
      effects += tick(sound, at: now)
    case .skipped(let failure): effects.append(.log(.warning, "left out: \(failure.message)"))
    }
    return effects
  }

  /// Handles the end of a section of the cable: all of its sound was heard.
  mutating func drained(_ section: UInt32, _ sound: SoundState, at now: Duration) -> [Effect] {
    drainedSection = section
    var effects: [Effect] = []
    endIfDrained(sound, now, &effects)
    return effects
  }

  /// Reports what has become due: the next song that is heard, a lack of sound, the position.
  mutating func tick(_ sound: SoundState, at now: Duration) -> [Effect] {
    guard status == .playing else { return [] }
    var effects: [Effect] = []
    var isDue = lastReport + Self.positionInterval <= now
    if nextSupplyCheck <= now {
      // Says "opening" instead of "playing" as long as no sound comes: the disk may be slow or gone.
      if supply.update(remaining: sound.remaining, at: now) { isDue = true }
      nextSupplyCheck = now + SupplyMonitor.interval(remaining: sound.remaining)
    }
    if let heard = sound.place?.song, heard != place?.song, !isJumping { isDue = true }
    if isDue { report(sound, now, &effects) }
    nextSongCheck = songCheck(sound, now)
    return effects
  }

  /// Returns when to look at the heard song; nil once the newest one is heard.
  private func songCheck(_ sound: SoundState, _ now: Duration) -> Duration? {
    guard let newest = sound.newest, newest != sound.place?.song else { return nil }
    return now + Self.songPolling
  }

  // MARK: State and reports

  /// Whether a command is moving to another place: the next sound is then the command's result.
  private var isJumping: Bool { if case .jumping = step { true } else { false } }

  /// The heard place while a song plays, else the place where it stopped.
  private func heardPlace(_ sound: SoundState) -> Place? {
    status == .playing ? sound.place ?? place : place
  }

  /// Changes to a state and reports it with this place, even if another song is heard already: the
  /// song that a command asked for is reported before any that follows it.
  private mutating func changeStatus(
    to status: Playback.Status, at place: Place?, reason: String? = nil, _ sound: SoundState,
    _ now: Duration, _ effects: inout [Effect]
  ) {
    self.status = status
    self.reason = reason
    supply = SupplyMonitor()
    nextSupplyCheck = now
    effects.append(playbackReport(at: place, now))
    nextSongCheck = songCheck(sound, now)
    endIfDrained(sound, now, &effects)
  }

  /// Reports the state with the current place.
  private mutating func report(
    _ sound: SoundState, _ now: Duration, _ effects: inout [Effect]
  ) {
    let place = heardPlace(sound)
    reportEnd(before: place, sound, &effects)
    effects.append(playbackReport(at: place, now))
  }

  private mutating func playbackReport(at place: Place?, _ now: Duration) -> Effect {
    self.place = place
    lastReport = now
    return .report(
      Playback(
        supply.isWaiting ? .opening : status, item: place?.song.item,
        position: place?.seconds ?? 0, duration: place?.duration,
        reason: supply.isWaiting ? "no sound comes; waiting for the disk" : reason))
  }

  /// Reports the end of the current song, if the disc has gone on to another one by itself: as failed if its file
  /// ended too early.
  private func reportEnd(before next: Place?, _ sound: SoundState, _ effects: inout [Effect]) {
    guard !isJumping, status == .playing, let place, let next, next.song != place.song else {
      return
    }
    if let early = sound.earlyEnd(of: place.song) {
      effects.append(.log(.warning, early.failure.message))
      effects.append(
        .report(
          Playback(
            .failed, item: place.song.item, position: early.seconds, duration: place.duration,
            reason: early.failure.message)))
    } else if let duration = place.duration {
      effects.append(
        .report(
          Playback(
            .playing, item: place.song.item, position: duration, duration: duration, rate: 0)))
    }
  }

  /// Ends the disc when its last section was heard. That may be known before the answer that makes it
  /// play (a song of a few milliseconds), or while it is paused.
  private mutating func endIfDrained(
    _ sound: SoundState, _ now: Duration, _ effects: inout [Effect]
  ) {
    guard status == .playing, let drainedSection, sound.lastSection == drainedSection else {
      return
    }
    guard let last = heardPlace(sound) else { return }
    if let early = sound.earlyEnd(of: last.song) {
      let end = Place(song: last.song, seconds: early.seconds, duration: last.duration)
      reportEnd(before: end, sound, &effects)
      effects.append(.log(.warning, early.failure.message))
      return changeStatus(
        to: .failed, at: end, reason: early.failure.message, sound, now, &effects)
    }
    let end = Place(
      song: last.song, seconds: last.duration ?? last.seconds, duration: last.duration)
    reportEnd(before: end, sound, &effects)
    changeStatus(to: .ended, at: end, sound, now, &effects)
  }
}

extension SoundState {
  /// Returns the early end of a song; nil if its file is whole.
  fileprivate func earlyEnd(of song: PlayableSong) -> EarlyEnd? {
    earlyEnds.last { $0.song == song }
  }
}

extension [PlayableSong] {
  /// Returns the song `steps` after this one; nil beyond either end, and for a song that is not in the list.
  func neighbour(of song: PlayableSong, steps: Int = 1) -> PlayableSong? {
    guard let index = firstIndex(where: { $0 == song }) else { return nil }
    let wanted = index + steps
    return indices.contains(wanted) ? self[wanted] : nil
  }
}

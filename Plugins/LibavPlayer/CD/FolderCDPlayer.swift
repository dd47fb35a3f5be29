import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A CD player whose discs are folders of music files.
///
/// Commands run one after the other. Background tasks watch the heard position, the end of a song and
/// the end of the disc.
actor FolderCDPlayer: PlayerDevice {
  /// Polling interval of the heard position, while the cable already carries the next song.
  private static let songPolling = Duration.milliseconds(50)
  /// Interval between two reports of the position while nothing else happens.
  private static let positionInterval = Duration.seconds(5)
  /// The position in seconds up to which `previous` means the song before; later it means the current
  /// song's beginning.
  private static let restartLimit = 3.0
  /// The most skipped files of a scan that the log names; it counts the rest.
  private static let mostNamedFiles = 20

  private let context: DeviceContext
  private let library: MediaLibrary
  private let clock: any TheaterClock
  private let engine: PlaybackEngine
  private let ownFolders: [String]
  private var isOn = false
  private var tray = "closed"
  private var playback: PlaybackReporter
  /// The last section that was heard to its end.
  private var drainedSection: UInt32?
  /// Whether a command is moving to another place: the next sound is then the command's result.
  private var isJumping = false
  /// Number of times that a place was opened; a command that is not the newest changes nothing.
  private var openings = 0
  /// Whether a cancelled command has dropped the sound, so that resuming opens the song again.
  private var mustReopen = false
  private var backgroundTasks: [Task<Void, Never>] = []
  private let positionReports = Trigger<Void>()
  private let supplyChecks = Trigger<Void>()
  private let songReports = Trigger<PlayableSong>()
  private let orderRequests = Trigger<PlayableSong>(buffering: .unbounded)

  /// Creates a player over the folders of its option `folders` and those that are scanned later.
  init(
    context: DeviceContext, library: MediaLibrary = MediaLibrary(),
    clock: any TheaterClock = SystemClock(), cableClock: any CableClock = MonotonicClock()
  ) throws(DeviceError) {
    self.context = context
    self.library = library
    self.clock = clock
    playback = PlaybackReporter(context: context, clock: clock)
    ownFolders = try OptionReader(context.options).texts("folders")
    do {
      engine = try PlaybackEngine(clock: cableClock) { library.listDisc(of: $0) }
    } catch {
      throw DeviceError(.failed, error.message)
    }
  }

  func open() async throws(DeviceError) -> Capabilities {
    for path in ownFolders {
      do {
        _ = try library.add(path)
      } catch {
        // The disk may be mounted later; the other folders can be played.
        context.log(.warning, error.message)
      }
    }
    startBackgroundTasks()
    context.report([.power: "off", .tray: .string(tray)])
    report()
    return Capabilities(names: ["seek"], cables: [.pcm])
  }

  func close() async {
    for task in backgroundTasks { task.cancel() }
    positionReports.finish()
    supplyChecks.finish()
    songReports.finish()
    orderRequests.finish()
    engine.close()
  }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
    switch command {
    case .on: return turnOn()
    case .off: return turnOff()
    default:
      guard isOn else {
        throw DeviceError(.notNow, "the CD player is off", hint: "Turn it on first.")
      }
    }
    switch command {
    case .on, .off: break
    case .play(let request): try await play(request)
    case .pause: try pause()
    case .stop: halt()
    case .eject: eject()
    case .seek(let seconds): try await seek(seconds)
    case .next: try await skip(1)
    case .previous: try await skip(-1)
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await engine.source.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    var found: [CatalogueItem] = []
    for path in folder.map({ [$0] }) ?? ownFolders {
      do {
        let (items, skipped) = try await library.scan(path)
        found += items
        log(skipped, in: path)
      } catch {
        guard folder == nil else { throw DeviceError(error) }
        context.log(.warning, error.message)
      }
    }
    return found
  }

  private func log(_ skipped: SkippedFiles, in path: String) {
    let named = skipped.failures.prefix(Self.mostNamedFiles)
    for failure in named { context.log(.warning, "not listed: \(failure.message)") }
    let rest = skipped.count - named.count
    if rest > 0 { context.log(.warning, "not listed in \(path): \(rest) more files") }
  }

  // MARK: Power and tray

  private func turnOn() {
    guard !isOn else { return }
    isOn = true
    engine.warmUp()
    context.report([.power: "on"])
  }

  private func turnOff() {
    halt()
    isOn = false
    context.report([.power: "off"])
  }

  private func eject() {
    halt()
    setTray("open")
    changeStatus(to: .stopped, at: nil)
  }

  private func setTray(_ state: String) {
    guard tray != state else { return }
    tray = state
    context.report([.tray: .string(state)])
  }

  // MARK: Playback commands

  /// Plays an item, resumes after a pause, or begins the disc.
  private func play(_ request: PlayRequest) async throws(DeviceError) {
    if request.item == nil, request.position == nil {
      if status == .playing { return report() }
      if status == .paused { return try await resume() }
    }
    let song: PlayableSong
    if let item = request.item {
      song = try await find(item)
    } else {
      song = try await firstSong(from: request.position)
    }
    setTray("closed")
    try await start(song, at: request.position ?? 0)
  }

  /// Stops the sound and keeps the place.
  private func pause() throws(DeviceError) {
    switch status {
    case .playing:
      let stopped = engine.source.pause()
      let place = engine.place(at: stopped) ?? playback.place
      reportEnd(before: place)
      changeStatus(to: .paused, at: place)
    case .paused, .stopped, .ended: report()
    case .opening, .failed: throw DeviceError(.notNow, "nothing is playing")
    }
  }

  /// Seeks to a position in the current song, in seconds.
  private func seek(_ seconds: Double) async throws(DeviceError) {
    try await jump(to: requirePlace().song, seconds: seconds)
  }

  /// Skips `steps` songs. A step back leads to the beginning of the current song first.
  func skip(_ steps: Int) async throws(DeviceError) {
    let place = try requirePlace()
    if steps < 0, place.seconds > Self.restartLimit {
      return try await jump(to: place.song, seconds: 0)
    }
    if !engine.order.contains(place.song) {
      engine.setOrder(await library.disc(of: place.song))
    }
    var song = place.song
    let before = status
    while let next = engine.neighbour(of: song, steps: steps) {
      do {
        return try await jump(to: next, seconds: 0, status: before)
      } catch  where error.code == .failed {
        context.log(.warning, "left out: \(error.message)")
        song = next
      }
    }
    guard steps < 0 else { throw DeviceError(.notNow, "this is the last song of the disc") }
    try await jump(to: place.song, seconds: 0, status: before)
  }

  /// Returns the current place; throws unless a song plays or is paused.
  private func requirePlace() throws(DeviceError) -> Place {
    guard let place, [.playing, .paused].contains(status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a song first.")
    }
    return place
  }

  /// Ends the sound and closes the file.
  private func halt() {
    mustReopen = false
    engine.stop()
    engine.source.resume()
    changeStatus(
      to: .stopped, at: place.map { Place(song: $0.song, seconds: 0, duration: $0.duration) })
  }

  private func resume() async throws(DeviceError) {
    if mustReopen, let place = playback.place {
      return try await start(place.song, at: place.seconds)
    }
    engine.source.resume()
    changeStatus(to: .playing, at: playback.place)
  }

  private func start(_ song: PlayableSong, at seconds: Double) async throws(DeviceError) {
    openings += 1
    mustReopen = false
    changeStatus(to: .opening, at: Place(song: song, seconds: seconds, duration: nil))
    switch await engine.play(song, seconds: seconds) {
    case .success(let place):
      engine.source.resume()
      changeStatus(to: .playing, at: place)
      orderRequests.fire(song)
    case .failure(let failure):
      if failure.kind == .cancelled {
        halt()
      } else {
        changeStatus(to: .failed, at: playback.place, reason: failure.message)
      }
      throw DeviceError(failure)
    }
  }

  /// Moves to another place or song; a playing player goes on playing, a paused one stays paused.
  ///
  /// - Parameter wanted: The status afterwards, where a song that could not be opened has changed it.
  private func jump(
    to song: PlayableSong, seconds: Double, status wanted: Playback.Status? = nil
  ) async throws(DeviceError) {
    let before = status
    openings += 1
    let opening = openings
    isJumping = true
    let result = await engine.play(song, seconds: seconds)
    isJumping = false
    if case .failure(let failure) = result, failure.kind == .cancelled {
      // The engine has dropped the sound of the place before. A newer command opens its own.
      if opening == openings, status == .playing || status == .paused {
        mustReopen = true
        // The next skip or seek would be heard on a cable that is not paused.
        engine.source.pause()
        engine.stop()
        if status == .playing { changeStatus(to: .paused, at: playback.place) }
      }
      throw DeviceError(failure)
    }
    // A stop may have come meanwhile.
    guard status == before else { return }
    switch result {
    case .success(let place):
      mustReopen = false
      changeStatus(to: wanted ?? before, at: place)
      orderRequests.fire(song)
    case .failure(let failure):
      changeStatus(to: .failed, at: playback.place, reason: failure.message)
      throw DeviceError(failure)
    }
  }

  private func find(_ item: String) async throws(DeviceError) -> PlayableSong {
    do {
      return try await library.resolve(item, clock: clock)
    } catch {
      throw DeviceError(error)
    }
  }

  /// Returns the song that `play` without an item begins with: the current one when a position is
  /// given, else the first of the current disc, else the first of all.
  private func firstSong(from position: Double?) async throws(DeviceError) -> PlayableSong {
    if let song = playback.place?.song {
      if position != nil { return song }
      return await library.disc(of: song).first ?? song
    }
    guard let first = await library.firstDisc().first else {
      throw DeviceError(
        .notNow, "there is no disc in the player",
        hint: "Choose a song from the list of songs, or add a folder to the option \"folders\".")
    }
    return first
  }

  // MARK: State and reports

  private var status: Playback.Status { playback.status }

  /// The heard place while a song plays, else the place where it stopped.
  private var place: Place? {
    status == .playing ? engine.place ?? playback.place : playback.place
  }

  /// Changes to a state and reports it with this place, even if another song is heard already: the
  /// song that a command asked for is reported before any that follows it.
  private func changeStatus(to status: Playback.Status, at place: Place?, reason: String? = nil) {
    playback.changeStatus(to: status, at: place, reason: reason)
    if status == .playing {
      positionReports.fire()
      supplyChecks.fire()
      if let next = engine.newest, next != place?.song { songReports.fire(next) }
    }
    endIfDrained()
  }

  /// Reports the state with the current place.
  private func report() {
    reportEnd(before: place)
    playback.report(at: place)
  }

  /// Reports the end of the current song, if the disc has gone on to another one by itself.
  private func reportEnd(before next: Place?) {
    if !isJumping { playback.reportEnd(before: next) }
  }

  /// Ends the disc when its last section was heard. That may be known before the answer that makes it
  /// play (a song of a few milliseconds), or while it is paused.
  private func endIfDrained() {
    guard status == .playing, let drainedSection, engine.lastSection == drainedSection else {
      return
    }
    let end = place.map {
      Place(song: $0.song, seconds: $0.duration ?? $0.seconds, duration: $0.duration)
    }
    reportEnd(before: end)
    changeStatus(to: .ended, at: end)
  }

  // MARK: Background tasks

  private func startBackgroundTasks() {
    backgroundTasks = [
      Task { for await event in engine.events { self.handle(event) } },
      Task { for await event in engine.source.events { self.handle(event) } },
      Task { for await song in orderRequests.requests { await self.loadOrder(around: song) } },
      Task { for await _ in positionReports.requests { await self.reportPositions() } },
      Task { for await song in songReports.requests { await self.reportSongs(from: song) } },
      Task { for await _ in supplyChecks.requests { await self.checkSupply() } },
    ]
  }

  private func handle(_ event: PlaybackEvent) {
    switch event {
    case .nextSong(let song): songReports.fire(song)
    case .skipped(let failure): context.log(.warning, "left out: \(failure.message)")
    }
  }

  private func handle(_ event: CableSourceEvent) {
    switch event {
    case .drained(let section):
      drainedSection = section
      endIfDrained()
    case .unplugged(let error): context.log(.info, "the cable is not connected: \(error.message)")
    case .plugged, .heard: break
    }
  }

  /// Tells the engine which songs surround `song`, so that it knows the next one.
  private func loadOrder(around song: PlayableSong) async {
    guard !engine.order.contains(song) else { return }
    engine.setOrder(await library.disc(of: song))
  }

  private func reportPositions() async {
    while status == .playing {
      if clock.now() - playback.lastReport >= Self.positionInterval { report() }
      do {
        try await clock.sleep(until: playback.lastReport + Self.positionInterval)
      } catch {
        return
      }
    }
  }

  /// Reports each song from `song` on when it is heard, until the newest one on the cable is.
  private func reportSongs(from song: PlayableSong) async {
    orderRequests.fire(song)
    // A jump may keep the song from ever being heard; a pause ends the loop until play resumes.
    while status == .playing, let newest = engine.newest {
      let heard = engine.place?.song
      if heard != nil, heard != playback.place?.song, !isJumping { report() }
      if heard == newest { return }
      do { try await clock.sleep(for: Self.songPolling) } catch { return }
    }
  }

  /// Reports "opening" instead of "playing" as long as no sound comes: the disk may be slow or gone.
  private func checkSupply() async {
    while status == .playing {
      let remaining = engine.remainingSound
      if playback.updateSupply(remaining: remaining) { report() }
      do {
        try await clock.sleep(for: SupplyMonitor.interval(remaining: remaining))
      } catch {
        return
      }
    }
  }
}

/// The reported playback state of a CD player.
struct PlaybackReporter {
  private let context: DeviceContext
  private let clock: any TheaterClock
  private(set) var status = Playback.Status.stopped
  /// The last reported place; where the song stands while it does not play.
  private(set) var place: Place?
  /// When the state was reported last.
  private(set) var lastReport = Duration.zero
  private var reason: String?
  private var supply = SupplyMonitor()

  init(context: DeviceContext, clock: any TheaterClock) {
    self.context = context
    self.clock = clock
  }

  /// Changes to a state and reports it.
  mutating func changeStatus(to status: Playback.Status, at place: Place?, reason: String?) {
    self.status = status
    self.reason = reason
    supply = SupplyMonitor()
    report(at: place)
  }

  /// Reports the state with a place.
  mutating func report(at place: Place?) {
    self.place = place
    lastReport = clock.now()
    context.report(
      Playback(
        supply.isWaiting ? .opening : status, item: place?.song.item,
        position: place?.seconds ?? 0, duration: place?.duration,
        reason: supply.isWaiting ? "no sound comes; waiting for the disk" : reason))
  }

  /// Reports the current song at its end, if `next` lies in another song.
  func reportEnd(before next: Place?) {
    guard status == .playing, let ended = place, let next, next.song != ended.song,
      let duration = ended.duration
    else { return }
    context.report(
      Playback(.playing, item: ended.song.item, position: duration, duration: duration, rate: 0))
  }

  /// Records for how long the written sound lasts. Returns whether that changes the reported state.
  mutating func updateSupply(remaining: Duration) -> Bool {
    supply.update(remaining: remaining, at: clock.now())
  }
}

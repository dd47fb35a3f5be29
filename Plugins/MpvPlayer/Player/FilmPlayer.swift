import Devices
import Glibc
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A player that plays with mpv, and starts mpv again when it crashes or hangs.
///
/// Commands run one after the other. At the same time, one task handles mpv's events, and another one asks mpv for the
/// position.
actor FilmPlayer {
  /// The time between two requests for the position while a medium plays. They also detect an mpv that hangs.
  static let pollingInterval = Duration.milliseconds(300)
  /// The time between two requests for the position while a medium is paused.
  static let pollingInPause = Duration.seconds(5)
  /// The longest wait for mpv's answer about the position while a medium plays.
  static let patience = Duration.milliseconds(800)
  /// The longest wait for mpv's answer while a medium is opened or a seek is in progress.
  static let patienceWhileOpening = Duration.seconds(6)
  /// The longest wait for each of the two steps of an opening: until mpv has read the medium, and until the medium
  /// plays. The controller waits 30 s for the command.
  static let longestOpening = Duration.seconds(25)
  /// The longest time that a seek may take.
  static let longestSeek = Duration.seconds(6)
  /// The longest wait for a lent PCM that another player still holds, or for mpv to close it.
  static let longestHandover = Duration.seconds(3)
  /// The largest number of skipped files of a scan that the log names. It states only the number of the others.
  private static let mostNamedFiles = 20

  private let context: DeviceContext
  private let library: FilmLibrary
  private let pictures: ItemPictures
  private let options: MpvOptions
  private let isCD: Bool
  private let setup: MpvSetup
  private let clock: any TheaterClock
  private let cable: SoundCable?
  /// The name of the ALSA PCM that the amplifier lends; empty without one.
  private var lentPCM = ""
  private var process: MpvProcess?
  private var polling: Task<Void, Never>?
  private var reports: PlayerReports
  private var entry = MpvEntry()
  private var restarts = RestartLimit()
  private var progress = ProgressMonitor()
  private var isOn = false
  private var isStereo: Bool
  /// The medium that is loaded or being opened.
  private var medium: Medium?
  /// The number of openings and stops. A task that waited compares it: after a change, a newer opening or stop has
  /// replaced the task's own one.
  private var openings = 0
  /// Whether a seek or an opening is in progress.
  private var isMoving = false
  /// Whether the medium that is being opened begins paused: a `pause` came while mpv restarts or the next song opens.
  private var isPauseWanted = false

  init(
    context: DeviceContext, isCD: Bool, setup: MpvSetup = MpvSetup(),
    clock: any TheaterClock = SystemClock()
  ) throws(DeviceError) {
    self.context = context
    self.isCD = isCD
    self.setup = setup
    self.clock = clock
    reports = PlayerReports(context, clock: clock)
    options = try MpvOptions(context.options)
    isStereo = options.isStereo
    library = FilmLibrary(options, isCD: isCD, setup: setup, clock: clock)
    pictures = ItemPictures(
      library: library, isCD: isCD, stills: StillMaker(setup: setup, clock: clock),
      cache: setup.pictureFolder.map { PictureCache(folder: $0) })
    guard options.isCable else {
      cable = nil
      return
    }
    guard let module = setup.module else { throw .noModule }
    do throws(SystemError) {
      cable = try SoundCable(module: module) { context.requestPlug() }
    } catch {
      throw DeviceError(.failed, "the folder for mpv's sound cannot be made: \(error)")
    }
  }

  // MARK: The device

  func open() -> Capabilities {
    for path in options.folders {
      do throws(MediaFailure) {
        try library.add(path)
      } catch {
        // The disk may be mounted later; the other folders can be played.
        context.log(.warning, error.message)
      }
    }
    var values: [StateKey: JSON] = [.power: "off", .tray: .string(reports.tray)]
    if !isCD { values[.audio] = .string(isStereo ? "twoChannel" : "surround") }
    context.report(values)
    reports.report()
    Task { await self.readTray() }
    let kind: CableKind = options.isLent ? .alsa : options.isCable ? .pcm : .wired
    return Capabilities(names: ["seek"], cables: [kind])
  }

  func close() async {
    polling?.cancel()
    openings += 1
    medium = nil
    await quit()
    cable?.close()
  }

  func plug(into socket: CableSocket) throws(DeviceError) {
    do throws(SystemError) {
      try cable?.plug(socket)
    } catch {
      throw DeviceError(.failed, "the cable file of mpv's sound cannot be written: \(error)")
    }
  }

  /// Plays on this lent PCM from now on. With an empty name, the film continues without being heard.
  func switchOutput(toPCM pcm: String) async throws(DeviceError) {
    guard options.isLent else { throw .notLent }
    lentPCM = pcm
    guard let link = process?.link, medium != nil else { return }
    let isConnected: Bool
    do throws(MpvFailure) {
      let deadline = clock.now() + Self.longestHandover
      isConnected = try await link.switchOutput(toPCM: pcm, until: deadline, on: clock)
    } catch {
      // A process that has ended holds no PCM, and the next process is started with the new one.
      if error == .closed { return }
      throw DeviceError(.failed, "mpv did not change its sound device: \(error.text)")
    }
    if !isConnected { throw .notHandedOver(pcm) }
  }

  func turnOn() async throws(DeviceError) {
    if !isOn { _ = try runningProcess() }
    isOn = true
    context.report([.power: "on"])
  }

  func turnOff() async {
    await stop()
    await quit()
    isOn = false
    context.report([.power: "off"])
  }

  func requireOn() throws(DeviceError) {
    guard isOn else { throw DeviceError(.notNow, "the player is off", hint: "Turn it on first.") }
  }

  /// Lists the media of a folder; without one, those of the configured folders, the streams and the disc. Can run at
  /// the same time as a command.
  nonisolated func scan(_ folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    var count = 0
    let items: [CatalogueItem]
    do throws(MediaFailure) {
      items = try await library.scan(folder) { failure in
        count += 1
        if count <= Self.mostNamedFiles {
          context.log(.warning, "not listed: \(failure.message)")
        }
      }
    } catch {
      throw DeviceError(error)
    }
    let rest = count - Self.mostNamedFiles
    if rest > 0 { context.log(.warning, "not listed: \(rest) more files") }
    return items
  }

  /// Returns the picture of an item; nil if there is none. Can run at the same time as a command.
  nonisolated func picture(of item: String) async -> ItemPicture? {
    await pictures.picture(of: item)
  }

  // MARK: Commands

  func play(_ request: PlayRequest) async throws(DeviceError) {
    if request.item == nil, request.position == nil {
      if reports.status == .playing { return reports.report() }
      if reports.status == .paused { return try await resume() }
    }
    // A medium that is opened again after a crash of mpv goes on at its position.
    let reopened = reports.status == .opening && request.item == nil ? medium : nil
    let lastPosition = reports.position
    var wanted = request.item ?? reports.item
    // One wait for the drive in total, because the controller waits only 30 s for the command.
    let deadline = clock.now() + Drive.longestSpinUp
    if wanted == nil || wanted == FilmLibrary.disc || reports.tray != "closed" {
      await closeTray(until: deadline)
    }
    if wanted == nil { wanted = await library.defaultItem() }
    guard let item = wanted else { throw .nothingToPlay(isCD: isCD) }
    restarts.reset()
    do throws(MediaFailure) {
      let medium = try await library.resolve(item, until: deadline)
      isPauseWanted = false
      try await start(medium, at: request.position ?? (medium == reopened ? lastPosition : 0))
    } catch {
      throw DeviceError(error)
    }
  }

  func pause() async throws(DeviceError) {
    switch reports.status {
    case .playing:
      let seconds = reports.position
      do throws(MpvFailure) {
        guard let process else { throw .closed }
        try await process.link.set("pause", true)
      } catch {
        throw DeviceError(.failed, "mpv did not pause: \(error.text)")
      }
      let reported = await process?.link.position()
      // The film may have ended meanwhile, or the next song may be opened.
      if reports.status == .opening { isPauseWanted = true }
      guard reports.status == .playing else { return }
      reports.report(.paused, at: reported ?? seconds)
    case .paused, .stopped, .ended: reports.report()
    case .opening where medium != nil: isPauseWanted = true
    case .opening, .failed: throw DeviceError(.notNow, "nothing is playing")
    }
  }

  private func resume() async throws(DeviceError) {
    // Between two songs: the next one plays.
    guard let medium else { return reports.report(.playing, at: reports.position) }
    let seconds = reports.position
    if let link = process?.link, entry.isLoaded, (try? await link.set("pause", false)) != nil {
      reports.report(.playing, at: seconds)
      return reports.setStalled(entry.isStalled)
    }
    isPauseWanted = false
    do throws(MediaFailure) {
      try await start(medium, at: seconds)
    } catch {
      throw DeviceError(error)
    }
  }

  func stop() async {
    openings += 1
    medium = nil
    isPauseWanted = false
    entry.unload()
    entry.cancelWaiting()
    await stopProcess()
    reports.report(.stopped, at: 0)
  }

  /// Makes mpv stop the medium that it plays or opens. Kills an mpv that does not answer.
  private func stopProcess() async {
    if let process, (try? await process.link.ask(["stop"])) == nil {
      process.kill()
      await process.waitForEnd()
    }
  }

  func seek(_ seconds: Double) async throws(DeviceError) {
    guard medium != nil, reports.isActive else { throw .nothingPlays }
    guard reports.facts.isSeekable else {
      throw DeviceError(.unsupported, "this medium has no other positions to go to")
    }
    let wanted = reports.facts.duration.map { min(seconds, $0) } ?? seconds
    let opening = openings
    let outcome = await seekInProcess(wanted)
    // A stop or the end of the film may have come meanwhile.
    guard opening == openings, reports.isActive else { return }
    reports.setPosition(wanted)
    switch outcome {
    case .playing:
      // On a DVD, mpv goes to the nearest position at which the DVD can start.
      let reported = await process?.link.position()
      guard opening == openings, reports.isActive else { return }
      reports.setPosition(reported ?? wanted)
      reports.report()
      reportProgress()
    case .ended: await finish(opening: opening)
    case .died, .loaded: await recover()
    case .failed(let reason): throw DeviceError(.failed, reason)
    }
  }

  private func seekInProcess(_ seconds: Double) async -> MpvEntry.Outcome {
    guard let link = process?.link else { return .died }
    let waiter = entry.expectOutcome()
    isMoving = true
    defer {
      isMoving = false
      entry.endWaiting()
    }
    guard (try? await link.ask(["seek", .number(seconds), "absolute+exact"])) != nil else {
      return .died
    }
    return await waiter.outcome(within: Self.longestSeek, on: clock)
  }

  /// Goes to the next chapter or song (`steps` 1), or to the previous one or the beginning (`steps` -1).
  func skip(_ steps: Int) async throws(DeviceError) {
    guard let medium, reports.isActive else { throw .nothingPlays }
    let seconds = reports.position
    switch reports.facts.chapterStep(steps, from: seconds) {
    case .begin(let begin): return try await seek(begin)
    case .behindLast where medium.isAudioCD: throw .lastSong
    case .behindLast: throw DeviceError(.notNow, "this is the last chapter")
    case nil: break
    }
    if steps < 0, seconds > MediaFacts.restartLimit || !isCD { return try await seek(0) }
    guard isCD else { throw DeviceError(.notNow, "this film has no chapters") }
    guard let next = await library.neighbour(of: medium.item, steps: steps) else {
      if steps < 0 { return try await seek(0) }
      throw .lastSong
    }
    let isPaused = reports.status == .paused
    do throws(MediaFailure) {
      let song = try await library.resolve(next)
      isPauseWanted = false
      try await start(song, at: 0, isPaused: isPaused, isAnnounced: false)
    } catch {
      throw DeviceError(error)
    }
  }

  func eject() async throws(DeviceError) {
    await stop()
    if await library.drive.isDevice() {
      reports.setTray("moving")
      do throws(SystemError) {
        try await library.drive.eject(on: clock)
      } catch {
        await readTray()
        throw .notEjected(library.drive.path, error)
      }
    }
    reports.setTray("open")
  }

  /// Reads the state of the tray from the drive, and reports it.
  private func readTray() async {
    guard await library.drive.isDevice() else { return }
    reports.setTray(await library.drive.state() == .openTray ? "open" : "closed")
  }

  /// Closes an open tray, and reports it. Then waits until the drive is no longer busy, at most until `deadline`. A
  /// tray without a motor stays open.
  private func closeTray(until deadline: Duration) async {
    let drive = library.drive
    guard await drive.isDevice() else { return reports.setTray("closed") }
    var state = await drive.state()
    if state == .openTray {
      reports.setTray("moving")
      state = await drive.closeTray(until: deadline, on: clock)
    }
    reports.setTray(state == .openTray ? "open" : "closed")
  }

  /// Sends two channels to the amplifier, or all channels of the film.
  func setStereo(_ isStereo: Bool) async throws(DeviceError) {
    do throws(MpvFailure) {
      try await process?.link.setChannels(isStereo: isStereo)
    } catch {
      throw DeviceError(.failed, "mpv did not change the channels: \(error.text)")
    }
    self.isStereo = isStereo
    context.report([.audio: isStereo ? "twoChannel" : "surround"])
  }

  // MARK: Opening a medium

  /// Opens a medium and plays it. If mpv crashes or hangs meanwhile, starts mpv again.
  ///
  /// - Parameters:
  ///   - seconds: The position at which the medium begins.
  ///   - isAnnounced: Whether the status `opening` is reported first.
  /// - Throws: `cancelled` after a newer command, `unsupported` if the medium cannot be played.
  private func start(
    _ medium: Medium, at seconds: Double, isPaused: Bool = false, isAnnounced: Bool = true
  ) async throws(MediaFailure) {
    openings += 1
    let opening = openings
    self.medium = medium
    // Late events of the medium before are ignored from now on.
    entry.unload()
    reports.setOpening(medium.item, at: seconds)
    if isAnnounced { reports.report() }
    startPolling()
    while true {
      let outcome = await load(medium, at: seconds, isPaused: isPaused)
      if Task.isCancelled, opening == openings { await stop() }
      guard opening == openings else { throw .newerCommand(medium) }
      switch outcome {
      case .playing: return await begin(at: seconds, isPaused: isPaused)
      case .ended:
        adoptScannedDuration()
        reports.report(.playing, at: seconds)
        return await finish(opening: opening)
      case .failed(let reason): throw await abandon(medium, opening: opening, reason)
      case .died, .loaded:
        guard let pause = restarts.restart(at: clock.now()) else {
          throw await abandon(medium, opening: opening, .tooManyRestarts)
        }
        try? await clock.sleep(until: clock.now() + pause)
        guard opening == openings else { throw .newerCommand(medium) }
      }
    }
  }

  /// Stops a medium that cannot be played, reports the failure and returns it; `cancelled` after a newer command.
  private func abandon(_ medium: Medium, opening: Int, _ reason: String) async -> MediaFailure {
    // mpv may still be opening the medium, or may play it without an output.
    await stopProcess()
    guard opening == openings else { return .newerCommand(medium) }
    return fail(reason)
  }

  /// Loads a medium and waits until it plays or fails.
  private func load(_ medium: Medium, at seconds: Double, isPaused: Bool) async -> MpvEntry.Outcome
  {
    isMoving = true
    defer { isMoving = false }
    let opening = openings
    await cable?.waitUntilFresh(until: clock.now() + .milliseconds(500), on: clock)
    // A stop may come at any time: after a crash, the film is opened by a task that runs at the same time as commands.
    guard opening == openings else { return .ended }
    entry.beginOpening()
    let process: MpvProcess
    do throws(DeviceError) {
      process = try runningProcess()
    } catch {
      return .failed(error.message)
    }
    do throws(MpvFailure) {
      let link = process.link
      try await link.prepare(
        medium, at: seconds, isPaused: isPaused || isPauseWanted, isStereo: isStereo)
      if options.isLent {
        try await link.set("audio-device", .string(MpvOptions.audioDevice(lentPCM)))
      }
      guard opening == openings else { return .ended }
      return try await load(medium, through: link)
    } catch {
      // A newer opening has its own waiter.
      if opening == openings { entry.endWaiting() }
      switch error {
      case .closed, .timeout:
        process.kill()
        await process.waitForEnd()
        if self.process === process { self.process = nil }
        return .died
      case .refused(let refusal): return .failed("mpv refused it: \(refusal.text)")
      }
    }
  }

  private func load(
    _ medium: Medium, through link: MpvLink
  ) async throws(MpvFailure) -> MpvEntry.Outcome {
    let opening = openings
    let waiter = entry.expectOutcome()
    entry.load(try await link.load(medium, within: Self.patienceWhileOpening))
    var outcome = await waiter.outcome(within: Self.longestOpening, on: clock)
    if case .loaded = outcome, opening == openings {
      reports.facts = try await MediaFacts(of: link)
      if medium.isDVD, let duration = reports.facts.duration {
        // mpv plays a title again at its end, unless the disc goes to a menu there. The position of the last frame is
        // a frame or two before the end.
        try await link.set("end", .string("\(duration - 0.1)"))
      }
      outcome = await waiter.outcome(within: Self.longestOpening, on: clock)
    }
    // A newer opening has its own waiter.
    guard opening == openings else { return outcome }
    // From here on, the end of the medium is a change that `handle` processes.
    entry.endWaiting()
    guard case .playing = outcome else { return outcome }
    // The outputs may have changed the tracks.
    var facts = try await MediaFacts(of: link)
    // If the medium has ended meanwhile, mpv has forgotten its facts: keep the earlier ones.
    if entry.hasEndedEarly || facts.tracks.isEmpty { return outcome }
    facts.duration = facts.duration ?? reports.facts.duration
    reports.facts = facts
    return try await checkOutputs(of: link) ?? outcome
  }

  /// Returns the failure of the medium if mpv could not open an output for its sound or picture. mpv itself would play
  /// on without it. Returns nil if each output is open.
  private func checkOutputs(of link: MpvLink) async throws(MpvFailure) -> MpvEntry.Outcome? {
    let facts = reports.facts
    if facts.hasSound, try await link.isWithout("current-ao") {
      let device = options.isCable ? "the cable to the amplifier" : "\"\(options.audioDevice)\""
      return .failed(
        "the sound cannot be played: the audio device \(device) could not be opened\(entry.logText)"
      )
    }
    if facts.hasPicture, try await link.isWithout("current-vo") { return .failed(entry.noPicture) }
    return nil
  }

  /// Reports that the medium plays, or is open and paused. Pauses it first if a `pause` came during the opening.
  private func begin(at seconds: Double, isPaused: Bool) async {
    let opening = openings
    var isPaused = isPaused
    var reported: Double?
    repeat {
      if isPauseWanted {
        isPauseWanted = false
        isPaused = true
        _ = try? await process?.link.set("pause", true)
      }
      reported = await process?.link.position()
    } while isPauseWanted && opening == openings
    // A newer opening or stop may have come meanwhile.
    guard opening == openings, let medium else { return }
    if medium.isAudioCD { reports.facts.nameSongs() }
    if reports.facts.title == nil { reports.facts.title = MediaFiles.title(of: medium.item) }
    adoptScannedDuration()
    reports.setStatus(isPaused ? .paused : .playing, at: reported ?? seconds)
    reports.reportFacts()
    reports.report()
    // mpv may have begun to wait for data while it opened the medium.
    reports.setStalled(entry.isStalled)
    if entry.hasEndedEarly { return await finish(opening: opening) }
    // mpv crashed after its last answer. `handleEvents` did not recover, because the status was still `opening`.
    if process == nil { await recover() }
  }

  /// Adopts the duration from the library if mpv has reported none.
  private func adoptScannedDuration() {
    guard reports.facts.duration == nil, let medium else { return }
    reports.facts.duration = library.duration(of: medium.item)
  }

  /// Reports that the medium cannot be played, and returns the error.
  private func fail(_ reason: String) -> MediaFailure {
    medium = nil
    entry.unload()
    reports.report(.failed, at: reports.position, reason: reason)
    return MediaFailure(.unsupported, subject: reports.item ?? "", detail: reason)
  }

  // MARK: The end of a medium

  /// Handles the end of the medium: plays the next song of a CD player, or reports the end of the playback.
  ///
  /// - Parameter opening: The number of openings and stops when the medium ended. Does nothing after a newer one.
  private func finish(opening: Int) async {
    guard opening == openings, let ended = medium else { return }
    let end = reports.facts.duration ?? reports.position
    medium = nil
    entry.unload()
    let next = isCD ? await library.neighbour(of: ended.item, steps: 1) : nil
    guard opening == openings else { return }
    guard let next else {
      await waitForSilence()
      guard opening == openings else { return }
      return reports.report(.ended, at: end)
    }
    // A pause may come meanwhile; then the next song begins paused.
    if reports.status == .playing { reports.reportLastFrame(of: ended.item, at: end) }
    do throws(MediaFailure) {
      let song = try await library.resolve(next)
      guard opening == openings else { return }
      let isPaused = reports.status == .paused
      try await start(song, at: 0, isPaused: isPaused, isAnnounced: isPaused)
    } catch {
      if error.kind == .cancelled { return }
      context.log(.warning, error.message)
      // `start` reports its own failures, and has changed `openings` then. Here the next song was not found.
      if opening == openings { reports.report(.failed, at: end, reason: error.message) }
    }
  }

  /// Waits until mpv has closed its sound output, at most about 1.2 s. By then the last frame was heard.
  private func waitForSilence() async {
    guard reports.facts.hasSound, let link = process?.link else { return }
    for _ in 0..<40 {
      guard let answer = try? await link.property("current-ao"), answer != nil,
        (try? await clock.sleep(until: clock.now() + .milliseconds(30))) != nil
      else { return }
    }
  }

  // MARK: The process

  /// Returns the running process; starts one if there is none.
  private func runningProcess() throws(DeviceError) -> MpvProcess {
    if let process { return process }
    let new: MpvProcess
    do throws(SystemError) {
      new = try setup.start(
        options,
        device: options.isLent ? lentPCM : options.isCable ? SoundCable.pcm : options.audioDevice,
        configuration: cable?.configuration, clock: clock)
    } catch {
      throw .notStarted(setup.program, error)
    }
    process = new
    entry = MpvEntry()
    Task { await self.handleEvents(of: new) }
    return new
  }

  private func quit() async {
    let last = process
    process = nil
    await last?.quit(clock: clock)
  }

  /// Handles the events of a process until it has ended, then resumes a medium that it was playing.
  private func handleEvents(of process: MpvProcess) async {
    await process.link.observe()
    for await event in process.link.events where self.process === process {
      if case .endFile(_, .error, _) = event {
        let opening = openings
        let lines = await process.link.takeLogLines()
        guard self.process === process else { continue }
        // The log of an earlier medium explains nothing of the present one.
        if opening == openings { for line in lines { handle(line) } }
      }
      handle(event)
    }
    // The connection may have ended before the process.
    process.kill()
    await process.waitForEnd()
    guard self.process === process else { return }
    self.process = nil
    if !entry.processEnded() { await recover() }
  }

  private func handle(_ event: MpvEvent) {
    switch entry.handle(event, isOpening: reports.status == .opening) {
    case .ended:
      guard medium != nil, reports.isActive else { return }
      // In a separate task, because opening the next song needs the events that this task handles. A newer opening may
      // come before that task runs.
      let opening = openings
      Task { await finish(opening: opening) }
    case .failed(let reason): if medium != nil { _ = fail(reason) }
    case .stalled(let isStalled): reports.setStalled(isStalled)
    case .chapter: reportProgress()
    case nil: break
    }
  }

  /// Resumes the medium in a new process at the last position, after mpv has crashed or was killed.
  private func recover() async {
    guard let medium, reports.isActive else { return }
    let seconds = reports.position
    let isPaused = reports.status == .paused
    context.log(.warning, "mpv ended unexpectedly; \(medium.item) goes on at \(Int(seconds)) s")
    let opening = openings
    guard let pause = restarts.restart(at: clock.now()) else {
      _ = await abandon(medium, opening: opening, .tooManyRestarts)
      return
    }
    try? await clock.sleep(until: clock.now() + pause)
    guard opening == openings else { return }
    do throws(MediaFailure) {
      try await start(medium, at: seconds, isPaused: isPaused)
    } catch {
      if error.kind != .cancelled { context.log(.error, error.message) }
    }
  }

  // MARK: The position

  private func startPolling() {
    guard polling == nil else { return }
    polling = Task {
      await self.poll()
      self.polling = nil
    }
  }

  /// Asks mpv for the position while there is a medium. Kills an mpv that does not answer or does not play.
  private func poll() async {
    while medium != nil {
      guard await waitForNextRequest() else { return }
      guard medium != nil, let process else { continue }
      let (opening, isMoving) = (openings, isMoving)
      do throws(MpvFailure) {
        let limit = isMoving ? Self.patienceWhileOpening : Self.patience
        let answer = try await Self.position(of: process.link, within: limit)
        let isSettled = opening == openings && !isMoving && !self.isMoving
        if !isSettled {
          progress.reset()
        } else if let fault = recordPosition(answer.number.flatMap(MediaFacts.seconds)) {
          restart(process, because: fault)
        }
      } catch {
        if error == .timeout { restart(process, because: "mpv does not answer") }
      }
      // Another task reports the end of the medium.
      if medium == nil || !reports.isDue { continue }
      reports.report()
      reportProgress()
    }
  }

  /// Waits until mpv is to be asked for the position again. Returns false in a cancelled task.
  ///
  /// A pause is waited out in short steps, so that a hang right after its end is detected as soon as any other.
  private func waitForNextRequest() async -> Bool {
    let start = clock.now()
    repeat {
      let next = clock.now() + Self.pollingInterval
      guard (try? await clock.sleep(until: next)) != nil else { return false }
    } while reports.status == .paused && clock.now() - start < Self.pollingInPause
    return true
  }

  /// Stores a position in seconds that mpv has reported while no seek was in progress. Returns the fault if mpv should
  /// play, but does not.
  private func recordPosition(_ seconds: Double?) -> String? {
    guard medium != nil, reports.status == .playing, !entry.isStalled else {
      progress.reset()
      return nil
    }
    if let seconds { reports.setPosition(seconds) }
    return progress.fault(
      at: seconds, hasSound: reports.facts.hasSound, hasOutput: entry.hasSoundOutput,
      now: clock.now())
  }

  /// Kills an mpv that hangs or does not play. `handleEvents` then resumes the medium in a new process.
  private func restart(_ process: MpvProcess, because fault: String) {
    context.log(.warning, "\(fault); it is started again")
    if reports.status == .playing { reports.resetToReportedPosition() }
    progress.reset()
    process.kill()
  }

  /// Returns mpv's answer about the position.
  ///
  /// Asks a second time after half of the limit. If the whole machine was suspended for a moment, the time of the first
  /// request is over before its answer could be read.
  private static func position(
    of link: MpvLink, within limit: Duration
  ) async throws(MpvFailure) -> JSON {
    let question: [JSON] = ["get_property", "time-pos"]
    do throws(MpvFailure) {
      return try await link.ask(question, within: limit / 2)
    } catch {
      guard error == .timeout else { throw error }
    }
    return try await link.ask(question, within: limit / 2)
  }

  private func reportProgress() {
    if medium != nil, !isMoving { reports.reportProgress() }
  }
}

extension MediaFailure {
  /// The failure of an opening that a newer command has replaced.
  fileprivate static func newerCommand(_ medium: Medium) -> MediaFailure {
    MediaFailure(.cancelled, subject: medium.item, detail: "it was replaced or given up")
  }
}

extension String {
  /// The reason why a medium failed: mpv crashed or hung too often.
  fileprivate static let tooManyRestarts =
    "mpv was started again \(RestartLimit.most) times, and crashed or hung again"
}

extension DeviceError {
  /// The error of lending a PCM to a player whose option `lending` is false.
  fileprivate static let notLent = DeviceError(
    .unsupported, "this player does not borrow the amplifier's sound device",
    hint: "Set its option \"lending\" to true.")

  /// The error of an mpv that did not open the lent PCM in time, or with an empty name, did not close it.
  fileprivate static func notHandedOver(_ pcm: String) -> DeviceError {
    let limit = "within \(Int(FilmPlayer.longestHandover / .seconds(1))) s"
    if pcm.isEmpty {
      return DeviceError(
        .failed, "mpv did not close the lent PCM \(limit)",
        hint: "Turn the player off: this ends mpv.")
    }
    return DeviceError(
      .failed, "mpv could not open the lent PCM \"\(pcm)\" \(limit)",
      hint: "Another program may use it; see: fuser -v /dev/snd/*")
  }

  /// The error of a seek or a skip without a medium.
  fileprivate static let nothingPlays = DeviceError(
    .notNow, "nothing is playing", hint: "Play a title first.")

  /// The error of `next` in the last song of a disc or folder.
  fileprivate static let lastSong = DeviceError(.notNow, "this is the last song of the disc")

  /// The error of a drive that did not open.
  fileprivate static func notEjected(_ path: String, _ error: SystemError) -> DeviceError {
    let hint =
      switch error.code {
      case EBUSY: "Another program uses the disc. End it, or see: fuser -v \(path)"
      case EACCES, EPERM: Drive.permissionHint
      default: "May this user open it? See: ls -l \(path)"
      }
    return DeviceError(
      .refused, "the drive \(path) did not open: \(error.description.lowercased())", hint: hint)
  }

  /// The error of `play` when the player has no disc, file or stream.
  fileprivate static func nothingToPlay(isCD: Bool) -> DeviceError {
    DeviceError(
      .notNow, "there is no disc in the player",
      hint:
        "Choose a title from the list of \(isCD ? "songs" : "films"), or add a folder to the option "
        + "\"folders\".")
  }
}

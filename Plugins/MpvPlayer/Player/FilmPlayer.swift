import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A player that plays with mpv, and starts mpv again when it crashes or hangs.
///
/// A ``FilmModel`` decides. This actor passes it the commands, mpv's events and answers, and the time, and carries out
/// the effects. Commands run one after the other; requests to mpv run beside them.
actor FilmPlayer {
  /// The longest wait for a lent PCM that another player still holds, or for mpv to close it.
  private static let longestHandover = Duration.seconds(3)
  /// The largest number of skipped files of a scan that the log names. It states only the number of the others.
  private static let mostNamedFiles = 20

  let context: DeviceContext
  let library: FilmLibrary
  private let pictures: ItemPictures
  let options: MpvOptions
  let isCD: Bool
  let clock: any TheaterClock
  let cable: SoundCable?
  private var model: FilmModel
  let processes: MpvProcesses
  /// The name of the ALSA PCM that the amplifier lends; empty without one.
  private(set) var lentPCM = ""
  private(set) var isStereo: Bool
  private var isOn = false
  private let tray: Tray
  /// The result of the command that the model executes.
  private var result: PendingResult?
  /// The newest request that opens a medium. The next one begins after it.
  private var opening: Task<Void, Never>?
  private var timer: (time: Duration, task: Task<Void, Never>)?

  init(
    context: DeviceContext, isCD: Bool, setup: MpvSetup = MpvSetup(),
    clock: any TheaterClock = SystemClock()
  ) throws(DeviceError) {
    let options = try MpvOptions(context.options)
    let library = FilmLibrary(options, isCD: isCD, setup: setup, clock: clock)
    self.context = context
    self.isCD = isCD
    self.clock = clock
    self.options = options
    self.library = library
    isStereo = options.isStereo
    let audioDevice = options.isCable ? "the cable to the amplifier" : "\"\(options.audioDevice)\""
    model = FilmModel(isCD: isCD, audioDevice: audioDevice) { library.duration(of: $0) }
    tray = Tray(library.drive, context: context, clock: clock)
    processes = MpvProcesses(context: context, options: options, setup: setup, clock: clock)
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

  func open() async -> Capabilities {
    // A disk may be mounted later; the other folders can be played.
    for failure in await library.addFolders() { context.log(.warning, failure.message) }
    var values: [StateKey: JSON] = [.power: "off", .tray: .string(await tray.state)]
    if !isCD { values[.audio] = .string(isStereo ? "twoChannel" : "surround") }
    context.report(values)
    apply([model.report(at: clock.now())])
    Task { await tray.read() }
    let kind: CableKind = options.isLent ? .alsa : options.isCable ? .pcm : .wired
    return Capabilities(names: ["seek"], cables: [kind])
  }

  func close() async {
    _ = model.stop()
    apply([])
    await processes.quit()
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
    guard let link = processes.current?.link, model.hasMedium else { return }
    let isConnected: Bool
    let seconds = model.canSeek ? await link.position() : nil
    let start = clock.now()
    do throws(MpvFailure) {
      let deadline = clock.now() + Self.longestHandover
      isConnected = try await link.switchOutput(toPCM: pcm, until: deadline, on: clock)
    } catch {
      // A process that has ended holds no PCM, and the next process is started with the new one.
      if error == .closed { return }
      throw DeviceError(.failed, "mpv did not change its sound device: \(error.text)")
    }
    if !isConnected { throw .notHandedOver(pcm, within: Self.longestHandover) }
    guard !pcm.isEmpty, let seconds else { return }
    // Without the PCM, the film has continued in real time.
    let passed = model.isPlaying ? (clock.now() - start) / .seconds(1) : 0
    try await resynchronize(at: seconds + passed)
  }

  func turnOn() async throws(DeviceError) {
    if !isOn { _ = try runningProcess() }
    isOn = true
    context.report([.power: "on"])
  }

  func turnOff() async {
    await stop()
    await processes.quit()
    apply(model.handleEndOfProcess(at: clock.now()))
    isOn = false
    context.report([.power: "off"])
  }

  func requireOn() throws(DeviceError) {
    guard isOn else { throw DeviceError(.notNow, "the player is off", hint: "Turn it on first.") }
  }

  /// Lists the media of a folder; without one, those of the configured folders, the streams and the disc. Can run at
  /// the same time as a command.
  nonisolated func list(_ folder: String?) async throws(DeviceError) -> CatalogueListing {
    var skipped = SkippedFiles()
    let items: [CatalogueItem]
    do throws(MediaFailure) {
      items = try await library.scan(folder) { failure in
        skipped.append(failure)
        if skipped.count <= Self.mostNamedFiles {
          context.log(.warning, "not listed: \(failure.message)")
        }
      }
    } catch {
      throw DeviceError(error)
    }
    let rest = skipped.count - Self.mostNamedFiles
    if rest > 0 { context.log(.warning, "not listed: \(rest) more files") }
    return CatalogueListing(items, leftOut: skipped.leftOut, leftOutCount: skipped.count)
  }

  /// Returns the picture of an item; nil if there is none. Can run at the same time as a command.
  nonisolated func picture(of item: String) async -> ItemPicture? {
    await pictures.picture(of: item)
  }

  // MARK: Commands

  func play(_ request: PlayRequest) async throws(DeviceError) {
    switch model.decide(request, at: clock.now()) {
    case .report: apply([model.report(at: clock.now())])
    case .resume: try await perform { $0.resume(at: $1) }
    case .open(let item, let seconds): try await open(item, at: seconds)
    }
  }

  private func open(_ wanted: String?, at seconds: Double) async throws(DeviceError) {
    var wanted = wanted
    // One wait for the drive in total, because the controller waits only 30 s for the command.
    let deadline = clock.now() + Drive.longestSpinUp
    let isClosed = await tray.state == "closed"
    if wanted == nil || wanted == FilmLibrary.disc || !isClosed {
      await tray.close(until: deadline)
    }
    if wanted == nil { wanted = await library.defaultItem() }
    guard let item = wanted else { throw .nothingToPlay(isCD: isCD) }
    let medium = try await resolve(item, until: deadline)
    try await perform { $0.play(FilmModel.Start(medium: medium, seconds: seconds), at: $1) }
  }

  private func resolve(
    _ item: String, until deadline: Duration? = nil
  ) async throws(DeviceError) -> Medium {
    do throws(MediaFailure) {
      return try await library.resolve(item, until: deadline)
    } catch {
      throw DeviceError(error)
    }
  }

  func pause() async throws(DeviceError) { try await perform { $0.pause(at: $1) } }

  func stop() async { try? await perform { model, _ in model.stop() } }

  func seek(_ seconds: Double) async throws(DeviceError) {
    try await perform { $0.seek(to: seconds, at: $1) }
  }

  /// Goes to the next chapter or song (`steps` 1), or to the previous one or the beginning (`steps` -1).
  func skip(_ steps: Int) async throws(DeviceError) {
    switch model.decideSkip(steps, at: clock.now()) {
    case .refuse(let error): throw error
    case .seek(let seconds): try await seek(seconds)
    case .open(let steps, let item, let isPaused):
      guard let next = await library.neighbour(of: item, steps: steps) else {
        if steps < 0 { return try await seek(0) }
        throw .lastSong
      }
      let song = try await resolve(next)
      let start = FilmModel.Start(medium: song, isPaused: isPaused, isAnnounced: false)
      try await perform { $0.play(start, at: $1) }
    }
  }

  func eject() async throws(DeviceError) {
    await stop()
    try await tray.eject()
  }

  /// Sends two channels to the amplifier, or all channels of the film.
  func setStereo(_ isStereo: Bool) async throws(DeviceError) {
    // A film that is being opened has no sound in the output yet.
    let seconds = model.canSeek ? await processes.current?.link.position() : nil
    do throws(MpvFailure) {
      try await processes.current?.link.setChannels(isStereo: isStereo)
    } catch {
      throw DeviceError(.failed, "mpv did not change the channels: \(error.text)")
    }
    let isNew = isStereo != self.isStereo
    self.isStereo = isStereo
    context.report([.audio: isStereo ? "twoChannel" : "surround"])
    if isNew { try await resynchronize(at: seconds) }
  }

  /// Seeks to the position at which mpv was asked to reopen its sound output.
  ///
  /// mpv drops the sound in the old output, about a second of it, and continues with the sound after it. So there would
  /// be a second of silence, and the picture would be late for the next five seconds.
  private func resynchronize(at seconds: Double?) async throws(DeviceError) {
    guard let seconds, model.canSeek else { return }
    try await seek(seconds)
  }

  // MARK: The model

  /// Begins a command, and waits for its result. A cancelled command is given up.
  private func perform(
    _ begin: (inout FilmModel, Duration) -> [FilmModel.Effect]
  ) async throws(DeviceError) {
    let result = PendingResult()
    self.result = result
    apply(begin(&model, clock.now()))
    do throws(DeviceError) {
      try await result.value()
    } catch {
      if self.result === result {
        // Its task was cancelled.
        self.result = nil
        apply(model.cancel())
      }
      throw error
    }
  }

  private func apply(_ effects: [FilmModel.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let ticket, let request): ask(request, ticket)
      case .kill: processes.killCurrent()
      case .report(let playback): context.report(playback)
      case .reportAttributes(let attributes): context.report(attributes: attributes)
      case .log(let level, let text): context.log(level, text)
      case .finish(let value):
        result?.finish(value)
        result = nil
      }
    }
    setTimer()
  }

  private func ask(_ request: FilmModel.Request, _ ticket: FilmModel.Ticket) {
    let previous = opening
    let task = Task {
      // Two openings at the same time would mix their properties.
      if case .open = request { await previous?.value }
      let answer = await self.answer(to: request, ticket)
      self.apply(self.model.handle(answer, to: ticket, at: self.clock.now()))
    }
    if case .open = request { opening = task }
  }

  /// Sets the timer to the model's deadline.
  private func setTimer() {
    let deadline = model.deadline
    guard deadline != timer?.time else { return }
    timer?.task.cancel()
    timer = deadline.map { deadline in
      let task = Task {
        guard (try? await clock.sleep(until: deadline)) != nil, !Task.isCancelled else { return }
        self.timer = nil
        self.apply(self.model.tick(at: max(deadline, self.clock.now())))
      }
      return (deadline, task)
    }
  }

  // MARK: The process

  /// Returns the running process; starts one if there is none.
  func runningProcess() throws(DeviceError) -> MpvProcess {
    if let process = processes.current { return process }
    let device = options.isLent ? lentPCM : options.isCable ? SoundCable.pcm : options.audioDevice
    let process = try processes.start(device: device, configuration: cable?.configuration)
    Task { await self.handleEvents(of: process) }
    return process
  }

  /// Whether a request to open a medium may go on: no newer opening and no stop has come.
  func isCurrent(_ ticket: FilmModel.Ticket) -> Bool { model.isCurrent(ticket) }

  /// Handles the events of a process until it has ended or was given up.
  private func handleEvents(of process: MpvProcess) async {
    await process.link.observe()
    for await event in process.link.events where processes.isCurrent(process) {
      if case .endFile = event {
        let ticket = model.ticket
        let lines = await process.link.takeLogLines()
        guard processes.isCurrent(process) else { continue }
        // The log of an earlier medium explains nothing of the present one.
        if model.isCurrent(ticket) { for line in lines { handle(line) } }
      }
      handle(event)
    }
    guard processes.isCurrent(process) else { return }
    // The connection may have ended before the process.
    processes.killCurrent()
    apply(model.handleEndOfProcess(at: clock.now()))
  }

  private func handle(_ event: MpvEvent) { apply(model.handle(event, at: clock.now())) }
}

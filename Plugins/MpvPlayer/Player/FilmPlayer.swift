import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A player that lets mpv play, and starts mpv again when it crashes or hangs.
///
/// Commands run one after the other. Beside them one task takes mpv's events, and one asks for the position.
actor FilmPlayer {
  /// Time between two questions for the position while it plays: a hang is noticed by them.
  static let pollingInterval = Duration.milliseconds(300)
  static let pollingInPause = Duration.seconds(5)
  /// The longest wait for an answer while it plays, and while a medium is opened or sought.
  static let patience = Duration.milliseconds(800)
  static let patienceWhileOpening = Duration.seconds(6)
  /// Time between two reports of the position while nothing else happens.
  static let reportInterval = Duration.seconds(5)
  /// The longest time that a medium may take to play. The controller waits 30 s.
  static let longestOpening = Duration.seconds(25)
  /// The longest time that a seek may take.
  static let longestSeek = Duration.seconds(6)
  /// The position in a chapter, in seconds, up to which `previous` means the chapter before.
  static let restartLimit = 3.0

  let context: DeviceContext
  let options: MpvOptions
  let library: FilmLibrary
  let isCD: Bool
  let setup: MpvSetup
  let clock: any TheaterClock
  let cable: SoundCable?
  var process: MpvProcess?
  var polling: Task<Void, Never>?
  var record = PlayerRecord()
  var isOn = false
  var tray = "closed"
  var isStereo: Bool
  var restarts = RestartLimit()
  var lastReport = Duration.zero
  /// The medium that is loaded or being opened, with the number of its opening.
  var medium: Medium?
  var openings = 0
  /// mpv's number of the loaded medium; numbers rise while a process runs.
  var entry: Int?
  /// The number of the last medium before.
  var lastEntry = 0
  /// Waits for the next `playback-restart`, or for the end of the medium.
  var waiter: Waiter?
  /// The lines of mpv's log since the last opening, at most 402 bytes.
  var lastLog: String?
  /// Whether the medium was over before its opening was: little of it was left.
  var hasEndedEarly = false
  /// Whether a seek or an opening is under way.
  var isMoving = false

  /// The outcome of an opening or a seek.
  enum Outcome: Sendable { case loaded, playing, ended, failed(String), died }

  struct Waiter {
    let stream: AsyncStream<Outcome>
    let continuation: AsyncStream<Outcome>.Continuation
  }

  init(
    context: DeviceContext, isCD: Bool, setup: MpvSetup = MpvSetup(),
    clock: any TheaterClock = SystemClock()
  ) throws(DeviceError) {
    self.context = context
    self.isCD = isCD
    self.setup = setup
    self.clock = clock
    options = try MpvOptions(context.options)
    isStereo = options.isStereo
    library = FilmLibrary(options, isCD: isCD, setup: setup, clock: clock)
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

  // MARK: Life

  func open() -> Capabilities {
    for path in options.folders {
      do throws(MediaFailure) {
        try library.add(path)
      } catch {
        // The disk may be mounted later; the other folders can be played.
        context.log(.warning, error.message)
      }
    }
    var values: [StateKey: JSON] = [.power: "off", .tray: .string(tray)]
    if !isCD { values[.audio] = .string(isStereo ? "twoChannel" : "surround") }
    context.report(values)
    report()
    return Capabilities(names: ["seek"], cables: [options.isCable ? .pcm : .wired])
  }

  func close() async {
    polling?.cancel()
    openings += 1
    medium = nil
    let last = process
    process = nil
    await last?.quit(clock: clock)
    cable?.close()
  }

  func plug(into socket: CableSocket) throws(DeviceError) {
    do throws(SystemError) {
      try cable?.plug(socket)
    } catch {
      throw DeviceError(.failed, "the cable file of mpv's sound cannot be written: \(error)")
    }
  }

  func turnOn() async throws(DeviceError) {
    if !isOn { _ = try start() }
    isOn = true
    context.report([.power: "on"])
  }

  func turnOff() async {
    await stop()
    let last = process
    process = nil
    await last?.quit(clock: clock)
    isOn = false
    context.report([.power: "off"])
  }

  func requireOn() throws(DeviceError) {
    guard isOn else { throw DeviceError(.notNow, "the player is off", hint: "Turn it on first.") }
  }

  // MARK: Commands

  func play(_ request: PlayRequest) async throws(DeviceError) {
    if request.item == nil, request.position == nil {
      if record.status == .playing { return report() }
      if record.status == .paused { return try await resume() }
    }
    let item: String
    if let wanted = request.item {
      item = wanted
    } else if let current = record.item {
      item = current
    } else {
      guard let first = await library.first() else { throw .nothingToPlay(isCD: isCD) }
      item = first
    }
    setTray("closed")
    restarts.reset()
    do throws(MediaFailure) {
      let medium = try await library.resolve(item)
      try await start(medium, at: request.position ?? 0)
    } catch {
      throw DeviceError(error)
    }
  }

  func pause() async throws(DeviceError) {
    switch record.status {
    case .playing:
      let now = clock.now()
      if let link = process?.link {
        _ = try? await link.set("pause", true)
        if let seconds = await position(of: link) { record.align(to: seconds, now: clock.now()) }
      }
      // It may have ended meanwhile.
      guard record.status == .playing else { return }
      record.become(.paused, at: record.position(at: now), now: clock.now())
      report()
    case .paused, .stopped, .ended: report()
    case .opening, .failed: throw DeviceError(.notNow, "nothing is playing")
    }
  }

  func resume() async throws(DeviceError) {
    guard let medium else { return }
    let seconds = record.position(at: clock.now())
    if let link = process?.link, entry != nil,
      (try? await link.set("pause", false)) != nil
    {
      record.become(.playing, at: seconds, now: clock.now())
      return report()
    }
    do throws(MediaFailure) {
      try await start(medium, at: seconds)
    } catch {
      throw DeviceError(error)
    }
  }

  func stop() async {
    openings += 1
    medium = nil
    entry = nil
    waiter?.continuation.finish()
    _ = try? await process?.link.ask(["stop"])
    record.become(.stopped, at: 0, now: clock.now())
    report()
  }

  func seek(_ seconds: Double) async throws(DeviceError) {
    guard medium != nil, [.playing, .paused].contains(record.status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a title first.")
    }
    guard record.facts.isSeekable else {
      throw DeviceError(.unsupported, "this medium has no other positions to go to")
    }
    let wanted = record.facts.duration.map { min(seconds, $0) } ?? seconds
    let opening = openings
    var outcome = Outcome.died
    if let link = process?.link {
      let waiter = wait()
      isMoving = true
      defer { isMoving = false }
      if (try? await link.ask(["seek", .number(wanted), "absolute+exact"])) != nil {
        outcome = await self.outcome(of: waiter, within: Self.longestSeek)
      }
      self.waiter = nil
    }
    // A stop or the end of the film may have come meanwhile.
    guard opening == openings, [.playing, .paused].contains(record.status) else { return }
    record.align(to: wanted, now: clock.now())
    switch outcome {
    case .playing:
      // A DVD goes to the nearest place that it can begin at.
      let told = if let link = process?.link { await position(of: link) } else { Double?.none }
      guard opening == openings, [.playing, .paused].contains(record.status) else { return }
      record.align(to: told ?? wanted, now: clock.now())
      report()
      reportProgress()
    case .ended: await finish()
    case .died, .loaded: await recover()
    case .failed(let reason): throw DeviceError(.failed, reason)
    }
  }

  /// Goes to the next chapter or song, or to the previous one.
  func skip(_ steps: Int) async throws(DeviceError) {
    guard let medium, [.playing, .paused].contains(record.status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a title first.")
    }
    let seconds = record.position(at: clock.now())
    let chapters = record.facts.chapters
    if chapters.count > 1, let index = record.facts.chapter(at: seconds) {
      let isLate = seconds - chapters[index].begin > Self.restartLimit
      let wanted = steps < 0 ? (isLate ? index : index - 1) : index + 1
      guard wanted < chapters.count else {
        throw DeviceError(.notNow, "this is the last chapter")
      }
      return try await seek(wanted < 0 ? 0 : chapters[wanted].begin)
    }
    if steps < 0, seconds > Self.restartLimit || !isCD { return try await seek(0) }
    guard isCD else { throw DeviceError(.notNow, "this film has no chapters") }
    guard let next = await library.neighbour(of: medium.item, steps: steps) else {
      if steps < 0 { return try await seek(0) }
      throw DeviceError(.notNow, "this is the last song of the disc")
    }
    let isPaused = record.status == .paused
    do throws(MediaFailure) {
      try await start(
        try await library.resolve(next), at: 0, isPaused: isPaused, isAnnounced: false)
    } catch {
      throw DeviceError(error)
    }
  }

  func eject() async throws(DeviceError) {
    await stop()
    let drive = Drive(options.drive)
    if drive.isDrive {
      setTray("moving")
      guard await FilmLibrary.onThread({ drive.eject() }) else {
        setTray("closed")
        throw DeviceError(
          .refused, "the drive \(options.drive) did not open",
          hint: "Is it in use by another program, or may this user not open it?")
      }
    }
    setTray("open")
  }

  /// Sends two channels, or all that a film has.
  func setStereo(_ isStereo: Bool) async {
    self.isStereo = isStereo
    if let link = process?.link { try? await setChannels(link) }
    context.report([.audio: isStereo ? "twoChannel" : "surround"])
  }

  func setChannels(_ link: MpvLink) async throws(MpvFailure) {
    try await link.set("audio-channels", isStereo ? "stereo" : "auto")
  }
}

extension DeviceError {
  /// The error of a player without a medium.
  fileprivate static func nothingToPlay(isCD: Bool) -> DeviceError {
    DeviceError(
      .notNow, "there is no disc in the player",
      hint:
        "Choose a title from the list of \(isCD ? "songs" : "films"), or add a folder to the option "
        + "\"folders\".")
  }
}

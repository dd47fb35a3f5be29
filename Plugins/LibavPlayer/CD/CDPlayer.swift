import Devices
import JSON
import Platform
import PluginKit
import PluginProtocol

/// A CD player whose discs are folders of music files.
///
/// Commands come one after the other; the heard position, the end of a song and that of the disc are
/// watched beside them.
actor CDPlayer: PlayerDevice {
  /// How often the ear is looked at while the next song is on its way to it.
  static let glance = Duration.milliseconds(50)
  /// How often the position is reported while nothing else happens.
  static let pulse = Duration.seconds(5)
  /// Within so many seconds of a song's beginning, `previous` means the song before.
  static let restartLimit = 3.0
  /// Of the files that a scan leaves out, the log names so many and counts the rest.
  static let mostNamed = 20

  let context: DeviceContext
  let library: MediaLibrary
  let clock: any TheaterClock
  let deck: PlaybackEngine
  private let ownFolders: [String]
  private var isOn = false
  private var tray = "closed"
  private(set) var status = Playback.Status.stopped
  private(set) var reason: String?
  /// Whether a song plays and no sound comes.
  private var isWaiting = false
  private var supplyWatch = SupplyWatch()
  /// The last section that was heard to its end.
  private var drained: UInt32?
  /// The place of the music while it does not move, and the last reported place.
  private(set) var rest: Place?
  /// Whether a command is moving to another place: the next sound is then the command's result.
  var isJumping = false
  /// Number of times that a place was opened; a command that is not the newest changes nothing.
  var openings = 0
  /// Whether a cancelled command has dropped the sound, so that going on opens the song again.
  var mustReopen = false
  private var lastReport = Duration.zero
  private var watchers: [Task<Void, Never>] = []
  private let plays: AsyncStream<Void>
  private let startPulse: AsyncStream<Void>.Continuation
  private let watches: AsyncStream<Void>
  private let startWatch: AsyncStream<Void>.Continuation
  private let joins: AsyncStream<PlayableSong>
  private let awaitJoin: AsyncStream<PlayableSong>.Continuation
  private let orders: AsyncStream<PlayableSong>
  private let askForOrder: AsyncStream<PlayableSong>.Continuation

  /// A player over the folders of its options (`folders`) and those that are scanned later.
  init(
    context: DeviceContext, library: MediaLibrary = MediaLibrary(),
    clock: any TheaterClock = SystemClock(), cableClock: any CableClock = MonotonicClock()
  ) throws(DeviceError) {
    self.context = context
    self.library = library
    self.clock = clock
    ownFolders = context.options["folders"]?.array?.compactMap(\.string) ?? []
    do {
      deck = try PlaybackEngine(clock: cableClock) { library.listDisc(of: $0) }
    } catch {
      throw DeviceError(.failed, error.message)
    }
    (plays, startPulse) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (watches, startWatch) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (joins, awaitJoin) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (orders, askForOrder) = AsyncStream.makeStream()
  }

  func open() async throws(DeviceError) -> Capabilities {
    for path in ownFolders {
      do {
        _ = try library.add(path)
      } catch {
        // The disk may be mounted later; what is there can be played.
        context.log(.warning, error.message)
      }
    }
    watch()
    context.report([.power: "off", .tray: .string(tray)])
    report()
    return Capabilities(names: ["seek"], cables: [.pcm])
  }

  func close() async {
    for watcher in watchers { watcher.cancel() }
    startPulse.finish()
    startWatch.finish()
    awaitJoin.finish()
    askForOrder.finish()
    deck.close()
  }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
    switch command {
    case .on: turnOn()
    case .off: turnOff()
    case .play(let request): try await play(request)
    case .pause: try pause()
    case .stop: try stop()
    case .eject: try eject()
    case .seek(let seconds): try await seek(seconds)
    case .next: try await skip(1)
    case .previous: try await skip(-1)
    }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await deck.source.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    var found: [CatalogueItem] = []
    for path in folder.map({ [$0] }) ?? ownFolders {
      do {
        let (items, skipped) = try await library.scan(path)
        found += items
        for failure in skipped.failures.prefix(Self.mostNamed) {
          context.log(.warning, "not listed: \(failure.message)")
        }
        let rest = skipped.count - min(Self.mostNamed, skipped.failures.count)
        if rest > 0 { context.log(.warning, "not listed in \(path): \(rest) more files") }
      } catch {
        guard folder == nil else { throw DeviceError(error) }
        context.log(.warning, error.message)
      }
    }
    return found
  }

  // MARK: Power and tray

  private func turnOn() {
    guard !isOn else { return }
    isOn = true
    deck.warmUp()
    context.report([.power: "on"])
  }

  private func turnOff() {
    halt()
    isOn = false
    context.report([.power: "off"])
  }

  /// Throws unless the player is on.
  func requirePower() throws(DeviceError) {
    guard isOn else {
      throw DeviceError(.notNow, "the CD player is off", hint: "Turn it on first.")
    }
  }

  private func eject() throws(DeviceError) {
    try requirePower()
    halt()
    rest = nil
    setTray("open")
    report()
  }

  /// Opens or closes the tray.
  func setTray(_ state: String) {
    guard tray != state else { return }
    tray = state
    context.report([.tray: .string(state)])
  }

  // MARK: What others see

  /// Takes a new state and reports it with this place, even where the ear is beyond it already: the
  /// song that a command asked for is reported before any that follows it.
  func become(_ status: Playback.Status, at place: Place?, reason: String? = nil) {
    self.status = status
    self.reason = reason
    isWaiting = false
    supplyWatch = SupplyWatch()
    report(at: place)
    if status == .playing {
      startPulse.yield()
      startWatch.yield()
      watchForNext()
    }
    endWhenDrained()
  }

  /// Where the music is: as heard while it plays, else where it rests.
  var place: Place? { status == .playing ? deck.place ?? rest : rest }

  /// Tells the playback state as an anchor.
  func report() {
    reportEnd(before: place)
    report(at: place)
  }

  /// Reports the present song at its end, where the disc has gone on to another one by itself.
  func reportEnd(before next: Place?) {
    guard status == .playing, !isJumping, let ended = rest, let next, next.song != ended.song,
      let duration = ended.duration
    else { return }
    context.report(
      Playback(.playing, item: ended.song.item, position: duration, duration: duration, rate: 0))
  }

  private func report(at place: Place?) {
    rest = place
    lastReport = clock.now()
    context.report(
      Playback(
        isWaiting ? .opening : status, item: place?.song.item, position: place?.seconds ?? 0,
        duration: place?.duration,
        reason: isWaiting ? "no sound comes; waiting for the disk" : reason))
  }

  // MARK: What happens beside commands

  private func watch() {
    watchers = [
      Task { for await event in deck.events { self.take(event) } },
      Task { for await event in deck.source.events { self.take(event) } },
      Task { for await song in orders { await self.learnOrder(of: song) } },
      Task { for await _ in plays { await self.reportWhilePlaying() } },
      Task { for await song in joins { await self.reportSongs(since: song) } },
      Task { for await _ in watches { await self.watchSupply() } },
    ]
  }

  private func reportWhilePlaying() async {
    while status == .playing {
      if clock.now() - lastReport >= Self.pulse { report() }
      do { try await clock.sleep(until: lastReport + Self.pulse) } catch { return }
    }
  }

  /// The deck has gone on to `song`: reports each song when it is heard, until the ear has caught up
  /// with the deck.
  private func reportSongs(since song: PlayableSong) async {
    askForOrder.yield(song)
    // A jump may keep the song from ever being heard; a pause ends the watch until play goes on.
    while status == .playing, let newest = deck.newest {
      let heard = deck.place?.song
      if heard != nil, heard != rest?.song, !isJumping { report() }
      if heard == newest { return }
      do { try await clock.sleep(until: clock.now() + Self.glance) } catch { return }
    }
  }

  /// Watches for the song that the deck has gone on to, where the ear is not there yet.
  private func watchForNext() {
    if let next = deck.newest, next != rest?.song { awaitJoin.yield(next) }
  }

  /// Asks for the songs around `song`, so that the deck knows what follows it.
  func prepareNeighbours(of song: PlayableSong) { askForOrder.yield(song) }

  private func learnOrder(of song: PlayableSong) async {
    guard !deck.order.contains(song) else { return }
    deck.setOrder(await library.disc(of: song))
  }

  private func take(_ event: PlaybackEvent) {
    switch event {
    case .joined(let song): awaitJoin.yield(song)
    case .skipped(let failure): context.log(.warning, "left out: \(failure.message)")
    }
  }

  private func take(_ event: CableSourceEvent) {
    switch event {
    case .drained(let section):
      drained = section
      endWhenDrained()
    case .unplugged(let error): context.log(.info, "the cable is out: \(error.message)")
    case .plugged, .heard: break
    }
  }

  /// Ends the disc when its last section was heard. That may come before the answer that makes it
  /// play (a song of a few milliseconds), or while it is paused.
  private func endWhenDrained() {
    guard status == .playing, let drained, deck.lastSection == drained else { return }
    let end = place.map {
      Place(song: $0.song, seconds: $0.duration ?? $0.seconds, duration: $0.duration)
    }
    reportEnd(before: end)
    become(.ended, at: end)
  }

  /// Says "opening" instead of "playing" as long as no sound comes: the disk may be slow or gone.
  private func watchSupply() async {
    while status == .playing {
      let isWaiting = supplyWatch.isWaiting(deck.isOutOfSound, at: clock.now())
      if isWaiting != self.isWaiting {
        self.isWaiting = isWaiting
        report()
      }
      do { try await clock.sleep(until: clock.now() + SoundSupply.interval) } catch { return }
    }
  }
}

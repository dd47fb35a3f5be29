import Devices
import JSON

/// A film or song of a player.
package struct DiscItem: Sendable, Hashable {
  package var item: CatalogueItem
  /// The number of chapters of a film; a song has one.
  let chapters: Int

  package init(_ item: CatalogueItem, chapters: Int = 1) {
    self.item = item
    self.chapters = chapters
  }

  /// In seconds; infinite if it is not known.
  var duration: Double { item.duration ?? .infinity }

  /// Where each chapter begins, in seconds.
  var chapterStarts: [Double] {
    [0] + (1..<max(1, chapters)).map { duration * Double($0) / Double(chapters) }
  }
}

/// The state machine of a disc player: power, tray, disc and playback at any time.
package struct DiscPlayerModel<Command: DiscCommand>: SoundSourceModel {
  package enum Tray: String, Sendable { case open, closed, moving }

  private var items: [DiscItem]
  /// How long the tray moves.
  private let trayTime: Duration
  /// How long a disc takes from the closed tray to its first sound.
  private let loadTime: Duration
  /// Whether the next item follows by itself, as on a CD.
  private let playsOn: Bool
  private let whenOff: WhenOff?

  private var power = Power.off
  private var tray = Tray.closed
  /// The sound that the player sends; `nil` for one that cannot choose it.
  package private(set) var audio: DiscAudio?
  package private(set) var status = Playback.Status.stopped
  /// The index of the current item.
  package private(set) var current: Int?
  /// The position at `since`, in seconds.
  private var position = 0.0
  private var since = Duration.zero
  /// When an opening tray is open.
  private var trayOpens: Duration?
  /// When the sound begins.
  private var ready: Duration?
  private var nextAnchor: Duration?

  package private(set) var epoch = 0
  /// Songs that were played to their end since the last report, each at its end.
  private var ends: [Playback] = []
  /// The epoch whose end was heard after a pause: the cable's report and the command may cross.
  private var drainedEpoch: Int?
  /// Whether the cable reports the heard position; otherwise the clock determines it.
  private var isPlugged = false

  package init(
    _ items: [DiscItem], trayTime: Duration = .zero, loadTime: Duration = .zero,
    playsOn: Bool = true, whenOff: WhenOff? = nil
  ) {
    self.items = items
    self.trayTime = trayTime
    self.loadTime = loadTime
    self.playsOn = playsOn
    self.whenOff = whenOff
    audio = Command.role.stateKeys.contains(.audio) ? .surround : nil
  }

  package var capabilities: Set<String> { ["seek"] }

  package func values(at now: Duration) -> [StateKey: JSON] {
    var values = discValues(at: now)
    if let audio { values[.audio] = .string(audio.rawValue) }
    return values
  }

  /// The values of all keys but that of the audio.
  private func discValues(at now: Duration) -> [StateKey: JSON] {
    [
      .power: .string(power.rawValue), .tray: .string(tray.rawValue),
      .playback: playback(at: now).json,
    ]
  }

  private func playback(at now: Duration) -> Playback {
    guard let item, status != .stopped else { return Playback(.stopped) }
    return Playback(
      status, item: item.item.id, position: position(at: now), duration: item.item.duration)
  }

  private var item: DiscItem? {
    current.flatMap { items.indices.contains($0) ? items[$0] : nil }
  }

  /// Whether an item is in play, so that it has a position.
  private var isLoaded: Bool { status == .playing || status == .paused }

  /// Returns the heard position, in seconds from the beginning.
  package func position(at now: Duration) -> Double {
    let moved = status == .playing ? position + (now - since).seconds : position
    return min(max(0, moved), item?.duration ?? 0)
  }

  package mutating func adopt(_ state: DeviceState) {
    power = state.power
    tray = state[.tray]?.string.flatMap(Tray.init) ?? tray
    let playback = state.playback ?? Playback(.stopped)
    status = playback.status
    current = playback.item.map { id in
      if let index = items.firstIndex(where: { $0.item.id == id }) { return index }
      items.append(DiscItem(CatalogueItem(id: id, title: id, duration: playback.duration)))
      return items.count - 1
    }
    position = playback.position
    since = .zero
  }

  // MARK: The cable

  package mutating func followCable(at now: Duration) {
    position = position(at: now)
    since = now
    isPlugged = true
  }

  package mutating func setHeardPosition(_ heard: Double, at now: Duration) {
    guard isLoaded else { return }
    position = heard
    since = now
  }

  package mutating func finish(epoch number: Int, at now: Duration) -> ModelReport {
    guard number == epoch else { return [:] }
    guard status == .playing else {
      drainedEpoch = number
      return [:]
    }
    finish(at: now)
    return ModelReport(discValues(at: now))
  }

  package mutating func removeEnds() -> [Playback] {
    defer { ends = [] }
    return ends
  }

  // MARK: Commands

  package mutating func perform(
    _ command: Command, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    let command = command.discCommand
    if command != .on, command != .off,
      try !whenOff.accepts(at: power, of: Command.words.player)
    {
      return [:]
    }
    switch command {
    case .on: power = .on
    case .off:
      stop(at: now)
      power = .off
    case .play(let request): try play(request, at: now)
    case .pause: pause(at: now)
    case .stop: stop(at: now)
    case .eject: eject(at: now)
    case .seek(let position): try seek(to: position, at: now)
    case .next: try skip(by: 1, at: now)
    case .previous: try skip(by: -1, at: now)
    case .surroundAudio: return select(.surround)
    case .twoChannelAudio: return select(.twoChannel)
    }
    return ModelReport(discValues(at: now))
  }

  private mutating func select(_ audio: DiscAudio) -> ModelReport {
    self.audio = audio
    return [.audio: .string(audio.rawValue)]
  }

  private mutating func stop(at now: Duration) {
    set(.stopped, at: 0, now)
    ready = nil
    // A tray that was closing for the disc still closes.
    if tray == .moving, trayOpens == nil { tray = .closed }
  }

  private mutating func eject(at now: Duration) {
    stop(at: now)
    current = nil
    guard tray != .open else { return }
    tray = trayTime > .zero ? .moving : .open
    trayOpens = trayTime > .zero ? now + trayTime : nil
  }

  private mutating func begin(_ index: Int, at start: Double, _ now: Duration) {
    let closing = tray == .closed ? .zero : trayTime
    current = index
    trayOpens = nil
    tray = closing > .zero ? .moving : .closed
    let wait = closing + (isLoaded ? .zero : loadTime)
    set(wait > .zero ? .opening : .playing, at: start, now)
    ready = wait > .zero ? now + wait : nil
  }

  private mutating func pause(at now: Duration) {
    guard status == .playing || status == .opening else { return }
    let isJump = status != .playing
    ready = nil
    tray = tray == .moving ? .closed : tray
    set(.paused, at: position(at: now), now, isJump: isJump)
  }

  private mutating func resume(at now: Duration) {
    guard status == .paused else { return }
    set(.playing, at: position, now, isJump: false)
    if drainedEpoch == epoch { finish(at: now) }
  }

  /// Goes to a position in seconds in the current item, playing or paused as before.
  private mutating func seek(to position: Double, at now: Duration) throws(DeviceError) {
    guard let item, isLoaded else { return try refuse(notPlaying) }
    set(status, at: try check(position, in: item), now)
  }

  private mutating func play(_ request: PlayRequest, at now: Duration) throws(DeviceError) {
    let isCurrent = whenOff == nil && isLoaded && request.item == item?.item.id
    if request.item == nil || isCurrent, request.position == nil {
      if status == .paused { return resume(at: now) }
      if status == .playing { return }
    }
    let index = try index(of: request.item)
    begin(index, at: try check(request.position ?? 0, in: items[index]), now)
  }

  private func index(of id: String?) throws(DeviceError) -> Int {
    guard let id else {
      if let current { return current }
      guard !items.isEmpty else {
        let item = Command.words.item
        throw DeviceError(
          .notNow, "there is no disc in it",
          hint: "Give it a \(item): its \"\(item)s\" are empty.")
      }
      return 0
    }
    if let index = items.firstIndex(where: { $0.item.id == id }) { return index }
    let ids = items.map(\.item.id)
    throw DeviceError(
      .invalid, "there is no \(Command.words.item) \"\(id)\" in it",
      hint: spellingHint(for: id, among: ids) ?? "It has: \(ids.joined(separator: ", ")).")
  }

  /// Returns the position, if the item has it; its end for a model that accepts every command.
  private func check(_ position: Double, in item: DiscItem) throws(DeviceError) -> Double {
    if position >= item.duration {
      try refuse(
        DeviceError(
          .invalid, "\"\(item.item.title)\" lasts \(JSON.number(item.duration)) s",
          hint: "Choose a position before its end."))
    }
    return min(position, item.duration)
  }

  /// Goes to the next or previous part: a film's chapter, or an item. A step back leads to the
  /// current part's beginning first.
  private mutating func skip(by step: Int, at now: Duration) throws(DeviceError) {
    guard let current, let item, isLoaded else { return try refuse(notPlaying) }
    let position = position(at: now)
    let starts = item.chapterStarts
    let chapter = starts.lastIndex { $0 <= position } ?? 0
    let restarts = step < 0 && whenOff != nil && position - starts[chapter] > restartLimit
    let wanted = restarts ? chapter : chapter + step
    if starts.indices.contains(wanted) {
      set(status, at: starts[wanted], now)
    } else if playsOn, items.indices.contains(current + step) {
      begin(current + step, at: 0, now)
    } else if step < 0 {
      set(status, at: 0, now)
    } else {
      try refuse(
        DeviceError(
          .notNow, "this is the last \(Command.words.part)", hint: "Choose another."))
    }
  }

  private var notPlaying: DeviceError {
    DeviceError(.notNow, "nothing is playing", hint: "Play a \(Command.words.item) first.")
  }

  /// Throws the error, except in a model that accepts every command.
  private func refuse(_ error: DeviceError) throws(DeviceError) {
    if whenOff != nil { throw error }
  }

  // MARK: Time

  package mutating func advance(to now: Duration) -> ModelReport {
    var changed = false
    if let opens = trayOpens, opens <= now {
      tray = .open
      trayOpens = nil
      changed = true
    }
    if let ready, ready <= now {
      self.ready = nil
      tray = .closed
      set(.playing, at: position, ready)
      changed = true
    }
    while let end, end <= now {
      finish(at: end)
      changed = true
    }
    if let anchor = nextAnchor, anchor <= now {
      nextAnchor = now + anchorInterval
      changed = true
    }
    return changed ? ModelReport(discValues(at: now)) : [:]
  }

  package var due: Duration? { [trayOpens, ready, end, nextAnchor].compactMap { $0 }.min() }

  /// When the item ends by the clock; `nil` with a cable.
  private var end: Duration? {
    guard status == .playing, !isPlugged, let duration = item?.item.duration else { return nil }
    return since + .seconds(max(0, duration - position))
  }

  private mutating func finish(at end: Duration) {
    guard let item, let current else { return }
    if playsOn, current + 1 < items.count {
      ends.append(
        Playback(
          .playing, item: item.item.id, position: item.duration, duration: item.item.duration,
          rate: 0))
      self.current = current + 1
      set(.playing, at: 0, end)
    } else {
      set(.ended, at: item.duration, end)
    }
  }

  private mutating func set(
    _ status: Playback.Status, at position: Double, _ now: Duration, isJump: Bool = true
  ) {
    if isJump { epoch += 1 }
    self.status = status
    self.position = position
    since = now
    nextAnchor = status == .playing ? now + anchorInterval : nil
  }
}

/// Within so many seconds of a part's beginning, `previous` means the part before.
private let restartLimit = 3.0
private let anchorInterval = Duration.seconds(5)

/// The channels of a film's sound.
package enum DiscAudio: String, Sendable { case surround, twoChannel }

/// The commands of a role of disc players: those of the DVD player, or some of them.
package protocol DiscCommand: RoleCommand {
  /// The words in messages: the player, what is on its discs, and the part to which `next` goes.
  static var words: (player: String, item: String, part: String) { get }
  var discCommand: DVDPlayerCommand { get }
}

extension DVDPlayerCommand: DiscCommand {
  package static var words: (player: String, item: String, part: String) {
    ("DVD player", "film", "chapter")
  }
  package var discCommand: DVDPlayerCommand { self }
}

extension CDPlayerCommand: DiscCommand {
  package static var words: (player: String, item: String, part: String) {
    ("CD player", "song", "song")
  }

  package var discCommand: DVDPlayerCommand {
    switch self {
    case .on: .on
    case .off: .off
    case .play(let request): .play(request)
    case .pause: .pause
    case .stop: .stop
    case .eject: .eject
    case .seek(let position): .seek(position)
    case .next: .next
    case .previous: .previous
    }
  }
}

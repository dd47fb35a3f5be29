import Devices
import JSON
import Synchronization

// What the buttons do, on a player that is on.
extension DiscPlayer {
  func perform(whenOn action: Action, at now: Duration) throws(DeviceError) {
    switch action {
    case .on, .off: break
    case .play(let request): try play(request, at: now)
    case .pause: deck.withLock { $0.pause(at: now) }
    case .stop: deck.withLock { $0.stop(at: now) }
    case .eject: deck.withLock { $0.eject(at: now) }
    case .seek(let position): try seek(to: position, at: now)
    case .next: try skip(by: 1, at: now)
    case .previous: try skip(by: -1, at: now)
    }
  }

  private func play(_ request: PlayRequest, at now: Duration) throws(DeviceError) {
    let deck = deck.withLock { $0 }
    if request.item == nil, request.position == nil, deck.status == .paused {
      return self.deck.withLock { $0.resume(at: now) }
    }
    if request.item == nil, request.position == nil, deck.status == .playing { return }
    let index = try index(of: request.item, in: deck)
    let position = request.position ?? 0
    try check(position, in: deck.recordings[index])
    self.deck.withLock { $0.begin(index, at: position, now) }
  }

  private func index(of item: String?, in deck: DiscMechanism) throws(DeviceError) -> Int {
    guard let item else {
      if let current = deck.current { return current }
      guard !deck.recordings.isEmpty else {
        throw DeviceError(
          .notNow, "there is no disc in it", hint: "Name a \(nouns.recording) in its options.")
      }
      return 0
    }
    if let index = deck.recordings.firstIndex(where: { $0.id == item }) { return index }
    let ids = deck.recordings.map(\.id)
    throw DeviceError(
      .invalid, "there is no \(nouns.recording) \"\(item)\" in it",
      hint: nearest(to: item, in: ids).map { "Did you mean \"\($0)\"?" }
        ?? "It has: \(ids.joined(separator: ", ")).")
  }

  private func check(_ position: Double, in recording: Recording) throws(DeviceError) {
    guard position < recording.duration else {
      throw DeviceError(
        .invalid, "\"\(recording.title)\" lasts \(JSON.number(recording.duration)) s",
        hint: "Choose a position before its end.")
    }
  }

  private func seek(to position: Double, at now: Duration) throws(DeviceError) {
    let deck = deck.withLock { $0 }
    guard let recording = deck.recording, deck.status == .playing || deck.status == .paused else {
      throw notPlaying
    }
    try check(position, in: recording)
    self.deck.withLock { $0.seek(to: position, at: now) }
  }

  /// To the next or previous part: a film's chapter, or a song. What has played for more than three
  /// seconds begins again first.
  private func skip(by step: Int, at now: Duration) throws(DeviceError) {
    let deck = deck.withLock { $0 }
    guard let current = deck.current, let recording = deck.recording,
      deck.status == .playing || deck.status == .paused
    else { throw notPlaying }
    let position = deck.position(at: now)
    let starts = recording.chapterStarts
    let chapter = starts.lastIndex { $0 <= position } ?? 0
    let restarts = step < 0 && position - starts[chapter] > 3
    let wanted = restarts ? chapter : chapter + step
    if starts.indices.contains(wanted) {
      self.deck.withLock { $0.seek(to: starts[wanted], at: now) }
    } else if deck.goesOn, deck.recordings.indices.contains(current + step) {
      self.deck.withLock { $0.begin(current + step, at: 0, now) }
    } else if step < 0 {
      self.deck.withLock { $0.seek(to: 0, at: now) }
    } else {
      throw DeviceError(.notNow, "this is the last \(nouns.part)", hint: "Choose another.")
    }
  }

  private var notPlaying: DeviceError {
    DeviceError(.notNow, "nothing is playing", hint: "Play a \(nouns.recording) first.")
  }
}

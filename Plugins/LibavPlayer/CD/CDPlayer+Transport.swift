import Devices
import PluginKit
import PluginProtocol

extension CDPlayer {
  /// Plays an item, goes on after a pause, or begins the disc.
  func play(_ request: PlayRequest) async throws(DeviceError) {
    try requirePower()
    if request.item == nil, request.position == nil {
      if status == .playing { return report() }
      if status == .paused { return try await resume() }
    }
    let song: PlayableSong
    if let item = request.item {
      song = try await find(item)
    } else {
      song = try await discToBegin(from: request.position)
    }
    setTray("closed")
    try await start(song, at: request.position ?? 0)
  }

  /// Stops the sound, keeps the place.
  func pause() throws(DeviceError) {
    try requirePower()
    switch status {
    case .playing:
      let stopped = deck.source.pause()
      let place = deck.place(at: stopped) ?? rest
      reportEnd(before: place)
      become(.paused, at: place)
    case .paused, .stopped, .ended: report()
    case .opening, .failed: throw DeviceError(.notNow, "nothing is playing")
    }
  }

  /// Stops the sound and forgets the place.
  func stop() throws(DeviceError) {
    try requirePower()
    halt()
  }

  /// Goes to a place in the present song.
  func seek(_ seconds: Double) async throws(DeviceError) {
    try requirePower()
    guard let place, [.playing, .paused].contains(status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a song first.")
    }
    try await jump(to: place.song, seconds: seconds)
  }

  /// Goes `steps` songs on; back means to the song's own beginning first.
  func skip(_ steps: Int) async throws(DeviceError) {
    try requirePower()
    guard let place, [.playing, .paused].contains(status) else {
      throw DeviceError(.notNow, "nothing is playing", hint: "Play a song first.")
    }
    if steps < 0, place.seconds > Self.restartLimit {
      return try await jump(to: place.song, seconds: 0)
    }
    if !deck.order.contains(place.song) { deck.setOrder(await library.disc(of: place.song)) }
    var song = place.song
    let before = status
    while let next = deck.neighbour(of: song, steps: steps) {
      do {
        return try await jump(to: next, seconds: 0, goingOn: before)
      } catch  where error.code == .failed {
        context.log(.warning, "left out: \(error.message)")
        song = next
      }
    }
    guard steps < 0 else { throw DeviceError(.notNow, "this is the last song of the disc") }
    try await jump(to: place.song, seconds: 0, goingOn: before)
  }

  /// Silence; the file is closed.
  func halt() {
    mustReopen = false
    deck.stop()
    deck.source.resume()
    let song = place.map { Place(song: $0.song, seconds: 0, duration: $0.duration) }
    become(.stopped, at: song)
  }

  private func resume() async throws(DeviceError) {
    if mustReopen, let rest { return try await start(rest.song, at: rest.seconds) }
    deck.source.resume()
    become(.playing, at: rest)
  }

  private func start(_ song: PlayableSong, at seconds: Double) async throws(DeviceError) {
    openings += 1
    mustReopen = false
    become(.opening, at: Place(song: song, seconds: seconds, duration: nil))
    switch await deck.play(song, seconds: seconds) {
    case .success(let place):
      deck.source.resume()
      become(.playing, at: place)
      prepareNeighbours(of: song)
    case .failure(let failure):
      if failure.kind == .cancelled {
        halt()
      } else {
        become(.failed, at: rest, reason: failure.message)
      }
      throw DeviceError(failure)
    }
  }

  /// Another place or song; playing goes on playing, paused stays paused.
  ///
  /// - Parameter wanted: The status afterwards, where a song that could not be opened has changed it.
  private func jump(
    to song: PlayableSong, seconds: Double, goingOn wanted: Playback.Status? = nil
  ) async throws(DeviceError) {
    let before = status
    openings += 1
    let opening = openings
    isJumping = true
    let result = await deck.play(song, seconds: seconds)
    isJumping = false
    if case .failure(let failure) = result, failure.kind == .cancelled {
      // The deck has dropped the sound of the place before. A newer command opens its own.
      if opening == openings, status == .playing || status == .paused {
        mustReopen = true
        if status == .playing { become(.paused, at: rest) }
      }
      throw DeviceError(failure)
    }
    // A stop may have come meanwhile.
    guard status == before else { return }
    switch result {
    case .success(let place):
      mustReopen = false
      become(wanted ?? before, at: place)
      prepareNeighbours(of: song)
    case .failure(let failure):
      become(.failed, at: rest, reason: failure.message)
      throw DeviceError(failure)
    }
  }

  private func find(_ item: String) async throws(DeviceError) -> PlayableSong {
    do {
      return try library.resolve(item)
    } catch {
      guard error.kind == .missing, await library.folderAppears(for: item, clock: clock) else {
        throw DeviceError(error)
      }
    }
    do { return try library.resolve(item) } catch { throw DeviceError(error) }
  }

  private func discToBegin(from position: Double?) async throws(DeviceError) -> PlayableSong {
    if let song = rest?.song {
      if position != nil { return song }
      let disc = await library.disc(of: song)
      return disc.first ?? song
    }
    guard let first = await library.firstDisc().first else {
      throw DeviceError(
        .notNow, "there is no disc in the player",
        hint: "Name an item of `theater songs`, or a folder in the option \"folders\".")
    }
    return first
  }
}

extension DeviceError {
  /// A failure of a file or stream as the answer to a command.
  init(_ failure: MediaFailure) {
    let code: Code =
      switch failure.kind {
      case .cancelled: .cancelled
      case .outside, .missing: .invalid
      case .unavailable: .unavailable
      case .corrupt, .unsupported, .unreachable: .failed
      }
    let subject = failure.subject.isEmpty ? "" : failure.subject + ": "
    self.init(
      code, subject + failure.detail, hint: failure.hint.isEmpty ? nil : failure.hint)
  }
}

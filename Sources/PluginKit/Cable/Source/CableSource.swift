import Platform

/// An event of a source, for the player's state; the decoder needs none.
public enum CableSourceEvent: Sendable, Equatable {
  /// A cable was plugged in, or replaced the one before.
  case plugged
  /// The cable is gone; the source paces by its own clock until the next `connect`.
  case unplugged(CableError)
  /// Whether the amplifier plays this source now.
  case heard(Bool)
  /// The last frame of the ended section was heard, or passed unheard.
  case drained(section: UInt32)
}

/// The player's end of a cable. A decoder thread writes; it is held back by the amplifier's credit,
/// or by the clock while the input is not heard or no cable is plugged in, so it never notices the
/// difference. Any thread may call the other methods.
///
/// Sound belongs to a *section*: `setFormat` and `flush` begin one. Writes name their section, so a
/// decoder that has not noticed a seek yet cannot put stale sound after it.
public final class CableSource: Sendable {
  /// Plugged, unplugged, heard and drained, for one reader.
  public let events: AsyncStream<CableSourceEvent>
  private let core: CableSourceCore

  /// A source without a cable, paced by `clock`. Starts one I/O thread.
  public init(clock: any CableClock = MonotonicClock()) throws(CableError) {
    let (events, continuation) = AsyncStream.makeStream(of: CableSourceEvent.self)
    self.events = events
    core = try CableSourceCore(clock: clock, events: continuation)
    let core = core
    clock.onStep { [weak core] in core?.wake() }
    try SystemThread.startForCable { core.run() }
  }

  /// Plugs the source into the sink at `path` with the one-use `token`, and waits up to 2 s for the
  /// sink's answer. A cable that was plugged in before is replaced; the frames that were not heard
  /// through it are sent again.
  public func connect(path: String, token: String) throws(CableError) {
    try core.connect(path: path, token: try CableToken(token))
  }

  /// Unplugs the cable. The source continues without sound.
  public func disconnect() { core.disconnect() }

  /// The section that writes must name now.
  public var section: UInt32 { core.section }

  /// Begins a section of `format` that follows the present one without a gap.
  /// - Parameter startsRecording: whether its first frame is the first of a recording. After silence
  ///   an amplifier plays such a frame as it is, and fades into any other, which would click.
  /// - Returns: the new section, or `nil` when `section` is not the present one any more.
  public func setFormat(
    _ format: CableFormat, after section: UInt32, startsRecording: Bool = false
  ) -> UInt32? {
    core.setFormat(format, after: section, startsRecording: startsRecording)
  }

  /// Writes whole frames of `section`; waits while the cable is full or paused. Interleaved,
  /// little-endian.
  /// - Returns: frames taken; fewer than given when the section is over (`flush`, `end`, `close`,
  ///   or no format yet).
  public func write(_ bytes: UnsafeRawBufferPointer, section: UInt32) -> Int {
    core.write(bytes, section: section)
  }

  /// Ends `section`: no more frames follow, and `drained` comes when the last one was heard. A new
  /// section before that continues without a gap and without `drained`.
  public func end(section: UInt32) { core.end(section: section) }

  /// Silences the source at once (within the amplifier's 100 ms), for seek, skip and stop: drops
  /// all unheard frames and begins a section of the same format. A `write` in progress returns.
  /// Stays paused when paused.
  /// - Returns: the position at which the sound ended, and the new section.
  public func flush() -> (heard: CablePosition, section: UInt32) { core.flush() }

  /// Silences the source at once. Unheard frames are kept and sent again by `resume`, so none is
  /// lost.
  /// - Returns: the position at which the sound stopped.
  @discardableResult public func pause() -> CablePosition { core.pause() }

  /// Goes on after `pause` with the next frame.
  public func resume() { core.resume() }

  /// The heard position, interpolated between the amplifier's reports; by the clock while unheard.
  public var position: CablePosition { core.position }

  /// Whether the amplifier plays this source.
  public var isHeard: Bool { core.isHeard }

  /// Ends the source; writes return, the thread ends.
  public func close() { core.close() }

  deinit { close() }
}

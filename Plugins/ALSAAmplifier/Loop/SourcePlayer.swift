import Platform
import PluginKit
import Synchronization

/// Plays the selected source on the device: reads its cable, follows its events, and renders.
///
/// Used on the audio thread only. Its steady path allocates nothing. Waits are in milliseconds.
struct SourcePlayer<Destination: FrameOutput>: ~Copyable {
  /// The longest time for which the first frames of a sound are prebuffered, ns.
  private static var prebufferingTime: Int64 { 100_000_000 }

  private(set) var device: DeviceWriter<Destination>
  /// The input in use; −1 for none.
  private(set) var sourceIndex = -1
  private(set) var source: UnsafeMutablePointer<InputSlot>?
  private let shared: UnsafeMutablePointer<EngineShared>
  private var surround = false
  /// Whether the source has ended and is still to be told that all was heard.
  private var isEndPending = false
  /// Whether the plan does not fit the source's format, or the sound mode.
  private var isPlanOutdated = true
  /// Whether the change of the plan fades the present sound out instead of playing it to its end.
  private var fadesAtChange = false
  /// Whether the next frames must be faded in, because they follow silence or other sound.
  private var fadeInNext = true
  /// Whether the source has given any frames since it was selected.
  private var hasPlayed = false
  /// The monotonic time at which the prebuffering of a sound began, ns; 0 while there is none.
  private var prebufferingSince: Int64 = 0

  init(shared: UnsafeMutablePointer<EngineShared>, setting: AudioSetting) {
    self.shared = shared
    device = DeviceWriter(shared: shared, setting: setting)
  }

  // MARK: Control

  /// Sets the gain (0…1), the metering and the sound mode.
  mutating func setControls(gain: Float, metering: Bool, surround: Bool) {
    device.setGain(gain)
    device.setMetering(metering)
    guard surround != self.surround else { return }
    self.surround = surround
    isPlanOutdated = true
    fadesAtChange = true
  }

  /// Fades the source out and switches to another input; −1 for none.
  mutating func select(_ index: Int) {
    _ = device.fadeOut(rewinding: true)
    setSource(index)
    isEndPending = false
    isPlanOutdated = true
    fadeInNext = true
    hasPlayed = false
    shared.pointee.controlWakeup.signal()
  }

  /// Fades the source out and selects none.
  mutating func deselectSource() {
    _ = device.fadeOut(rewinding: true)
    setSource(-1)
    shared.pointee.controlWakeup.signal()
  }

  private mutating func setSource(_ index: Int) {
    sourceIndex = index
    prebufferingSince = 0
    source = shared.pointee.input(index)
    device.tap = source?.pointee.tap
    shared.pointee.listening.store(index, ordering: .releasing)
  }

  /// Opens the device; returns whether the output is on.
  mutating func powerOn() -> Bool { device.powerOn() }

  /// Forgets why the device could not be opened.
  mutating func forgetFailure() { device.forgetFailure() }

  /// Retries the device until it opens, even while nothing plays.
  mutating func reacquire(isOn: Bool) { device.reacquire(isOn: isOn) }

  /// Closes the device and forgets the source.
  mutating func powerOff() {
    setSource(-1)
    device.powerOff()
    isEndPending = false
    isPlanOutdated = true
  }

  /// Returns peak and root mean square of each channel since the last call.
  mutating func readLevels() -> (peak: SIMD8<Float>, rms: SIMD8<Float>) { device.readLevels() }

  /// Clears `awaitsWritableFrames` at the beginning of a round, which sets it if it must wait for the device.
  mutating func beginRound() { device.awaitsWritableFrames = false }

  /// Returns whether frames were written since the last call.
  mutating func resetHasWritten() -> Bool {
    defer { device.hasWritten = false }
    return device.hasWritten
  }

  // MARK: Playing

  /// Does all that can be done now; returns the time to wait (−1: until the thread is woken, or
  /// until the device has room where it is running).
  mutating func play() -> Int {
    let now = device.output.now
    if let source { handleEvents(of: source) }
    if device.recovery.isRetryDue(at: now),
      device.isRunning || hasFrames || device.recovery.isReacquiring, device.reopen(now)
    {
      fadeInNext = true
      isPlanOutdated = true
    }
    if device.recovery.suspendedSince > 0 { return device.resume(now) }
    for _ in 0..<64 {
      if device.framesToWrite > 0 {
        guard let wait = device.writePending() else { continue }
        return wait
      }
      guard let source else { return device.drain() }
      handleEvents(of: source)
      if isEndPending {
        guard let wait = drainToEnd(of: source) else { continue }
        return wait
      }
      guard let format = source.pointee.format else { return device.drain() }
      if isPlanOutdated {
        guard let wait = renewPlan(for: format) else { continue }
        return wait
      }
      if let wait = render(from: source, now) { return wait }
    }
    return 1
  }

  /// Whether the source has frames that come before its next event.
  private var hasFrames: Bool { (source?.pointee.tap.available ?? 0) > 0 }

  /// Renders the source's next frames; returns `nil` if there is something to write, else the time
  /// to wait.
  private mutating func render(
    from source: UnsafeMutablePointer<InputSlot>, _ now: Int64
  ) -> Int? {
    guard let plan = device.renderer.plan else { return device.drain() }
    // After silence, or if the device is about to stop, it drains first; then the sound begins
    // anew.
    if device.isRunning, device.mustStop || device.silenceWritten > 0 { return device.drain() }
    if !device.isRunning || device.isEnding, let wait = prebuffer(source, plan, now) { return wait }
    let writable = device.writableFrames()
    if writable < 0 { return device.handleFailure(Int32(-writable)) }
    let waiting = source.pointee.tap.available
    let frames = min(writable * plan.source.rate / plan.device.rate, plan.chunkFrames)
    // A few frames at a time would cost a wake each; a period at a time is soon enough, also to
    // check whether more frames have come.
    let period = plan.device.periodFrames * plan.source.rate / plan.device.rate
    let worthwhile = min(period, plan.chunkFrames)
    let least = !device.isRunning ? 1 : waiting > 0 ? min(waiting, worthwhile) : worthwhile
    guard frames >= least else { return device.millisecondsUntilWritable() }
    let buffer = UnsafeMutableRawBufferPointer(
      start: plan.sourceBytes, count: frames * plan.source.frameBytes)
    // Reading an empty ring requests a wake when frames come.
    let read = source.pointee.tap.read(into: buffer)
    guard case .frames(let count) = read else {
      return handle(read, from: source) ? nil : handleStarvation()
    }
    if fadeInNext {
      fadeInNext = false
      if !source.pointee.tap.startedRecording { device.fadeIn() }
    }
    hasPlayed = true
    device.render(count)
    return nil
  }

  /// Prebuffers the beginning of a sound for at most 0.1 s, so that a source that sends its first frames
  /// slowly causes no gap. Returns `nil` if the sound may begin, else the time to wait.
  private mutating func prebuffer(
    _ source: UnsafeMutablePointer<InputSlot>, _ plan: RenderPlan, _ now: Int64
  ) -> Int? {
    let tap = source.pointee.tap
    let waiting = tap.available
    guard waiting > 0 else {
      prebufferingSince = 0
      return tap.wakeWhenReadable() ? device.drain() : 0
    }
    if prebufferingSince == 0 { prebufferingSince = now }
    let isOver = now - prebufferingSince >= Self.prebufferingTime
    // The device's buffer, but at most 0.3 s, because the ring holds only 0.4 s.
    let wanted = min(2 * plan.chunkFrames, plan.source.rate * 3 / 10)
    guard waiting < wanted, !tap.holdsEvent, !isOver else {
      prebufferingSince = 0
      return nil
    }
    let tail = device.drain()
    return tail < 0 ? 5 : min(5, tail)
  }

  /// Handles a source that sends nothing. Returns the time to wait while the device still has enough sound. When the
  /// device is about to run dry, fades the sound out and counts an underrun.
  private mutating func handleStarvation() -> Int {
    guard device.isRunning, !device.isEnding else { return device.drain() }
    if let wait = device.millisecondsUntilUnderrun() { return wait }
    shared.pointee.starvations.add(1, ordering: .relaxed)
    shared.pointee.underruns.add(1, ordering: .relaxed)
    _ = device.fadeOut(rewinding: false)
    fadeInNext = true
    return device.drain()
  }

  // MARK: Events of the source

  /// Handles the events that stand before the source's next frame.
  private mutating func handleEvents(of source: UnsafeMutablePointer<InputSlot>) {
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    while handle(source.pointee.tap.read(into: nothing), from: source) {}
    // Sound after an end goes on without a gap; then "drained" is not reported.
    if isEndPending, source.pointee.tap.available > 0 { isEndPending = false }
  }

  /// Handles a result of reading the source; returns `false` if it was no event.
  private mutating func handle(
    _ read: CableRead, from source: UnsafeMutablePointer<InputSlot>
  ) -> Bool {
    switch read {
    case .format(let new):
      let new = StreamFormat(new)
      if new != source.pointee.format {
        source.pointee.format = new
        isPlanOutdated = true
      }
    case .flush: flush(source)
    case .end: isEndPending = true
    case .empty, .frames: return false
    }
    return true
  }

  /// Ends the source's sound at once and reports to the source the number of frames not heard.
  private mutating func flush(_ source: UnsafeMutablePointer<InputSlot>) {
    isEndPending = false
    // The sound that plays may be the fade-out of another source: flushing this one leaves it
    // alone.
    let unheard = hasPlayed ? device.fadeOut(rewinding: true) : 0
    fadeInNext = true
    source.pointee.tap.confirmFlush(unheard: device.sourceFrames(unheard))
  }

  /// Plays the queued frames after the source's end, then confirms that all was heard; returns
  /// `nil` if there is something to write, else the time to wait.
  private mutating func drainToEnd(of source: UnsafeMutablePointer<InputSlot>) -> Int? {
    if device.end() { return nil }
    if device.isRunning { return device.drain() }
    isEndPending = false
    source.pointee.tap.report(delay: 0)
    source.pointee.tap.confirmDrained()
    return 0
  }

  /// Makes a plan for the source's format; returns `nil` when that is done, else the time to wait:
  /// for the end of the sound in the old format, or for ever if the format cannot be played.
  private mutating func renewPlan(for format: StreamFormat) -> Int? {
    let wanted = device.makeRequest(playing: format, surround: surround)
    if wanted != device.request {
      if device.isRunning, !device.isEnding {
        device.drainResampler()
        if fadesAtChange {
          _ = device.fadeOut(rewinding: false)
          fadeInNext = true
        }
      }
      fadesAtChange = false
      if device.isRunning { return device.drain() }
      device.configure(wanted, surround ? format.layout : .stereo)
    }
    guard device.adoptPlan(for: format, surround: surround) else { return device.drain() }
    isPlanOutdated = false
    return nil
  }
}

import Glibc
import PluginKit
import Synchronization

extension AudioLoop {
  /// How long silence is kept up for a source that pauses, before the device is stopped.
  static var patience: Int64 { 1_000_000_000 }

  /// Does all that can be done now; answers how many milliseconds to wait (−1: for the bell, or for
  /// the device where it is running).
  mutating func play() -> Int {
    let now = PlaybackClock.now()
    if let source { takeEvents(source) }
    if lost, now >= retryAt, isRunning || hasFrames || isTakingBack { reopen(now) }
    if suspendedSince > 0 { return resume(now) }
    for _ in 0..<64 {
      if renderer.pending > 0 {
        guard let wait = writePending() else { continue }
        return wait
      }
      if switchAsked, finishSwitch() { continue }
      guard let source else { return finishTail(now) }
      takeEvents(source)
      if endOwed { return finishEnd(source) }
      guard let format = source.pointee.format else { return starve(now) }
      if planStale {
        guard renewPlan(for: format) else { return finishTail(now) }
        continue
      }
      if let wait = render(from: source, now) { return wait }
    }
    return 1
  }

  /// Whether the source has anything waiting.
  private var hasFrames: Bool { (source?.pointee.tap.available ?? 0) > 0 }

  /// Writes what is rendered; `nil` when all of it went, else how long to wait.
  private mutating func writePending() -> Int? {
    guard let bytes = renderer.pendingBytes else { return nil }
    let taken = output.write(bytes, frames: renderer.pending)
    if taken < 0 { return trouble(Int32(-taken)) }
    guard taken > 0 else { return untilRoom() }
    renderer.consume(taken)
    isRunning = true
    failuresInRow = 0
    source?.pointee.tap.report(delay: unheard())
    wait.wasUseful()
    return nil
  }

  /// Renders the source's next frames; `nil` when there is something to write, else how long to
  /// wait.
  private mutating func render(
    from source: UnsafeMutablePointer<InputSlot>, _ now: Int64
  ) -> Int? {
    guard let plan = renderer.plan else { return finishTail(now) }
    let room = output.room()
    if room < 0 { return trouble(Int32(-room)) }
    let waiting = source.pointee.tap.available
    var frames = min(room * plan.source.rate / plan.device.rate, plan.chunkFrames)
    // Dribbling a few frames at a time costs a wake each; a period at a time is soon enough, also
    // to look whether something has come.
    let period = plan.device.periodFrames * plan.source.rate / plan.device.rate
    let worthwhile = min(period, plan.chunkFrames)
    let least = !isRunning ? 1 : waiting > 0 ? min(waiting, worthwhile) : worthwhile
    guard frames >= least else {
      if waiting > 0 { starvedSince = 0 }
      return untilRoom()
    }
    if switchAsked { frames = min(frames, fadeOut(plan)) }
    let buffer = UnsafeMutableRawBufferPointer(
      start: plan.sourceBytes, count: frames * plan.source.frameBytes)
    // Reading an empty ring asks for a wake when something comes.
    let read = source.pointee.tap.read(into: buffer)
    guard case .frames(let count) = read else {
      return take(read, from: source) ? nil : starve(now)
    }
    if fadeInNext {
      fadeInNext = false
      renderer.fade = GainRamp(0)
      renderer.fade.move(to: 1, over: plan.device.rate / 200)
    }
    renderer.render(count)
    silenceWritten = 0
    starvedSince = 0
    return nil
  }

  /// Milliseconds until half the buffer is free, or three quarters for a thread that nothing keeps
  /// waiting. A device that tells for itself may be dead, so look after twice the time that it
  /// should have taken.
  private mutating func untilRoom() -> Int {
    let settings = output.settings
    if output.pace == .device {
      awaitsRoom = true
      return max(100, 2000 * settings.bufferFrames / settings.rate)
    }
    let left = settings.bufferFrames / (isPunctual ? 4 : 2)
    return max(1, (output.queued() - left) * 1000 / settings.rate + 1)
  }

  /// The source sends nothing for now: keep the device alive for a while, then stop it.
  private mutating func starve(_ now: Int64) -> Int {
    guard isRunning else { return -1 }
    if starvedSince == 0 { starvedSince = now }
    if silenceWritten == 0, output.queued() <= output.settings.periodFrames * 3 / 2 {
      shared.pointee.starvations.add(1, ordering: .relaxed)
    }
    return finishTail(now)
  }

  /// Writes silence behind the last frames; stops the device once they are out and patience is over.
  private mutating func finishTail(_ now: Int64) -> Int {
    guard isRunning else { return -1 }
    if starvedSince == 0 { starvedSince = now }
    let queued = output.queued()
    if queued <= silenceWritten, now - starvedSince > Self.patience {
      halt()
      return -1
    }
    let period = output.settings.periodFrames
    // A first handful of frames below the start threshold: more is on its way, most likely.
    if output.written < period, now - starvedSince < 20_000_000 { return 5 }
    if queued <= period * 3 / 2 {
      fadeInNext = true
      renderer.renderSilence(period)
      if renderer.pending == 0 { return -1 }
      silenceWritten += renderer.pending
      if let bytes = renderer.pendingBytes {
        let taken = output.write(bytes, frames: renderer.pending)
        if taken < 0 { return trouble(Int32(-taken)) }
        renderer.consume(renderer.pending)
      }
    }
    return max(1, (output.queued() - period) * 1000 / output.settings.rate)
  }

  /// Plays out what is queued after the source's end, then says that it was heard.
  private mutating func finishEnd(_ source: UnsafeMutablePointer<InputSlot>) -> Int {
    if renderer.held > 0 {
      renderer.renderHeld()
      if renderer.pending > 0 { return 0 }
    }
    let now = PlaybackClock.now()
    if !isRunning || output.queued() <= silenceWritten {
      endOwed = false
      halt()
      source.pointee.tap.report(delay: 0)
      source.pointee.tap.confirmDrained()
      return 0
    }
    let left = max(0, output.queued() - silenceWritten) * 1000 / output.settings.rate + 1
    let step = finishTail(now)
    return step < 0 ? left : min(step, left)
  }

  /// Stops the device, at once; what was queued is gone.
  mutating func halt() {
    renderer.discard()
    if output.stop() < 0, output.pcm != nil { lose(ALSAFailure(step: .prepare, code: EIO)) }
    isRunning = false
    starvedSince = 0
    silenceWritten = 0
  }
}

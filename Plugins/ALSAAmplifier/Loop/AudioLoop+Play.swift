import Glibc
import PluginKit
import Synchronization

extension AudioLoop {
  /// Does all that can be done now; answers how many milliseconds to wait (−1: for the bell, or for
  /// the device where it is running).
  mutating func play() -> Int {
    let now = output.now
    if let source { takeEvents(source) }
    if lost, now >= retryAt, isRunning || hasFrames || isTakingBack { reopen(now) }
    if suspendedSince > 0 { return resume(now) }
    for _ in 0..<64 {
      if writable > 0 {
        guard let wait = writePending() else { continue }
        return wait
      }
      guard let source else { return finishTail() }
      takeEvents(source)
      if endOwed {
        guard let wait = finishEnd(source) else { continue }
        return wait
      }
      guard let format = source.pointee.format else { return finishTail() }
      if planStale {
        guard let wait = renewPlan(for: format) else { continue }
        return wait
      }
      if let wait = render(from: source, now) { return wait }
    }
    return 1
  }

  /// Whether the source has anything waiting.
  private var hasFrames: Bool { (source?.pointee.tap.available ?? 0) > 0 }

  /// Rendered frames that may be written. The newest are held back while more is to come, so that
  /// there is something left to fade out when it does not come.
  private var writable: Int {
    isEnding ? renderer.pending : renderer.pending - renderer.fadeFrames
  }

  /// Writes what is rendered; `nil` when there may be more, else how long to wait.
  mutating func writePending() -> Int? {
    guard let (bytes, frames) = renderer.piece(atMost: writable) else { return nil }
    let taken = output.write(bytes, frames: frames)
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
    guard let plan = renderer.plan else { return finishTail() }
    // Behind silence, and where the device was made to stop soon, sound begins anew.
    if isRunning, mustStop || silenceWritten > 0 { return finishTail() }
    if !isRunning || isEnding, let wait = gather(source, plan, now) { return wait }
    let room = output.room()
    if room < 0 { return trouble(Int32(-room)) }
    let waiting = source.pointee.tap.available
    let frames = min(room * plan.source.rate / plan.device.rate, plan.chunkFrames)
    // Dribbling a few frames at a time costs a wake each; a period at a time is soon enough, also
    // to look whether something has come.
    let period = plan.device.periodFrames * plan.source.rate / plan.device.rate
    let worthwhile = min(period, plan.chunkFrames)
    let least = !isRunning ? 1 : waiting > 0 ? min(waiting, worthwhile) : worthwhile
    guard frames >= least else { return untilRoom() }
    let buffer = UnsafeMutableRawBufferPointer(
      start: plan.sourceBytes, count: frames * plan.source.frameBytes)
    // Reading an empty ring asks for a wake when something comes.
    let read = source.pointee.tap.read(into: buffer)
    guard case .frames(let count) = read else {
      return take(read, from: source) ? nil : starve()
    }
    if fadeInNext {
      fadeInNext = false
      if !source.pointee.tap.startedRecording { renderer.fadeIn() }
    }
    isEnding = false
    isOwnSound = true
    renderer.render(count)
    return nil
  }

  /// Waits until enough has come for sound to begin, so that a source that sends its first frames
  /// slowly does not stumble; `nil` when it may begin, else how long to wait, 0.1 s in all.
  private mutating func gather(
    _ source: UnsafeMutablePointer<InputSlot>, _ plan: RenderPlan, _ now: Int64
  ) -> Int? {
    let tap = source.pointee.tap
    let waiting = tap.available
    guard waiting > 0 else {
      gatheringSince = 0
      return tap.wakeWhenReadable() ? finishTail() : 0
    }
    if gatheringSince == 0 { gatheringSince = now }
    let isOver = now - gatheringSince >= 100_000_000
    // As much as the device holds, if that is not nearly all of the ring.
    let wanted = min(2 * plan.chunkFrames, plan.source.rate * 3 / 10)
    guard waiting < wanted, !tap.holdsEvent, !isOver else {
      gatheringSince = 0
      return nil
    }
    let tail = finishTail()
    return tail < 0 ? 5 : min(5, tail)
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
    return milliseconds(output.queued() - left)
  }

  /// Whole milliseconds after which `frames` device frames are over.
  private func milliseconds(_ frames: Int) -> Int {
    max(1, frames * 1000 / output.settings.rate + 1)
  }

  /// The source sends nothing for now. Nothing is lost until the device is about to run dry: then
  /// the sound ends in a fade, and the gap is counted.
  private mutating func starve() -> Int {
    guard isRunning, !isEnding else { return finishTail() }
    let filled = output.filled()
    if filled < 0 { return trouble(Int32(-filled)) }
    let rate = output.settings.rate
    let left = filled - min(output.settings.periodFrames / 2, rate * 15 / 1000)
    if left >= rate / 1000 { return left * 1000 / rate }
    shared.pointee.starvations.add(1, ordering: .relaxed)
    shared.pointee.underruns.add(1, ordering: .relaxed)
    _ = fadeOut(takingBack: false)
    fadeInNext = true
    return finishTail()
  }

  /// Plays out what is queued and stops the device then, 0; answers how long to wait, or −1 when it
  /// stands still.
  mutating func finishTail() -> Int {
    guard isRunning else { return -1 }
    isEnding = true
    if renderer.pending > 0 { return writePending() ?? 0 }
    let queued = output.queued()
    let filled = output.filled()
    // Sound servers tell their delay to a few milliseconds only.
    let margin = mustStop ? 0 : min(silenceWritten / 2, output.settings.rate / 50)
    let rest = queued - silenceWritten + margin
    guard rest > 0, filled >= 0 else {
      halt()
      return 0
    }
    // Silence, so that the device does not run dry before it is stopped.
    guard output.pace == .device else { return milliseconds(rest) }
    let period = output.settings.periodFrames
    let least = max(period, output.settings.rate / 50)
    if filled <= least, let (bytes, frames) = renderer.silence() {
      silenceWritten += max(0, output.write(bytes, frames: min(period, frames)))
    }
    return min(milliseconds(rest), milliseconds(output.filled() - least))
  }

  /// Plays out what is queued after the source's end, then says that it was heard; `nil` when there
  /// is something to write, else how long to wait.
  private mutating func finishEnd(_ source: UnsafeMutablePointer<InputSlot>) -> Int? {
    if !isEnding, isRunning || renderer.pending + renderer.held > 0 {
      if renderer.held > 0 { renderer.renderHeld() }
      isEnding = true
      return nil
    }
    if isRunning { return finishTail() }
    endOwed = false
    source.pointee.tap.report(delay: 0)
    source.pointee.tap.confirmDrained()
    return 0
  }

  /// Stops the device, at once; what was queued is gone.
  mutating func halt() {
    renderer.discard()
    if output.stop() < 0, output.pcm != nil { lose(ALSAFailure(step: .prepare, code: EIO)) }
    isRunning = false
    isEnding = false
    mustStop = false
    silenceWritten = 0
  }
}

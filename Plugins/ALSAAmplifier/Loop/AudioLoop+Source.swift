import Platform
import PluginKit
import Synchronization

extension AudioLoop {
  /// Takes in the events that stand before the source's next frame.
  mutating func takeEvents(_ source: UnsafeMutablePointer<InputSlot>) {
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    while take(source.pointee.tap.read(into: nothing), from: source) {}
    // Sound after an end goes on without a gap; nobody waits for "drained" then.
    if endOwed, source.pointee.tap.available > 0 { endOwed = false }
  }

  /// Takes in one thing that the source said; `false` when it was no event.
  mutating func take(
    _ read: CableRead, from source: UnsafeMutablePointer<InputSlot>
  ) -> Bool {
    switch read {
    case .format(let new):
      let new = StreamFormat(new)
      if new != source.pointee.format {
        source.pointee.format = new
        planStale = true
      }
    case .flush: flush(source)
    case .end: endOwed = true
    case .empty, .frames: return false
    }
    return true
  }

  /// Ends the source's sound at once and reports to the source the number of frames not heard.
  private mutating func flush(_ source: UnsafeMutablePointer<InputSlot>) {
    endOwed = false
    // The sound that plays may be the fade-out of another source: flushing this one leaves it
    // alone.
    let unheard = isOwnSound ? fadeOut(takingBack: true) : 0
    fadeInNext = true
    source.pointee.tap.confirmFlush(unheard: sourceFrames(unheard))
  }

  /// Fades the sound out. With `takingBack` the fade uses frames that the device gives back,
  /// otherwise the frames that were held back for it, behind all frames in the device. Returns the
  /// number of rendered frames that will not be heard.
  mutating func fadeOut(takingBack: Bool) -> Int {
    guard isRunning, !mustStop else {
      let dropped = isRunning ? 0 : renderer.pending + renderer.held
      if !isRunning { renderer.discard() }
      return dropped
    }
    let taken = takingBack ? takeBack() : 0
    if taken > 0, output.filled() <= 0 {
      // Nothing of it was heard yet.
      let dropped = renderer.pending + renderer.held
      halt()
      return dropped
    }
    // Frames behind the end of a recording need no fade: there are none.
    let dropped = renderer.fadeOut()
    isEnding = true
    mustStop = taken > 0
    while renderer.pending > 0, writePending() == nil {}
    return dropped
  }

  /// Makes the frames that the device has not played pending again. Returns the number of sound
  /// frames.
  private mutating func takeBack() -> Int {
    let taken = output.takeBack(atMost: renderer.written + silenceWritten)
    let sound = taken - silenceWritten
    silenceWritten = max(0, -sound)
    renderer.takeBack(max(0, sound))
    return max(0, sound)
  }

  /// Source frames that were taken and have not been heard yet.
  func unheard() -> Int {
    sourceFrames(max(0, output.queued() - silenceWritten) + renderer.pending + renderer.held)
  }

  private func sourceFrames(_ frames: Int) -> Int {
    guard let plan = renderer.plan else { return 0 }
    return frames * plan.source.rate / plan.device.rate
  }

  /// Leaves the source with a fade and goes over to the selected input.
  mutating func changeSource() {
    _ = fadeOut(takingBack: true)
    sourceIndex = selected
    source = shared.pointee.input(sourceIndex)
    endOwed = false
    planStale = true
    fadeInNext = true
    isOwnSound = false
    shared.pointee.listening.store(sourceIndex, ordering: .releasing)
    shared.pointee.controlBell.signal()
  }

  /// Makes a plan for the source's present format; `nil` when that is done, else how long to wait:
  /// for the old one's end, or for ever where there is no way to play it.
  mutating func renewPlan(for format: StreamFormat) -> Int? {
    let wanted = DeviceRequest(
      playing: format, surround: surround, bufferMilliseconds: setting.bufferMilliseconds,
      isPunctual: isPunctual, takeBack: setting.takeBack)
    if wanted != request {
      if isRunning, !isEnding {
        if renderer.held > 0 { renderer.renderHeld() }
        if breaksOff {
          _ = fadeOut(takingBack: false)
          fadeInNext = true
        }
      }
      breaksOff = false
      if isRunning { return finishTail() }
      configure(wanted, format.layout)
    }
    do throws(ALSAFailure) {
      let plan = try RenderPlan(from: format, surround: surround, to: output.settings, map: map)
      renderer.adopt(plan)
    } catch {
      lose(error)
      return finishTail()
    }
    planStale = false
    return nil
  }

  /// Brings the device to `wanted`, or goes on silently at the same format.
  private mutating func configure(_ wanted: DeviceRequest, _ layout: SpeakerLayout) {
    request = wanted
    let layout = surround ? layout : .stereo
    do throws(ALSAFailure) {
      map = try output.configure(wanted, wanted: layout)
    } catch {
      lose(error)
      // Silent output takes any format.
      map = (try? output.configure(wanted, wanted: layout)) ?? layout
    }
  }
}

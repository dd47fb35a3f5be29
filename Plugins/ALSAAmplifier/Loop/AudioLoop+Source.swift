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

  /// Ends the sound of the source at once, and tells it how much of it was not heard.
  private mutating func flush(_ source: UnsafeMutablePointer<InputSlot>) {
    let unheard = unheard()
    endOwed = false
    if isRunning { halt() }
    renderer.discard()
    fadeInNext = true
    source.pointee.tap.confirmFlush(unheard: unheard)
  }

  /// Source frames that were taken and have not been heard yet.
  func unheard() -> Int {
    guard let plan = renderer.plan else { return 0 }
    let frames = max(0, output.queued() - silenceWritten) + renderer.pending + renderer.held
    return frames * plan.source.rate / plan.device.rate
  }

  /// Goes over to the selected input once the old one has faded; `true` when it is done.
  mutating func finishSwitch() -> Bool {
    let hasFaded = renderer.fade.target == 0 && renderer.fade.isSteady
    if let source, isRunning, starvedSince == 0, !endOwed, !planStale, !hasFaded,
      source.pointee.tap.available > 0
    {
      return false
    }
    adoptSource()
    return true
  }

  /// Listens to the selected input from now on.
  mutating func adoptSource() {
    sourceIndex = selected
    source = shared.pointee.input(sourceIndex)
    endOwed = false
    switchAsked = false
    planStale = true
    fadeInNext = isRunning
    renderer.fade = GainRamp(1)
    shared.pointee.listening.store(sourceIndex, ordering: .releasing)
    shared.pointee.controlBell.ring()
  }

  /// Starts the fade of a source that is being left; answers how many frames of it to render: 5 ms.
  mutating func fadeOut(_ plan: RenderPlan) -> Int {
    if renderer.fade.target != 0 {
      renderer.fade.move(to: 0, over: max(1, plan.device.rate / 200))
    }
    return max(1, plan.source.rate / 200)
  }

  /// Makes a plan for the source's present format; `false` while the old one still has to be heard,
  /// or when there is no way to play it.
  mutating func renewPlan(for format: StreamFormat) -> Bool {
    let wanted = DeviceRequest(
      playing: format, surround: surround, bufferMilliseconds: setting.bufferMilliseconds,
      isPunctual: isPunctual)
    if wanted != request {
      if isRunning {
        if renderer.held > 0 { renderer.renderHeld() }
        if renderer.pending > 0 || output.queued() > silenceWritten { return false }
        halt()
      }
      configure(wanted, format.layout)
    }
    do throws(ALSAFailure) {
      let plan = try RenderPlan(from: format, surround: surround, to: output.settings, map: map)
      renderer.adopt(plan)
    } catch {
      lose(error)
      return false
    }
    planStale = false
    return true
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

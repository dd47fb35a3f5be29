import Synchronization

extension AudioLoop {
  /// Carries out the flushes that cables asked for, and empties the inputs nobody listens to.
  mutating func answerFlushes() {
    for index in 0..<EngineShared.inputLimit {
      guard let channel = shared.pointee.input(index) else { continue }
      let asked = channel.pointee.flushesAsked.load(ordering: .acquiring)
      let isFlush = asked != channel.pointee.flushesDone.load(ordering: .relaxed)
      if isFlush {
        let position = channel.pointee.flushPosition.load(ordering: .relaxed)
        if channel == source { silence(channel) }
        channel.pointee.discard(to: position, flushes: asked)
        channel.pointee.flushesDone.store(asked, ordering: .releasing)
        channel.pointee.cableBell.ring()
      }
      if channel != source { channel.pointee.discardAll() }
    }
  }

  /// Ends the sound of the current source at once, and takes back from its count what will not be
  /// heard.
  private mutating func silence(_ channel: UnsafeMutablePointer<InputChannel>) {
    channel.pointee.framesTaken.subtract(unheard(), ordering: .relaxed)
    channel.pointee.delay.store(0, ordering: .relaxed)
    endOwed = false
    if isRunning { halt() }
    renderer.discard()
    fadeInNext = true
  }

  /// Source frames that were taken and have not been heard yet.
  func unheard() -> Int {
    guard let plan = renderer.plan else { return 0 }
    let frames = max(0, output.queued() - silenceWritten) + renderer.pending + renderer.held
    return frames * plan.source.rate / plan.device.rate
  }

  /// Stops listening to a source and forgets what it sent.
  func leave(_ channel: UnsafeMutablePointer<InputChannel>) {
    channel.pointee.listening.store(false, ordering: .releasing)
    channel.pointee.discardAll()
    channel.pointee.delay.store(0, ordering: .relaxed)
    channel.pointee.cableBell.ring()
  }

  /// Goes over to the selected input once the old one has faded; `true` when it is done.
  mutating func finishSwitch() -> Bool {
    let fading = renderer.fade.target != 0 || !renderer.fade.isSteady
    if let source, isRunning, starvedSince == 0, !endOwed, fading,
      source.pointee.ring.readable >= (source.pointee.format?.frameBytes ?? .max)
    {
      return false
    }
    if let source { leave(source) }
    sourceIndex = powered ? shared.pointee.selected.load(ordering: .relaxed) : -1
    source = shared.pointee.input(sourceIndex)
    endOwed = false
    switchAsked = false
    planStale = true
    fadeInNext = isRunning
    renderer.fade = GainRamp(1)
    framesTold = source?.pointee.framesTaken.load(ordering: .relaxed) ?? 0
    if let source {
      source.pointee.discardAll()
      source.pointee.listening.store(true, ordering: .releasing)
      source.pointee.cableBell.ring()
    }
    return true
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
  mutating func renewPlan(_ source: UnsafeMutablePointer<InputChannel>) -> Bool {
    guard let format = source.pointee.format else { return false }
    let wanted = DeviceRequest(
      playing: format, surround: surround, bufferMilliseconds: setting.bufferMilliseconds)
    let layout = SpeakerLayout.stream(channels: format.channels)
    if wanted != request {
      if isRunning {
        if renderer.held > 0 { renderer.renderHeld() }
        if renderer.pending > 0 || output.queued() > silenceWritten { return false }
        halt()
      }
      configure(wanted, layout)
    }
    do throws(ALSAFailure) {
      let plan = try RenderPlan(
        from: format, layout: layout, surround: surround, to: output.settings, map: map)
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

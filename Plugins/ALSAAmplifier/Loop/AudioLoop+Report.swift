import Platform
import Synchronization

/// What the audio thread has told last, to tell only what is new.
struct Report: Equatable {
  var state = OutputState.closed
  var failure = ALSAFailure(step: .none, code: 0)
  var settings: DeviceSettings?
  var sounding = false
  var clockPaced = false
  var underruns = 0
}

extension AudioLoop {
  /// Tells both sides what has changed.
  mutating func publish() {
    let now = Report(
      state: state, failure: failure, settings: powered ? output.settings : nil,
      sounding: isRunning && silenceWritten == 0, clockPaced: powered && output.pace == .clock,
      underruns: shared.pointee.underruns.load(ordering: .relaxed))
    let isNews = now != told
    if isNews {
      told = now
      shared.pointee.failureStep.store(failure.step.rawValue, ordering: .relaxed)
      shared.pointee.failureCode.store(failure.code, ordering: .relaxed)
      shared.pointee.deviceSample.store(output.settings.sample.rawValue, ordering: .relaxed)
      shared.pointee.deviceRate.store(output.settings.rate, ordering: .relaxed)
      shared.pointee.deviceChannels.store(output.settings.channels, ordering: .relaxed)
      shared.pointee.deviceBuffer.store(output.settings.bufferFrames, ordering: .relaxed)
      shared.pointee.sounding.store(now.sounding, ordering: .relaxed)
      shared.pointee.clockPaced.store(now.clockPaced, ordering: .relaxed)
      shared.pointee.outputState.store(now.state.rawValue, ordering: .releasing)
    }
    if tellLevels() || isNews { shared.pointee.controlBell.signal() }
  }

  private var state: OutputState {
    if powered { return lost ? .silent : .open }
    return failure.code == 0 ? .closed : .refused
  }

  /// Tells levels at most fifteen times a second; `true` when it did.
  private mutating func tellLevels() -> Bool {
    guard renderer.metering, isRunning else { return false }
    let now = output.now
    guard now - levelsTold >= 66_000_000 else { return false }
    levelsTold = now
    let (peak, rms) = renderer.meter.take()
    for channel in 0..<8 {
      shared.pointee.levels[channel].store(peak[channel].bitPattern, ordering: .relaxed)
      shared.pointee.levels[8 + channel].store(rms[channel].bitPattern, ordering: .relaxed)
    }
    return true
  }
}

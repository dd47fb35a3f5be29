import Synchronization

/// The status of the output that the audio thread publishes.
struct OutputReport: Equatable {
  var state = OutputState.closed
  var failure = ALSAFailure(step: .none, code: 0)
  var settings: DeviceSettings?
  var sounding = false
  var clockPaced = false
  var underruns = 0
}

/// Publishes changes of the status, and the levels, to the engine's other threads. Used on the
/// audio thread only.
struct StatusPublisher {
  /// The least time between two readings of the levels, ns: fifteen a second.
  private static let levelInterval: Int64 = 66_666_667

  private let shared: UnsafeMutablePointer<EngineShared>
  private var published = OutputReport()
  private var levelsPublishedAt: Int64 = 0

  init(_ shared: UnsafeMutablePointer<EngineShared>) { self.shared = shared }

  /// Publishes a report that differs from the last one; returns whether it does.
  mutating func publish(_ report: OutputReport, settings: DeviceSettings) -> Bool {
    guard report != published else { return false }
    published = report
    shared.pointee.failureStep.store(report.failure.step.rawValue, ordering: .relaxed)
    shared.pointee.failureCode.store(report.failure.code, ordering: .relaxed)
    shared.pointee.deviceSample.store(settings.sample.rawValue, ordering: .relaxed)
    shared.pointee.deviceRate.store(settings.rate, ordering: .relaxed)
    shared.pointee.deviceChannels.store(settings.channels, ordering: .relaxed)
    shared.pointee.deviceBuffer.store(settings.bufferFrames, ordering: .relaxed)
    shared.pointee.sounding.store(report.sounding, ordering: .relaxed)
    shared.pointee.clockPaced.store(report.clockPaced, ordering: .relaxed)
    shared.pointee.outputState.store(report.state.rawValue, ordering: .releasing)
    return true
  }

  /// Whether the levels may be published again at `now`, monotonic ns.
  func areLevelsDue(at now: Int64) -> Bool { now - levelsPublishedAt >= Self.levelInterval }

  /// Publishes peak and root mean square of each channel, full scale 1.
  mutating func publishLevels(peak: SIMD8<Float>, rms: SIMD8<Float>, at now: Int64) {
    levelsPublishedAt = now
    for channel in 0..<8 {
      shared.pointee.levels[channel].store(peak[channel].bitPattern, ordering: .relaxed)
      shared.pointee.levels[8 + channel].store(rms[channel].bitPattern, ordering: .relaxed)
    }
    shared.pointee.levelReadings.add(1, ordering: .releasing)
  }
}

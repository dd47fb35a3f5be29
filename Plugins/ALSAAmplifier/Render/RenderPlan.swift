import CSwresample

/// How frames of one format become frames of another: fixed until either side changes.
///
/// Owns memory by hand, because the audio thread reads it without counting references; `release`
/// gives it back.
struct RenderPlan {
  /// What the source sends.
  let source: StreamFormat
  /// What the device takes.
  let device: DeviceSettings
  /// Source frames rendered at most in one go: half the device's buffer, which is what there is room
  /// for at each wake.
  let chunkFrames: Int
  /// Device frames that one go can yield.
  let outputFrames: Int
  /// Row by row, outputs × inputs; `nil` when each channel goes straight through.
  let matrix: UnsafeMutablePointer<Float>?
  /// Converts the rate; `nil` when the device runs at the source's.
  let resampler: OpaquePointer?
  /// Raw source bytes of one go.
  let sourceBytes: UnsafeMutableRawPointer
  /// Raw device bytes of one go.
  let deviceBytes: UnsafeMutableRawPointer
  /// Two rooms for floats, each for the widest stage.
  let front: UnsafeMutablePointer<Float>
  let back: UnsafeMutablePointer<Float>

  /// Makes the plan; fails when the rate must be converted and libswresample is missing.
  init(
    from source: StreamFormat, surround: Bool, to device: DeviceSettings, map: SpeakerLayout
  ) throws(ALSAFailure) {
    self.source = source
    self.device = device
    chunkFrames = max(64, (device.bufferFrames / 2 * source.rate + device.rate - 1) / device.rate)
    // Room for what the resampler held back, twice over.
    outputFrames = (chunkFrames * device.rate + source.rate - 1) / source.rate + 256

    let target = surround ? map : map.frontOnly
    let mix = MixMatrix(from: source.layout, to: target)
    if mix.isIdentity {
      matrix = nil
    } else {
      let copy = UnsafeMutablePointer<Float>.allocate(capacity: mix.gains.count)
      copy.initialize(from: mix.gains, count: mix.gains.count)
      matrix = copy
    }
    resampler = try Self.resampler(channels: device.channels, from: source.rate, to: device.rate)
    let widest = max(source.channels, device.channels) * max(chunkFrames, outputFrames)
    sourceBytes = .allocate(byteCount: chunkFrames * source.frameBytes, alignment: 64)
    deviceBytes = .allocate(byteCount: outputFrames * device.frameBytes, alignment: 64)
    front = .allocate(capacity: widest + 8)
    back = .allocate(capacity: widest + 8)
    front.initialize(repeating: 0, count: widest + 8)
    back.initialize(repeating: 0, count: widest + 8)
  }

  /// Gives back all memory.
  func release() {
    matrix?.deallocate()
    if let resampler { resampler_close(resampler) }
    sourceBytes.deallocate()
    deviceBytes.deallocate()
    front.deallocate()
    back.deallocate()
  }

  private static func resampler(
    channels: Int, from source: Int, to target: Int
  ) throws(ALSAFailure) -> OpaquePointer? {
    guard source != target else { return nil }
    var reason = [CChar](repeating: 0, count: 200)
    let opened = resampler_open(
      Int32(channels), Int32(source), Int32(target), &reason, reason.count)
    guard let opened else { throw ALSAFailure(step: .resample, code: 95) }
    return opened
  }
}

extension SpeakerLayout {
  /// The same channels with only the front pair in use, or the centre where there is no pair.
  var frontOnly: SpeakerLayout {
    let pair: Set<Speaker> = [.frontLeft, .frontRight]
    let kept = pair.isSubset(of: speakers.compactMap(\.self)) ? pair : [.frontCentre]
    return SpeakerLayout(speakers.map { $0.flatMap { kept.contains($0) ? $0 : nil } })
  }
}

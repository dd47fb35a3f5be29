import CSwresample

/// The steps that convert frames of one format to another, with their buffers.
///
/// Its memory is freed by ``release()``, because the audio thread reads it without counting references.
struct RenderPlan {
  /// The source's format.
  let source: StreamFormat
  /// The device's format.
  let device: DeviceSettings
  /// The most source frames of one ``Renderer/render(_:)``: half of the device's buffer, at least 64.
  let chunkFrames: Int
  /// The most device frames that these become.
  let outputFrames: Int
  /// The gains of the mix, outputs × inputs, row by row; `nil` if every channel passes unchanged.
  let matrix: UnsafeMutablePointer<Float>?
  /// Converts the rate; `nil` when the device runs at the source's.
  let resampler: OpaquePointer?
  /// The source bytes to render.
  let sourceBytes: UnsafeMutableRawPointer
  /// The rendered device bytes.
  let deviceBytes: UnsafeMutableRawPointer
  /// Two buffers for floats, each for the widest step.
  let front: UnsafeMutablePointer<Float>
  let back: UnsafeMutablePointer<Float>

  /// Makes the plan; fails when the rate must be converted and libswresample is missing.
  init(
    from source: StreamFormat, surround: Bool, to device: DeviceSettings, map: SpeakerLayout
  ) throws(ALSAFailure) {
    self.source = source
    self.device = device
    chunkFrames = max(64, (device.bufferFrames / 2 * source.rate + device.rate - 1) / device.rate)
    // 256 more, for frames that earlier calls have left in the resampler.
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

  /// Frees all memory.
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
  /// The same channels with only the front pair in use, or the centre if there is no pair.
  var frontOnly: SpeakerLayout {
    let pair: Set<Speaker> = [.frontLeft, .frontRight]
    let kept = pair.isSubset(of: speakers.compactMap(\.self)) ? pair : [.frontCentre]
    return SpeakerLayout(speakers.map { $0.flatMap { kept.contains($0) ? $0 : nil } })
  }
}

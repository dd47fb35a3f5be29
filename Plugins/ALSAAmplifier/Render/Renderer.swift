import CSwresample
import Glibc

/// Turns source frames into device frames: read, mix, resample, gain, dither.
///
/// Owned by the audio thread. Between two plans it allocates nothing.
struct Renderer {
  /// The plan in force; `nil` until a source has told its format.
  private(set) var plan: RenderPlan?
  /// The volume, as it moves.
  var volume = GainRamp(0)
  /// Fades of one source into the next.
  var fade = GainRamp(1)
  /// Levels after the volume, as the speakers get them.
  var meter = LevelMeter()
  /// Whether anybody looks at the meter.
  var metering = false
  /// Device frames that are rendered and not yet written.
  private(set) var pending = 0
  private var offset = 0
  private var writer = SampleWriter()

  /// The first byte that is not yet written.
  var pendingBytes: UnsafeRawPointer? {
    guard let plan else { return nil }
    return UnsafeRawPointer(plan.deviceBytes) + offset * plan.device.frameBytes
  }

  /// Device frames inside the resampler.
  var held: Int {
    guard let resampler = plan?.resampler else { return 0 }
    return resampler_pending(resampler)
  }

  /// Takes a new plan and gives back the old one.
  mutating func adopt(_ new: RenderPlan?) {
    plan?.release()
    plan = new
    discard()
  }

  /// Marks `frames` pending frames as written.
  mutating func consume(_ frames: Int) {
    pending -= frames
    offset += frames
  }

  /// Forgets what is rendered and what the resampler holds.
  mutating func discard() {
    pending = 0
    offset = 0
    if let resampler = plan?.resampler { resampler_reset(resampler) }
  }

  /// Renders `frames` source frames (at most the plan's chunk) that lie in the plan's source bytes.
  mutating func render(_ frames: Int) {
    guard let plan else { return }
    offset = 0
    if passesThrough(plan) {
      plan.deviceBytes.copyMemory(
        from: plan.sourceBytes, byteCount: frames * plan.device.frameBytes)
      pending = frames
      return
    }
    var floats = plan.front
    SampleReader.read(
      plan.sourceBytes, as: plan.source.sample, count: frames * plan.source.channels, into: floats)
    if let matrix = plan.matrix {
      Frames.mix(
        floats, frames: frames, matrix: matrix, inputs: plan.source.channels,
        outputs: plan.device.channels, into: plan.back)
      floats = plan.back
    }
    var count = frames
    if let resampler = plan.resampler {
      let other = floats == plan.front ? plan.back : plan.front
      count = max(
        0,
        resampler_convert(resampler, floats, Int32(frames), other, Int32(plan.outputFrames)))
      floats = other
    }
    finish(floats, frames: count, plan)
  }

  /// Renders what the resampler still holds, at the end of a stream.
  mutating func renderHeld() {
    guard let plan, let resampler = plan.resampler else { return }
    offset = 0
    let count = max(
      0, resampler_convert(resampler, nil, 0, plan.front, Int32(plan.outputFrames)))
    finish(plan.front, frames: count, plan)
  }

  /// Fills the pending frames with `frames` frames of silence (at most the plan's).
  mutating func renderSilence(_ frames: Int) {
    guard let plan else { return }
    offset = 0
    pending = min(frames, plan.outputFrames)
    memset(plan.deviceBytes, 0, pending * plan.device.frameBytes)
    // Nobody can hear a ramp in silence: arrive.
    volume.move(to: volume.target, over: 0)
  }

  /// True when bytes can go to the device untouched, so that full volume is bit-exact.
  private func passesThrough(_ plan: RenderPlan) -> Bool {
    plan.matrix == nil && plan.resampler == nil && plan.source.sample == plan.device.sample
      && volume.isSteady && volume.current == 1 && fade.isSteady && fade.current == 1 && !metering
  }

  private mutating func finish(
    _ floats: UnsafeMutablePointer<Float>, frames: Int, _ plan: RenderPlan
  ) {
    let channels = plan.device.channels
    let untouched =
      volume.isSteady && volume.current == 1 && fade.isSteady && fade.current == 1
      && plan.matrix == nil && plan.resampler == nil
    volume.apply(to: floats, frames: frames, channels: channels)
    fade.apply(to: floats, frames: frames, channels: channels)
    if metering { meter.add(floats, frames: frames, channels: channels) }
    // Digital silence stays silence; dither would put a hiss into every pause.
    let audible = Frames.isAudible(floats, count: frames * channels)
    let shallow = !untouched || plan.source.sample.depth > plan.device.sample.depth
    writer.write(
      floats, count: frames * channels, as: plan.device.sample, dithered: audible && shallow,
      to: plan.deviceBytes)
    pending = frames
  }
}

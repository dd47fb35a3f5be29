import CSwresample
import Glibc

/// The conversion of source frames to device frames: read, mix, resample, gain, dither.
///
/// Used on the audio thread only. Between two plans it allocates nothing.
struct Renderer {
  /// The plan in force; `nil` until a source has told its format.
  private(set) var plan: RenderPlan?
  /// The volume and its changes.
  var volume = GainRamp(0)
  /// The fade of the present frames.
  var fade = GainRamp(1)
  /// The levels after the volume.
  var meter = LevelMeasurement()
  /// Whether the meter is in use.
  var metering = false
  /// The ring of rendered frames; `nil` until there is a plan.
  private var queue: FrameQueue?
  private var writer = SampleWriter()

  /// The length of a fade, and of the sound held back for one, ms. The sound may end at any moment, and
  /// the frames of its fade must not have been played by then.
  static let fadeMilliseconds = 6

  /// The length of a fade in device frames.
  var fadeFrames: Int { (plan?.device.rate ?? 0) * Self.fadeMilliseconds / 1000 }

  /// Device frames that are rendered and not yet written.
  var pending: Int { queue?.pending ?? 0 }

  /// Device frames that were written and are still kept.
  var written: Int { queue?.kept ?? 0 }

  /// Returns the first contiguous pending frames, at most `frames`.
  func pendingFrames(atMost frames: Int) -> (bytes: UnsafeRawPointer, frames: Int)? {
    guard let (bytes, count) = queue?.pendingFrames(atMost: frames), count > 0 else { return nil }
    return (UnsafeRawPointer(bytes), count)
  }

  /// Device frames inside the resampler.
  var framesInResampler: Int {
    guard let resampler = plan?.resampler else { return 0 }
    return resampler_pending(resampler)
  }

  /// Adopts a new plan and frees the old one. Pending frames stay if the device's format is the same.
  mutating func adopt(_ new: RenderPlan?) {
    if new?.device != plan?.device {
      queue?.release()
      queue = new.map {
        FrameQueue(
          capacity: $0.device.bufferFrames + 2 * $0.outputFrames, frameBytes: $0.device.frameBytes)
      }
    }
    plan?.release()
    plan = new
  }

  /// Marks `frames` pending frames as written.
  mutating func consume(_ frames: Int) { queue?.consume(frames) }

  /// Makes the last `frames` written frames pending again, after the device gave them back.
  mutating func rewind(_ frames: Int) { _ = queue?.rewind(frames) }

  /// Forgets the written frames: the device does not give them back any more.
  mutating func forgetWritten() { queue?.forgetWritten() }

  /// Forgets the rendered frames and those in the resampler, and ends all ramps.
  mutating func discard() {
    _ = queue?.truncate(to: 0)
    queue?.forgetWritten()
    if let resampler = plan?.resampler { resampler_reset(resampler) }
    volume.move(to: volume.target, over: 0)
    fade = GainRamp(1)
  }

  /// Fades the first pending frames out and forgets those behind them. Returns the number of forgotten
  /// frames, with those in the resampler.
  mutating func fadeOut() -> Int {
    let length = min(pending, fadeFrames)
    var ramp = GainRamp(from: 1, to: 0, over: length)
    applyRamp(&ramp, toFirst: length)
    let dropped = (queue?.truncate(to: length) ?? 0) + framesInResampler
    if let resampler = plan?.resampler { resampler_reset(resampler) }
    fade = GainRamp(1)
    return dropped
  }

  /// Fades in the pending frames and those rendered from here on.
  mutating func fadeIn() {
    fade = GainRamp(from: 0, to: 1, over: fadeFrames)
    var ramp = fade
    applyRamp(&ramp, toFirst: pending)
    fade = ramp
  }

  /// Applies a ramp to the first `frames` pending frames.
  private mutating func applyRamp(_ ramp: inout GainRamp, toFirst frames: Int) {
    guard let plan, let queue else { return }
    let channels = plan.device.channels
    let format = plan.device.sample
    var done = 0
    while done < frames, !ramp.isSteady || ramp.current != 1 {
      let (bytes, count) = queue.pendingFrames(
        from: done, atMost: min(frames - done, plan.outputFrames))
      guard count > 0 else { return }
      SampleReader.read(bytes, as: format, count: count * channels, into: plan.front)
      ramp.apply(to: plan.front, frames: count, channels: channels)
      let audible = Frames.isAudible(plan.front, count: count * channels)
      writer.write(plan.front, count: count * channels, as: format, dithered: audible, to: bytes)
      done += count
    }
  }

  /// Renders `frames` source frames (at most the plan's chunk) from the plan's source bytes.
  mutating func render(_ frames: Int) {
    guard let plan else { return }
    // Convert only while a gain moves: the frames after it may pass untouched.
    let moving =
      plan.resampler == nil ? min(frames, max(volume.framesLeft, fade.framesLeft)) : frames
    if moving > 0 { convert(plan.sourceBytes, frames: moving, plan) }
    guard moving < frames else { return }
    let rest = UnsafeRawPointer(plan.sourceBytes) + moving * plan.source.frameBytes
    if passesThrough(plan) {
      queue?.append(rest, frames: frames - moving)
    } else {
      convert(rest, frames: frames - moving, plan)
    }
  }

  /// Renders the frames in the resampler, at the end of a stream.
  mutating func drainResampler() {
    guard let plan, let resampler = plan.resampler else { return }
    let count = max(
      0, resampler_convert(resampler, nil, 0, plan.front, Int32(plan.outputFrames)))
    enqueue(plan.front, frames: count, plan)
  }

  /// Returns bytes of silence, and the number of their frames.
  func silence() -> (bytes: UnsafeRawPointer, frames: Int)? {
    guard let plan else { return nil }
    memset(plan.deviceBytes, 0, plan.outputFrames * plan.device.frameBytes)
    return (UnsafeRawPointer(plan.deviceBytes), plan.outputFrames)
  }

  private mutating func convert(_ bytes: UnsafeRawPointer, frames: Int, _ plan: RenderPlan) {
    var floats = plan.front
    SampleReader.read(
      bytes, as: plan.source.sample, count: frames * plan.source.channels, into: floats)
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
    enqueue(floats, frames: count, plan)
  }

  /// Whether the bytes go to the device unchanged, so that full volume is bit-exact.
  private func passesThrough(_ plan: RenderPlan) -> Bool {
    plan.matrix == nil && plan.resampler == nil && plan.source.sample == plan.device.sample
      && volume.isSteady && volume.current == 1 && fade.isSteady && fade.current == 1 && !metering
  }

  /// Applies the volume and the fade to frames, measures them, and appends them to the queue.
  private mutating func enqueue(
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
    queue?.append(UnsafeRawPointer(plan.deviceBytes), frames: frames)
  }
}

/// Operations on interleaved floats.
enum Frames {
  /// Multiplies each frame of `inputs` channels by the matrix into frames of `outputs` channels.
  static func mix(
    _ source: UnsafePointer<Float>, frames: Int, matrix: UnsafePointer<Float>, inputs: Int,
    outputs: Int, into target: UnsafeMutablePointer<Float>
  ) {
    var from = source
    var to = target
    for _ in 0..<frames {
      var row = matrix
      for output in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs { sum += row[input] * from[input] }
        to[output] = sum
        row += inputs
      }
      from += inputs
      to += outputs
    }
  }

  /// Whether a sample is not zero.
  static func isAudible(_ samples: UnsafePointer<Float>, count: Int) -> Bool {
    for index in 0..<count where samples[index] != 0 { return true }
    return false
  }
}

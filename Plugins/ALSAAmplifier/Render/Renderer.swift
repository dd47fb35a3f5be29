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
  /// Whether the meter is in use.
  var metering = false
  /// The ring of rendered frames; `nil` until there is a plan.
  private var queue: FrameQueue?
  private var writer = SampleWriter()

  /// Length of a fade, and of the sound held back for one, in ms. The sound may break off at any
  /// moment, and its last frames must not have been played by then.
  static let fadeMilliseconds = 6

  /// Device frames of a fade.
  var fadeFrames: Int { (plan?.device.rate ?? 0) * Self.fadeMilliseconds / 1000 }

  /// Device frames that are rendered and not yet written.
  var pending: Int { queue?.pending ?? 0 }

  /// Device frames that were written and are still here.
  var written: Int { queue?.kept ?? 0 }

  /// The first pending frames that lie in one piece, at most `frames`.
  func piece(atMost frames: Int) -> (bytes: UnsafeRawPointer, frames: Int)? {
    guard let (bytes, count) = queue?.piece(atMost: frames), count > 0 else { return nil }
    return (UnsafeRawPointer(bytes), count)
  }

  /// Device frames inside the resampler.
  var held: Int {
    guard let resampler = plan?.resampler else { return 0 }
    return resampler_pending(resampler)
  }

  /// Adopts a new plan and returns the old one. Pending frames stay if the format is the same.
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

  /// Makes the last `frames` written frames pending again, for the device gave them back.
  mutating func takeBack(_ frames: Int) { _ = queue?.takeBack(frames) }

  /// Forgets what the device was given, for it does not give it back any more.
  mutating func forgetWritten() { queue?.forgetWritten() }

  /// Forgets what is rendered and what the resampler holds, and ends all ramps.
  mutating func discard() {
    _ = queue?.truncate(to: 0)
    queue?.forgetWritten()
    if let resampler = plan?.resampler { resampler_reset(resampler) }
    volume.move(to: volume.target, over: 0)
    fade = GainRamp(1)
  }

  /// Lets the first pending frames fade out and forgets all behind them; answers how many those
  /// were, with those in the resampler.
  mutating func fadeOut() -> Int {
    let length = min(pending, fadeFrames)
    var ramp = GainRamp(from: 1, to: 0, over: length)
    shape(length, with: &ramp)
    let dropped = (queue?.truncate(to: length) ?? 0) + held
    if let resampler = plan?.resampler { resampler_reset(resampler) }
    fade = GainRamp(1)
    return dropped
  }

  /// Fades in what is rendered from here on, and before it what is pending.
  mutating func fadeIn() {
    fade = GainRamp(from: 0, to: 1, over: fadeFrames)
    var ramp = fade
    shape(pending, with: &ramp)
    fade = ramp
  }

  /// Applies a ramp to the first `frames` pending frames.
  private mutating func shape(_ frames: Int, with ramp: inout GainRamp) {
    guard let plan, let queue else { return }
    let channels = plan.device.channels
    let format = plan.device.sample
    var done = 0
    while done < frames, !ramp.isSteady || ramp.current != 1 {
      let (bytes, count) = queue.piece(from: done, atMost: min(frames - done, plan.outputFrames))
      guard count > 0 else { return }
      SampleReader.read(bytes, as: format, count: count * channels, into: plan.front)
      ramp.apply(to: plan.front, frames: count, channels: channels)
      let audible = Frames.isAudible(plan.front, count: count * channels)
      writer.write(plan.front, count: count * channels, as: format, dithered: audible, to: bytes)
      done += count
    }
  }

  /// Renders `frames` source frames (at most the plan's chunk) that lie in the plan's source bytes.
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

  /// Renders what the resampler still holds, at the end of a stream.
  mutating func renderHeld() {
    guard let plan, let resampler = plan.resampler else { return }
    let count = max(
      0, resampler_convert(resampler, nil, 0, plan.front, Int32(plan.outputFrames)))
    finish(plan.front, frames: count, plan)
  }

  /// Bytes of silence, and for how many frames they are enough.
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
    finish(floats, frames: count, plan)
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
    queue?.append(UnsafeRawPointer(plan.deviceBytes), frames: frames)
  }
}

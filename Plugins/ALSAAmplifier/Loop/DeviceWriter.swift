import CALSA
import PluginKit
import Synchronization

/// The sound device and the rendered frames for it: writes, fades, drains, and recovers from
/// failures.
///
/// Used on the audio thread only. Writing allocates nothing; opening and reopening allocate, and
/// happen only where the sound is interrupted anyway. Waits are in milliseconds.
struct DeviceWriter<Destination: FrameOutput>: ~Copyable {
  private let shared: UnsafeMutablePointer<EngineShared>
  private let setting: AudioSetting
  private(set) var output = Destination()
  private(set) var renderer = Renderer()
  private(set) var recovery = DeviceRecovery()
  /// The speaker of each channel of the device.
  private(set) var map = SpeakerLayout.stereo
  /// The request that the device was configured for; `nil` before the first.
  private(set) var request: PCMRequest?
  /// The cable that the sound comes from. It gets the number of source frames that are not heard
  /// yet.
  var tap: CableTap?

  /// Whether the device has frames: it plays them, or begins when it has enough.
  private(set) var isRunning = false
  /// Whether the sound ends with the rendered frames: its source has ended, or it was faded out.
  private(set) var isEnding = false
  /// Whether the device must stop after those frames, because the frames after them were taken
  /// back.
  private(set) var mustStop = false
  /// Frames of silence that were written after the sound.
  private(set) var silenceWritten = 0
  /// Whether the thread waits for room in the device.
  var awaitsWritableFrames = false
  /// Whether frames were written since the thread slept last.
  var hasWritten = false

  init(shared: UnsafeMutablePointer<EngineShared>, setting: AudioSetting) {
    self.shared = shared
    self.setting = setting
  }

  /// Whether the thread has real-time priority, so that it wakes on time and can sleep longer.
  var isPunctual: Bool { shared.pointee.realtime.load(ordering: .relaxed) }

  // MARK: Opening and configuring

  /// Returns the request for a device that plays `format`.
  func makeRequest(playing format: StreamFormat, surround: Bool) -> PCMRequest {
    PCMRequest(
      playing: format, surround: surround, bufferMilliseconds: setting.bufferMilliseconds,
      isPunctual: isPunctual, rewind: setting.rewind)
  }

  /// Opens the device at "on". Returns whether the output is on: with the device, or silently where
  /// the setting allows that.
  mutating func powerOn() -> Bool {
    let format = StreamFormat(sample: .s16, rate: 48000, channels: 2)
    do throws(ALSAFailure) {
      try open(for: makeRequest(playing: format, surround: false))
      recovery.recordOpening()
      return true
    } catch {
      recovery.recordRefusal(error)
      guard setting.silentWhenMissing else { return false }
      loseDevice(error)
      return true
    }
  }

  /// Forgets why the device could not be opened.
  mutating func forgetFailure() { recovery = DeviceRecovery() }

  /// Retries the device until it opens, even while nothing plays. Unless the output is on already,
  /// it turns on silently.
  mutating func reacquire(isOn: Bool) {
    recovery.isReacquiring = true
    if !isOn { loseDevice(recovery.failure) }
  }

  /// Closes the device and forgets all sound.
  mutating func powerOff() {
    renderer.adopt(nil)
    output.close()
    request = nil
    tap = nil
    resetPlayback()
    recovery = DeviceRecovery()
  }

  /// Opens the device for `wanted`; the old one, if any, is closed only after that.
  private mutating func open(for wanted: PCMRequest) throws(ALSAFailure) {
    var fresh = Destination()
    try fresh.open(setting.device)
    do throws(ALSAFailure) {
      map = try fresh.configure(
        wanted, wanted: SpeakerLayout.stream(channels: wanted.channels))
    } catch {
      fresh.close()
      throw error
    }
    output.close()
    output = fresh
    request = wanted
  }

  /// Configures the device for `wanted`. If that fails, the device counts as lost, and the sound
  /// goes on silently.
  mutating func configure(_ wanted: PCMRequest, _ layout: SpeakerLayout) {
    request = wanted
    do throws(ALSAFailure) {
      map = try output.configure(wanted, wanted: layout)
    } catch {
      loseDevice(error)
      // Silent output takes any format.
      map = (try? output.configure(wanted, wanted: layout)) ?? layout
    }
  }

  /// Makes the plan for playing `format`; if that is impossible the device is lost.
  mutating func adoptPlan(for format: StreamFormat, surround: Bool) -> Bool {
    do throws(ALSAFailure) {
      renderer.adopt(
        try RenderPlan(from: format, surround: surround, to: output.settings, map: map))
      return true
    } catch {
      loseDevice(error)
      return false
    }
  }

  // MARK: Volume and levels

  /// Moves to a gain of 0…1; within 20 ms while sound plays.
  mutating func setGain(_ gain: Float) {
    guard gain != renderer.volume.target else { return }
    // 20 ms: too slow to click, too fast to notice.
    renderer.volume.move(to: gain, over: isRunning ? output.settings.rate / 50 : 0)
  }

  mutating func setMetering(_ isOn: Bool) { renderer.metering = isOn }

  /// Whether there are levels of present sound.
  var hasLevels: Bool { renderer.metering && isRunning }

  /// Returns peak and root mean square of each channel since the last call.
  mutating func readLevels() -> (peak: SIMD8<Float>, rms: SIMD8<Float>) { renderer.meter.read() }

  // MARK: Writing

  /// Rendered frames that may be written. The newest are held back while more are to come, so that
  /// there is something left to fade out if they do not come.
  var framesToWrite: Int {
    isEnding ? renderer.pending : renderer.pending - renderer.fadeFrames
  }

  /// Writes rendered frames; returns `nil` if there may be more, else the time to wait.
  mutating func writePending() -> Int? {
    guard let (bytes, frames) = renderer.pendingFrames(atMost: framesToWrite) else { return nil }
    let written = output.write(bytes, frames: frames)
    if written < 0 { return handleFailure(Int32(-written)) }
    guard written > 0 else { return millisecondsUntilWritable() }
    renderer.consume(written)
    isRunning = true
    recovery.recordSuccess()
    tap?.report(delay: unheardFrames())
    hasWritten = true
    return nil
  }

  /// Renders source frames that lie in the plan's source bytes.
  mutating func render(_ frames: Int) {
    isEnding = false
    renderer.render(frames)
  }

  /// Fades in the frames that are rendered from here on.
  mutating func fadeIn() { renderer.fadeIn() }

  /// Returns the number of frames that the device takes now, or a negative errno.
  func writableFrames() -> Int { output.writableFrames() }

  /// Returns the milliseconds until half the buffer is free, or three quarters for a punctual
  /// thread. A device that wakes the thread itself may hang: for it, the longest wait is twice the
  /// time of its buffer, at least 100 ms.
  mutating func millisecondsUntilWritable() -> Int {
    let settings = output.settings
    if output.pace == .device {
      awaitsWritableFrames = true
      return max(100, 2000 * settings.bufferFrames / settings.rate)
    }
    let left = settings.bufferFrames / (isPunctual ? 4 : 2)
    return milliseconds(output.delayFrames() - left)
  }

  /// Returns a number of whole milliseconds, at least 1, after which `frames` device frames have
  /// played.
  private func milliseconds(_ frames: Int) -> Int {
    max(1, frames * 1000 / output.settings.rate + 1)
  }

  /// Returns the number of source frames that were read and are not heard yet.
  func unheardFrames() -> Int {
    sourceFrames(
      max(0, output.delayFrames() - silenceWritten) + renderer.pending + renderer.framesInResampler)
  }

  /// Converts a number of device frames to source frames of the same duration.
  func sourceFrames(_ frames: Int) -> Int {
    guard let plan = renderer.plan else { return 0 }
    return frames * plan.source.rate / plan.device.rate
  }

  // MARK: Ending the sound

  /// Ends the sound with the rendered frames and those in the resampler, which it renders. Returns
  /// whether the sound was going on.
  mutating func end() -> Bool {
    guard !isEnding, isRunning || renderer.pending + renderer.framesInResampler > 0 else {
      return false
    }
    drainResampler()
    isEnding = true
    return true
  }

  /// Renders the frames in the resampler, before another format.
  mutating func drainResampler() {
    if renderer.framesInResampler > 0 { renderer.drainResampler() }
  }

  /// Returns the milliseconds by which a source may still be late; `nil` when the device is about
  /// to run dry, so that its sound has to be faded out.
  mutating func millisecondsUntilUnderrun() -> Int? {
    let filled = output.bufferedFrames()
    if filled < 0 { return handleFailure(Int32(-filled)) }
    let rate = output.settings.rate
    let left = filled - min(output.settings.periodFrames / 2, rate * 15 / 1000)
    return left >= rate / 1000 ? left * 1000 / rate : nil
  }

  /// Plays the remaining frames, then stops the device and returns 0. Returns the time to wait, or
  /// −1 while the device stands still.
  mutating func drain() -> Int {
    guard isRunning else { return -1 }
    isEnding = true
    if renderer.pending > 0 { return writePending() ?? 0 }
    let queued = output.delayFrames()
    let filled = output.bufferedFrames()
    // Sound servers report their delay with an error of a few milliseconds.
    let margin = mustStop ? 0 : min(silenceWritten / 2, output.settings.rate / 50)
    let rest = queued - silenceWritten + margin
    guard rest > 0, filled >= 0 else {
      halt()
      return 0
    }
    guard output.pace == .device else { return milliseconds(rest) }
    // Silence, so that the device does not run dry before it is stopped.
    let period = output.settings.periodFrames
    let least = max(period, output.settings.rate / 50)
    if filled <= least, let (bytes, frames) = renderer.silence() {
      silenceWritten += max(0, output.write(bytes, frames: min(period, frames)))
    }
    return min(milliseconds(rest), milliseconds(output.bufferedFrames() - least))
  }

  /// Fades the sound out: with `rewinding` the fade uses frames that the device gives back,
  /// otherwise the frames that were held back for it, behind all frames in the device. Returns the
  /// number of device frames that will not be heard.
  mutating func fadeOut(rewinding: Bool) -> Int {
    guard isRunning, !mustStop else {
      let dropped = isRunning ? 0 : renderer.pending + renderer.framesInResampler
      if !isRunning { renderer.discard() }
      return dropped
    }
    let rewound = rewinding ? rewind() : 0
    if rewound > 0, output.bufferedFrames() <= 0 {
      // All of the sound was taken back: none of it was heard.
      let dropped = renderer.pending + renderer.framesInResampler
      halt()
      return dropped
    }
    // At the end of a recording no frames are pending, so nothing is faded.
    let dropped = renderer.fadeOut()
    isEnding = true
    mustStop = rewound > 0
    while renderer.pending > 0, writePending() == nil {}
    return dropped
  }

  /// Makes the frames that the device has not played pending again. Returns the number of those
  /// with sound.
  private mutating func rewind() -> Int {
    let rewound = output.rewind(atMost: renderer.written + silenceWritten)
    let sound = rewound - silenceWritten
    silenceWritten = max(0, -sound)
    renderer.rewind(max(0, sound))
    return max(0, sound)
  }

  /// Stops the device at once and drops the queued frames.
  private mutating func halt() {
    renderer.discard()
    output.stop()
    resetPlayback()
  }

  private mutating func resetPlayback() {
    isRunning = false
    isEnding = false
    mustStop = false
    silenceWritten = 0
  }

  // MARK: Failures

  /// Handles a failed call (`code` is an errno, positive); returns the time to wait.
  mutating func handleFailure(_ code: Int32) -> Int {
    recovery.countFailure()
    switch code {
    case EPIPE:
      // An underrun after the end of the sound is no gap.
      if !isEnding || renderer.pending > 0 {
        shared.pointee.underruns.add(1, ordering: .relaxed)
      }
      guard isEnding else { return restart(code) }
      halt()
      return 0
    case ESTRPIPE:
      recovery.suspendedSince = output.now
      return resume(recovery.suspendedSince)
    case EINTR: return 1
    case EBADFD: return restart(code)
    default:
      loseDevice(ALSAFailure(step: .write, code: code))
      return 0
    }
  }

  /// Prepares the device again after an underrun; the pending frames are still written.
  private mutating func restart(_ code: Int32) -> Int {
    resetPlayback()
    renderer.forgetWritten()
    renderer.fadeIn()
    output.restart()
    if recovery.failsRepeatedly { loseDevice(ALSAFailure(step: .write, code: code)) }
    return 0
  }

  /// Tries to wake a suspended device, less and less often; returns the time to wait.
  mutating func resume(_ now: Int64) -> Int {
    guard let pcm = output.pcm else {
      recovery.suspendedSince = 0
      return 0
    }
    let result = snd_pcm_resume(pcm)
    let state = snd_pcm_state(pcm)
    // ALSA's plugins may return 0 although the device is still suspended.
    if result == -EAGAIN || (result == 0 && state == SND_PCM_STATE_SUSPENDED) {
      return Int(min(max((now - recovery.suspendedSince) / 2_000_000, 20), 1000))
    }
    recovery.suspendedSince = 0
    if result == 0, state == SND_PCM_STATE_RUNNING { return 0 }
    if state == SND_PCM_STATE_DISCONNECTED {
      loseDevice(ALSAFailure(step: .write, code: ENODEV))
      return 0
    }
    return restart(ESTRPIPE)
  }

  /// Goes on silently, so that a film does not stop; the device is tried again and again.
  private mutating func loseDevice(_ why: ALSAFailure) {
    output.goSilent()
    silenceWritten = 0
    recovery.recordLoss(why, at: output.now)
  }

  /// Tries to open the lost device again; returns whether it is back. If so, the rendered frames
  /// are dropped, and the sound begins anew.
  mutating func reopen(_ now: Int64) -> Bool {
    let format = StreamFormat(sample: .s16, rate: 48000, channels: 2)
    do throws(ALSAFailure) {
      try open(for: request ?? makeRequest(playing: format, surround: false))
    } catch {
      recovery.recordFailedTry(error, at: now)
      return false
    }
    recovery.recordReturn()
    shared.pointee.reopenings.add(1, ordering: .relaxed)
    renderer.discard()
    resetPlayback()
    return true
  }
}

import CALSA
import Synchronization

extension AudioLoop {
  /// Opens the device and agrees on `wanted`; the old device, if any, is let go only then.
  mutating func openDevice(_ wanted: DeviceRequest) throws(ALSAFailure) {
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

  /// Handles a failed call (`code` is an errno, positive); answers how many milliseconds to wait.
  mutating func trouble(_ code: Int32) -> Int {
    failuresInRow += 1
    switch code {
    case EPIPE:
      // Behind the end of the sound nothing is missing.
      if !isEnding || renderer.pending > 0 {
        shared.pointee.underruns.add(1, ordering: .relaxed)
      }
      guard isEnding else { return restart(code) }
      halt()
      return 0
    case ESTRPIPE:
      suspendedSince = output.now
      return resume(suspendedSince)
    case EINTR: return 1
    case EBADFD: return restart(code)
    default:
      lose(ALSAFailure(step: .write, code: code))
      return 0
    }
  }

  /// After an underrun: ready again, with what is pending still to be written.
  private mutating func restart(_ code: Int32) -> Int {
    isRunning = false
    isEnding = false
    mustStop = false
    silenceWritten = 0
    renderer.forgetWritten()
    renderer.fadeIn()
    if failuresInRow > 5 || output.restart() < 0 {
      lose(ALSAFailure(step: .write, code: code))
    }
    return 0
  }

  /// Tries to wake a suspended device, less and less often; answers how many milliseconds to wait.
  mutating func resume(_ now: Int64) -> Int {
    guard let pcm = output.pcm else {
      suspendedSince = 0
      return 0
    }
    let result = snd_pcm_resume(pcm)
    let state = snd_pcm_state(pcm)
    // Plugins may answer 0 and be asleep all the same.
    if result == -EAGAIN || (result == 0 && state == SND_PCM_STATE_SUSPENDED) {
      return Int(min(max((now - suspendedSince) / 2_000_000, 20), 1000))
    }
    suspendedSince = 0
    if result == 0, state == SND_PCM_STATE_RUNNING { return 0 }
    if state == SND_PCM_STATE_DISCONNECTED {
      lose(ALSAFailure(step: .write, code: ENODEV))
      return 0
    }
    return restart(ESTRPIPE)
  }

  /// Goes on silently, so that a film does not stop, and looks for the device again and again.
  mutating func lose(_ why: ALSAFailure) {
    failure = why
    failuresInRow = 0
    output.goSilent()
    lost = true
    suspendedSince = 0
    silenceWritten = 0
    retryDelay = 250_000_000
    retryAt = output.now + retryDelay
  }

  /// Tries to have the device back.
  mutating func reopen(_ now: Int64) {
    let wanted =
      request
      ?? DeviceRequest(
        playing: StreamFormat(sample: .s16, rate: 48000, channels: 2), surround: false,
        bufferMilliseconds: setting.bufferMilliseconds, isPunctual: isPunctual,
        takeBack: setting.takeBack)
    do throws(ALSAFailure) {
      try openDevice(wanted)
      lost = false
      isTakingBack = false
      failure = ALSAFailure(step: .none, code: 0)
      shared.pointee.reopenings.add(1, ordering: .relaxed)
      renderer.discard()
      isRunning = false
      isEnding = false
      mustStop = false
      silenceWritten = 0
      fadeInNext = true
      planStale = true
    } catch {
      failure = error
      retryDelay = min(retryDelay * 2, 1_000_000_000)
      retryAt = now + retryDelay
    }
  }
}

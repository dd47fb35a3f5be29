import CALSA
import Platform

/// The destination of rendered frames: a PCM, or nowhere at the pace of the clock.
///
/// Owned by the audio thread. Its steady path allocates nothing and waits for nothing.
struct Output: FrameOutput {
  /// The sound that the device keeps when it rewinds, ms: more time than the thread needs to replace the
  /// frames behind it.
  private static let guardMilliseconds = 4

  private(set) var pcm: OpaquePointer?
  private(set) var settings = DeviceSettings(
    sample: .s16, rate: 48000, channels: 2, bufferFrames: 4800, periodFrames: 1200)
  private(set) var pace = Pace.clock
  private var clock = PlaybackClock()
  /// Whether the open PCM has a format.
  private var isConfigured = false
  /// Whether the PCM gives back frames that it has not played yet.
  private var canRewind = false
  /// Whether the PCM was prepared for the frames that it has. It is prepared right before the first frame of a sound,
  /// and not at the stop before: PulseAudio's plugin measures its delay by a clock that runs from the preparation on,
  /// so that after a pause the delay would be too short by the pause.
  private var isPrepared = false

  var now: Int64 { MonotonicClock.now }

  mutating func open(_ name: UnsafePointer<CChar>) throws(ALSAFailure) {
    close()
    var handle: OpaquePointer?
    let result = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    try ALSAFailure.check(result, .open)
    pcm = handle
    isPrepared = false
  }

  mutating func configure(
    _ request: PCMRequest, wanted: SpeakerLayout
  ) throws(ALSAFailure) -> SpeakerLayout {
    clock.reset()
    isPrepared = false
    try beginNewFile()
    guard let pcm else {
      settings = .unlimited(request)
      pace = .clock
      clock.rate = settings.rate
      return wanted.count == settings.channels
        ? wanted : SpeakerLayout.stream(channels: settings.channels)
    }
    _ = snd_pcm_drop(pcm)
    _ = snd_pcm_hw_free(pcm)
    settings = try PCMNegotiation.configure(pcm, for: request)
    isConfigured = true
    canRewind = PCMNegotiation.canRewind(pcm, by: request.rewind)
    pace = .device
    clock.rate = settings.rate
    return PCMChannelMap.negotiate(pcm, channels: settings.channels, wanted: wanted)
  }

  /// A PCM that writes a file puts the format into its header once: another format needs another
  /// file.
  private mutating func beginNewFile() throws(ALSAFailure) {
    guard let pcm, isConfigured, snd_pcm_type(pcm) == SND_PCM_TYPE_FILE,
      let name = strdup(snd_pcm_name(pcm))
    else { return }
    defer { free(name) }
    try open(name)
  }

  mutating func close() {
    if let pcm { snd_pcm_close(pcm) }
    pcm = nil
    clock.reset()
  }

  mutating func goSilent() {
    close()
    pace = .clock
  }

  func writableFrames() -> Int {
    guard let pcm, pace == .device else {
      return settings.bufferFrames
        - min(settings.bufferFrames, clock.unheardFrames(at: MonotonicClock.now))
    }
    guard isPrepared else { return settings.bufferFrames }
    let available = snd_pcm_avail_update(pcm)
    if available < 0 { return available == -snd_pcm_sframes_t(EAGAIN) ? 0 : available }
    // Some plugins go on naming a number when the device behind them has gone.
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_DISCONNECTED: return -Int(ENODEV)
    case SND_PCM_STATE_SUSPENDED: return -Int(ESTRPIPE)
    case SND_PCM_STATE_XRUN: return -Int(EPIPE)
    default: return min(available, settings.bufferFrames)
    }
  }

  mutating func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int {
    let now = MonotonicClock.now
    var count = frames
    if pace == .clock { count = min(count, writableFrames()) }
    guard count > 0 else { return 0 }
    if let pcm {
      let failure = prepare(pcm)
      guard failure >= 0 else { return failure }
      let result = snd_pcm_writei(pcm, bytes, snd_pcm_uframes_t(count))
      if result < 0 { return result == -snd_pcm_sframes_t(EAGAIN) ? 0 : result }
      count = result
    }
    clock.write(count, at: now)
    if pace == .device, count > 0 { checkPace() }
    return count
  }

  /// Prepares the PCM, unless that was done since it stopped; negative after an error.
  private mutating func prepare(_ pcm: OpaquePointer) -> Int {
    guard !isPrepared else { return 0 }
    let result = snd_pcm_prepare(pcm)
    isPrepared = result >= 0
    return Int(result)
  }

  func bufferedFrames() -> Int {
    guard pcm != nil, pace == .device else { return delayFrames() }
    let writable = writableFrames()
    return writable < 0 ? writable : settings.bufferFrames - writable
  }

  func delayFrames() -> Int {
    guard let pcm, pace == .device else { return clock.unheardFrames(at: MonotonicClock.now) }
    guard isPrepared else { return 0 }
    var delay: snd_pcm_sframes_t = 0
    let isKnown = snd_pcm_delay(pcm, &delay) == 0
    return settings.plausibleDelay(isKnown ? delay : nil, buffered: bufferedFrames())
  }

  mutating func rewind(atMost frames: Int) -> Int {
    guard let pcm else { return clock.rewind(frames, at: now) }
    guard canRewind, pace == .device, isPrepared else { return 0 }
    let isPlaying = snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING
    // After a pause a plugin answers with an old number first: only the second answer is new.
    _ = bufferedFrames()
    let left = isPlaying ? settings.rate * Self.guardMilliseconds / 1000 : 0
    let wanted = min(frames, bufferedFrames() - left)
    guard wanted > 0 else { return 0 }
    let taken = snd_pcm_rewind(pcm, snd_pcm_uframes_t(wanted))
    guard taken > 0 else { return 0 }
    return clock.rewind(taken)
  }

  mutating func stop() {
    restart()
    if let pcm { _ = snd_pcm_drop(pcm) }
  }

  mutating func restart() {
    clock.reset()
    isPrepared = false
  }

  /// Changes to the clock's pace if the device has played more than time allows: such a PCM takes frames at
  /// any speed, and a film would rush by.
  private mutating func checkPace() {
    guard let pcm else { return }
    let available = snd_pcm_avail_update(pcm)
    guard available >= 0 else { return }
    let played = clock.written - (settings.bufferFrames - min(available, settings.bufferFrames))
    // The time is read last, so that a delay in between does not look like a fast device.
    let possible = clock.playedFrames(at: MonotonicClock.now)
    // Ten milliseconds and 2 % allow for coarse periods and a fast crystal.
    let tolerance = settings.periodFrames + settings.rate / 100 + possible / 50
    if played > possible + tolerance { pace = .clock }
  }
}

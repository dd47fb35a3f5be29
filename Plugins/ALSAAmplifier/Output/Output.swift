import CALSA

/// Where rendered frames go: a PCM, or nowhere at the pace of the clock.
///
/// Owned by the audio thread. Its steady path allocates nothing and waits for nothing.
struct Output {
  /// Who says when there is room for more.
  enum Pace: Int32 {
    /// The device does, as devices should.
    case device
    /// The monotonic clock does: silent output, and PCMs such as `null` and `file` that swallow
    /// everything at once.
    case clock
  }

  /// The open PCM; `nil` plays silently.
  private(set) var pcm: OpaquePointer?
  /// What was agreed on.
  private(set) var settings = DeviceSettings(
    sample: .s16, rate: 48000, channels: 2, bufferFrames: 4800, periodFrames: 1200)
  /// Who sets the pace.
  private(set) var pace = Pace.clock
  private var clock = PlaybackClock()
  /// Whether the open PCM has been given a format.
  private var isConfigured = false

  /// Frames handed over since the last start.
  var written: Int { clock.written }

  /// Opens `name` without waiting for another owner to let go of it.
  mutating func open(_ name: UnsafePointer<CChar>) throws(ALSAFailure) {
    close()
    var handle: OpaquePointer?
    let result = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    try ALSAFailure.check(result, .open)
    pcm = handle
  }

  /// Gets ready for `request`; answers which speaker each channel feeds.
  mutating func configure(
    _ request: DeviceRequest, wanted: SpeakerLayout
  ) throws(ALSAFailure) -> SpeakerLayout {
    clock.reset()
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
    pace = .device
    clock.rate = settings.rate
    try ALSAFailure.check(snd_pcm_prepare(pcm), .prepare)
    return PCMChannelMap.agree(pcm, channels: settings.channels, wanted: wanted)
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

  /// Lets go of the PCM.
  mutating func close() {
    if let pcm { snd_pcm_close(pcm) }
    pcm = nil
    clock.reset()
  }

  /// Goes on silently, at the same format and by the clock.
  mutating func goSilent() {
    close()
    pace = .clock
  }

  /// Frames that can be written now, or a negative error.
  mutating func room() -> Int {
    guard let pcm, pace == .device else {
      return settings.bufferFrames
        - min(settings.bufferFrames, clock.queued(at: PlaybackClock.now()))
    }
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

  /// Writes up to `frames` frames; returns how many were taken, or a negative error.
  mutating func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int {
    let now = PlaybackClock.now()
    var count = frames
    if pace == .clock { count = min(count, room()) }
    guard count > 0 else { return 0 }
    if let pcm {
      let result = snd_pcm_writei(pcm, bytes, snd_pcm_uframes_t(count))
      if result < 0 { return result == -snd_pcm_sframes_t(EAGAIN) ? 0 : result }
      count = result
    }
    clock.write(count, at: now)
    if pace == .device, count > 0 { checkPace() }
    return count
  }

  /// Frames between the last one written and the speaker.
  func queued() -> Int {
    guard let pcm, pace == .device else { return clock.queued(at: PlaybackClock.now()) }
    var delay: snd_pcm_sframes_t = 0
    guard snd_pcm_delay(pcm, &delay) == 0 else { return 0 }
    // Some sound servers answer nonsense until their first timing report.
    return min(max(0, delay), settings.rate * 4)
  }

  /// Throws away what is queued and gets ready to start again.
  mutating func stop() -> Int {
    clock.reset()
    guard let pcm else { return 0 }
    _ = snd_pcm_drop(pcm)
    return Int(snd_pcm_prepare(pcm))
  }

  /// Gets ready again after an underrun; negative when the device will not.
  mutating func restart() -> Int {
    clock.reset()
    guard let pcm else { return 0 }
    return Int(snd_pcm_prepare(pcm))
  }

  /// A device cannot have played more than time allows. One that has is not a device: from now on
  /// the clock holds the pace, so that a film does not rush by.
  private mutating func checkPace() {
    guard let pcm else { return }
    let available = snd_pcm_avail_update(pcm)
    guard available >= 0 else { return }
    let played = clock.written - (settings.bufferFrames - min(available, settings.bufferFrames))
    // The time after the look, so that a thread that was held up in between suspects nobody.
    let possible = clock.elapsed(at: PlaybackClock.now())
    // Ten milliseconds and 2 % forgive coarse ticks and a fast crystal.
    let tolerance = settings.periodFrames + settings.rate / 100 + possible / 50
    if played > possible + tolerance { pace = .clock }
  }
}

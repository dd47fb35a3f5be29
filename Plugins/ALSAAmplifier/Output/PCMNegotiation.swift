import CALSA

extension SampleFormat {
  /// libasound's constant.
  var alsa: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24packed: SND_PCM_FORMAT_S24_3LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    }
  }
}

/// The negotiation of format, channels, rate and buffer with an open PCM.
enum PCMNegotiation {
  /// Sets hardware and software parameters as near to `request` as the device goes.
  static func configure(
    _ pcm: OpaquePointer, for request: PCMRequest
  ) throws(ALSAFailure) -> DeviceSettings {
    var hardware: OpaquePointer?
    try ALSAFailure.check(snd_pcm_hw_params_malloc(&hardware), .parameters)
    defer { snd_pcm_hw_params_free(hardware) }
    try ALSAFailure.check(snd_pcm_hw_params_any(pcm, hardware), .open)
    // Our own resampler knows what it does to the signal; the PCM's would go unnoticed.
    _ = snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
    try ALSAFailure.check(
      snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), .access)
    let channels = try chooseChannels(pcm, hardware, request)
    let sample = try chooseFormat(pcm, hardware, request)
    var rate = UInt32(request.rate)
    try ALSAFailure.check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), .rate)
    var buffer = UInt32(request.bufferMilliseconds * 1000)
    try ALSAFailure.check(
      snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, nil), .buffer)
    var period = buffer / 4
    try ALSAFailure.check(
      snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, nil), .buffer)
    try ALSAFailure.check(snd_pcm_hw_params(pcm, hardware), .parameters)

    var bufferFrames: snd_pcm_uframes_t = 0
    var periodFrames: snd_pcm_uframes_t = 0
    try ALSAFailure.check(snd_pcm_get_params(pcm, &bufferFrames, &periodFrames), .buffer)
    let settings = DeviceSettings(
      sample: sample, rate: Int(rate), channels: channels, bufferFrames: Int(bufferFrames),
      periodFrames: Int(periodFrames))
    try setThresholds(pcm, settings, isPunctual: request.isPunctual)
    return settings
  }

  private static func chooseChannels(
    _ pcm: OpaquePointer, _ hardware: OpaquePointer?, _ request: PCMRequest
  ) throws(ALSAFailure) -> Int {
    for count in request.channelChoices {
      if snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(count)) == 0 { return count }
    }
    throw ALSAFailure(step: .channels, code: EINVAL)
  }

  private static func chooseFormat(
    _ pcm: OpaquePointer, _ hardware: OpaquePointer?, _ request: PCMRequest
  ) throws(ALSAFailure) -> SampleFormat {
    for sample in request.sample.deviceChoices {
      if snd_pcm_hw_params_set_format(pcm, hardware, sample.alsa) == 0 { return sample }
    }
    throw ALSAFailure(step: .format, code: EINVAL)
  }

  /// Makes the PCM start at the first whole period, and wake the writer when half the buffer is free; three quarters,
  /// if the writer is punctual and the kernel plays the PCM.
  private static func setThresholds(
    _ pcm: OpaquePointer, _ settings: DeviceSettings, isPunctual: Bool
  ) throws(ALSAFailure) {
    var software: OpaquePointer?
    try ALSAFailure.check(snd_pcm_sw_params_malloc(&software), .parameters)
    defer { snd_pcm_sw_params_free(software) }
    try ALSAFailure.check(snd_pcm_sw_params_current(pcm, software), .parameters)
    let start = snd_pcm_uframes_t(settings.periodFrames)
    let wake = snd_pcm_uframes_t(
      max(
        settings.periodFrames, settings.bufferFrames * (isPunctual && isHardware(pcm) ? 3 : 2) / 4))
    try ALSAFailure.check(
      snd_pcm_sw_params_set_start_threshold(pcm, software, start), .parameters)
    try ALSAFailure.check(snd_pcm_sw_params_set_avail_min(pcm, software, wake), .parameters)
    try ALSAFailure.check(snd_pcm_sw_params(pcm, software), .parameters)
  }

  /// Whether a configured PCM gives back frames that it has not played yet. With `auto`, only devices of the
  /// kernel with an exact position do: a sound server accepts the request but plays the frames, a file has them
  /// already, and a device that updates its position once a period has played more frames than it reports.
  static func canRewind(_ pcm: OpaquePointer, by policy: RewindPolicy) -> Bool {
    switch policy {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    guard snd_pcm_type(pcm) != SND_PCM_TYPE_FILE, isHardware(pcm) else { return false }
    var hardware: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&hardware) == 0 else { return false }
    defer { snd_pcm_hw_params_free(hardware) }
    return snd_pcm_hw_params_current(pcm, hardware) == 0
      && snd_pcm_hw_params_is_batch(hardware) == 0
  }

  /// Whether the kernel plays the PCM, not a sound server, which may be late on a busy machine.
  private static func isHardware(_ pcm: OpaquePointer) -> Bool {
    var information: OpaquePointer?
    guard snd_pcm_info_malloc(&information) == 0 else { return false }
    defer { snd_pcm_info_free(information) }
    return snd_pcm_info(pcm, information) == 0 && snd_pcm_info_get_card(information) >= 0
  }
}

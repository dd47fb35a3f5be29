import CALSA

/// The negotiation of the speakers of a configured PCM's channels.
enum PCMChannelMap {
  /// Requests the layout `wanted`. Returns it, or the device's own if it refuses, or ALSA's usual order if
  /// it reports none.
  static func negotiate(
    _ pcm: OpaquePointer, channels: Int, wanted: SpeakerLayout
  ) -> SpeakerLayout {
    // One and two channels have one order everywhere; asking costs a round trip on a sound server.
    guard channels > 2 else { return SpeakerLayout.stream(channels: channels) }
    if wanted.count == channels, set(pcm, wanted) { return wanted }
    return reported(pcm, channels: channels) ?? SpeakerLayout.alsa(channels: channels)
  }

  private static func set(_ pcm: OpaquePointer, _ layout: SpeakerLayout) -> Bool {
    // A header with the count, then one position per channel.
    let words = UnsafeMutablePointer<UInt32>.allocate(capacity: layout.count + 1)
    defer { words.deallocate() }
    words[0] = UInt32(layout.count)
    for (index, speaker) in layout.speakers.enumerated() {
      guard let speaker else { return false }
      words[index + 1] = position(of: speaker).rawValue
    }
    let map = UnsafeRawPointer(words).assumingMemoryBound(to: snd_pcm_chmap_t.self)
    return snd_pcm_set_chmap(pcm, map) == 0
  }

  private static func reported(_ pcm: OpaquePointer, channels: Int) -> SpeakerLayout? {
    guard let map = snd_pcm_get_chmap(pcm) else { return nil }
    defer { free(map) }
    guard map.pointee.channels == channels else { return nil }
    let positions = UnsafeRawPointer(map) + MemoryLayout<UInt32>.size
    var speakers: [Speaker?] = []
    for index in 0..<channels {
      let word = positions.load(fromByteOffset: index * 4, as: UInt32.self)
      let place = word & UInt32(SND_CHMAP_POSITION_MASK)
      speakers.append(Speaker.allCases.first { position(of: $0).rawValue == place })
    }
    return speakers.contains { $0 != nil } ? SpeakerLayout(speakers) : nil
  }

  private static func position(of speaker: Speaker) -> snd_pcm_chmap_position {
    switch speaker {
    case .frontLeft: SND_CHMAP_FL
    case .frontRight: SND_CHMAP_FR
    case .frontCentre: SND_CHMAP_FC
    case .lowFrequency: SND_CHMAP_LFE
    case .rearLeft: SND_CHMAP_RL
    case .rearRight: SND_CHMAP_RR
    case .sideLeft: SND_CHMAP_SL
    case .sideRight: SND_CHMAP_SR
    case .rearCentre: SND_CHMAP_RC
    }
  }
}

import PluginKit

/// The format of a source's frames.
struct StreamFormat: Sendable, Equatable {
  /// The layout of one sample.
  var sample: SampleFormat
  /// Frames a second.
  var rate: Int
  /// The speaker of each channel.
  var layout: SpeakerLayout

  /// Channels in a frame, 1–8.
  var channels: Int { layout.count }

  /// Bytes of a frame.
  var frameBytes: Int { sample.bytes * channels }

  /// Converts a cable's format.
  init(_ format: CableFormat) {
    sample =
      switch format.sample {
      case .s16: .s16
      case .s24in32: .s24
      case .s32: .s32
      case .f32: .float
      }
    rate = format.rate
    layout = SpeakerLayout(mask: format.layout, channels: format.channels)
  }

  /// Creates a format with the usual layout of `channels` channels.
  init(sample: SampleFormat, rate: Int, channels: Int) {
    self.sample = sample
    self.rate = rate
    layout = .stream(channels: channels)
  }
}

extension SpeakerLayout {
  /// The speakers that WAVEFORMATEXTENSIBLE's `dwChannelMask` names, in ascending bits; the usual
  /// ones for 0. Speakers that the amplifier does not know stay silent.
  init(mask: UInt32, channels: Int) {
    guard mask.nonzeroBitCount == channels else {
      self = .stream(channels: channels)
      return
    }
    let known: [UInt32: Speaker] = [
      0x1: .frontLeft, 0x2: .frontRight, 0x4: .frontCentre, 0x8: .lowFrequency,
      0x10: .rearLeft, 0x20: .rearRight, 0x100: .rearCentre, 0x200: .sideLeft, 0x400: .sideRight,
    ]
    let flags = (0..<32).map { UInt32(1) << $0 }.filter { mask & $0 != 0 }
    self.init(flags.map { known[$0] })
  }
}

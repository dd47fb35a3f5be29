/// The header of one frame of MPEG audio (layers I to III) or of AAC in ADTS, the two formats that
/// are rows of frames without a container.
struct SoundFrameHeader: Equatable {
  /// The greatest length of a header in bytes.
  static let size = 7

  /// The fields that all frames of a stream share: kind, version, layer and rate.
  let signature: UInt32
  /// Bytes of the whole frame, with its header.
  let length: Int
  /// Frames of PCM in it.
  let samples: Int
  /// Frames of PCM a second.
  let rate: Int
  /// Bytes between the header and the place of a Xing tag; nil for all but layer III.
  let sideInformation: Int?

  /// Whether it is AAC in ADTS.
  var isADTS: Bool { signature & 1 << 31 != 0 }

  /// Reads a header; nil if the bytes are not a header, or too few.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 4, bytes[bytes.startIndex] == 0xFF else { return nil }
    let header = bytes.prefix(Self.size).map { Int($0) }
    if header[1] & 0xF6 == 0xF0 { self.init(adts: header) } else { self.init(mpeg: header) }
  }

  /// ISO/IEC 11172-3, section 2.4.1.3, with the half rates of 13818-3 and of "MPEG 2.5".
  private init?(mpeg header: [Int]) {
    let (version, layer) = (header[1] >> 3 & 3, 4 - (header[1] >> 1 & 3))
    let (bitRate, rateIndex) = (header[2] >> 4, header[2] >> 2 & 3)
    guard header[1] & 0xE0 == 0xE0, version != 1, layer < 4, (1...14).contains(bitRate),
      rateIndex < 3, header[3] & 3 != 2
    else { return nil }
    let isFirst = version == 3
    let rates = [44_100, 48_000, 32_000]
    rate = rates[rateIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
    let bits = 1_000 * Self.bitRates[isFirst ? layer - 1 : layer == 1 ? 3 : 4][bitRate - 1]
    let padding = header[2] >> 1 & 1
    switch layer {
    case 1:
      samples = 384
      length = (12 * bits / rate + padding) * 4
    case 3 where !isFirst:
      samples = 576
      length = 72 * bits / rate + padding
    default:
      samples = 1_152
      length = 144 * bits / rate + padding
    }
    let isMono = header[3] >> 6 == 3
    sideInformation = layer == 3 ? (isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)) : nil
    signature = UInt32(version << 8 | layer << 4 | rateIndex)
  }

  /// ISO/IEC 13818-7, section 6.2.
  private init?(adts header: [Int]) {
    guard header.count >= 7, Self.adtsRates.indices.contains(header[2] >> 2 & 15) else {
      return nil
    }
    length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    guard length > Self.size else { return nil }
    rate = Self.adtsRates[header[2] >> 2 & 15]
    samples = 1_024 * ((header[6] & 3) + 1)
    sideInformation = nil
    // Profile, rate and channels; the highest bit tells it from MPEG audio.
    signature = 1 << 31 | UInt32(header[2] & 0xFD) << 8 | UInt32(header[3] & 0xC0)
  }

  private static let adtsRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]
  /// kbit/s: layers I, II and III of MPEG 1, then layer I, and layers II and III, of MPEG 2.
  private static let bitRates = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}

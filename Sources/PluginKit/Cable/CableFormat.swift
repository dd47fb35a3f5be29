/// The storage of one sample on a cable; always little-endian.
public enum CableSampleFormat: UInt8, Sendable, CaseIterable {
  /// Signed 16 bit.
  case s16 = 1
  /// Signed 24 bit in the low three bytes of a 32-bit word, sign-extended.
  case s24in32 = 2
  /// Signed 32 bit.
  case s32 = 3
  /// IEEE 754 binary32, full scale −1…1.
  case f32 = 4

  /// Bytes of one sample.
  public var bytes: Int { self == .s16 ? 2 : 4 }
}

/// The format of a cable's frames: rate, channels, sample format and channel layout. A trivial
/// value, so that an audio thread may copy it.
public struct CableFormat: Sendable, Equatable, Hashable {
  /// Frames per second, `CableLimit.rates`.
  public let rate: Int
  /// Samples per frame, 1…8.
  public let channels: Int
  /// The storage of each sample.
  public let sample: CableSampleFormat
  /// Speakers as bits of WAVEFORMATEXTENSIBLE's `dwChannelMask` (FL 1, FR 2, FC 4, LFE 8, BL 10h,
  /// BR 20h, BC 100h, SL 200h, SR 400h); channels lie in a frame in the order of ascending bits. 0
  /// if unknown.
  public let layout: UInt32

  /// Creates a format; `nil` if a value is outside `CableLimit`, or if the layout is not 0 and has
  /// more or fewer speakers than there are channels. Without `layout` the usual one for the
  /// channels is used.
  public init?(rate: Int, channels: Int, sample: CableSampleFormat, layout: UInt32? = nil) {
    guard CableLimit.rates.contains(rate), CableLimit.channels.contains(channels) else {
      return nil
    }
    let layout = layout ?? Self.defaultLayout(channels)
    guard layout == 0 || layout.nonzeroBitCount == channels else { return nil }
    self.rate = rate
    self.channels = channels
    self.sample = sample
    self.layout = layout
  }

  /// CD sound: 44 100 Hz, two channels, 16 bit.
  public static let compactDisc = CableFormat(
    uncheckedRate: 44_100, channels: 2, sample: .s16, layout: 3)

  init(uncheckedRate rate: Int, channels: Int, sample: CableSampleFormat, layout: UInt32) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
    self.layout = layout
  }

  /// Bytes of one frame, 2…32.
  public var frameBytes: Int { channels * sample.bytes }

  /// Frames in `nanoseconds` at this rate, rounded down; 0 for a negative time.
  public func frames(inNanoseconds nanoseconds: Int64) -> Int {
    guard nanoseconds > 0 else { return 0 }
    let rate = Int64(rate)
    let seconds = nanoseconds / 1_000_000_000
    let rest = nanoseconds % 1_000_000_000
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: rate)
    guard !overflow, whole < Int64.max / 2 else { return Int.max / 2 }
    return Int(whole + rest * rate / 1_000_000_000)
  }

  /// Nanoseconds that `frames` last, rounded up.
  public func nanoseconds(ofFrames frames: Int) -> Int64 {
    guard frames > 0 else { return 0 }
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
    guard seconds < Int.max / 2_000_000_000 else { return Int64.max / 2 }
    return Int64(seconds) * 1_000_000_000 + (Int64(rest) * 1_000_000_000 + Int64(rate) - 1)
      / Int64(rate)
  }

  private static func defaultLayout(_ channels: Int) -> UInt32 {
    switch channels {
    case 1: 0x4
    case 2: 0x3
    case 3: 0x7
    case 4: 0x33
    case 5: 0x37
    case 6: 0x3F
    case 7: 0x70F
    case 8: 0x63F
    default: 0
    }
  }
}

/// The limits that both ends of a cable check.
public enum CableLimit {
  /// Largest payload of one message, bytes.
  public static let payload = 65_536
  /// Largest payload that a sink sends, and that a source accepts, bytes.
  public static let reply = 256
  /// Frames per second.
  public static let rates = 4_000...192_000
  /// Samples per frame.
  public static let channels = 1...8
  /// Longest socket path, bytes: `sun_path` holds 108 with its closing zero.
  public static let path = 107
  /// Characters of a token: 256 bits in lower-case hexadecimal.
  public static let token = 64
}

/// The layout of one sample in memory, little-endian, on cables and PCMs.
enum SampleFormat: Int32, Sendable, CaseIterable {
  /// 16-bit signed.
  case s16
  /// 24-bit signed in three bytes.
  case s24packed
  /// 24-bit signed in the low three bytes of four.
  case s24
  /// 32-bit signed.
  case s32
  /// 32-bit IEEE float, full scale ±1.
  case float

  /// Bytes of one sample.
  var bytes: Int {
    switch self {
    case .s16: 2
    case .s24packed: 3
    case .s24, .s32, .float: 4
    }
  }

  /// Significant bits; float counts as 24, its mantissa.
  var depth: Int {
    switch self {
    case .s16: 16
    case .s24packed, .s24, .float: 24
    case .s32: 32
    }
  }

  /// ALSA's name, for status and logs.
  var name: String {
    switch self {
    case .s16: "S16_LE"
    case .s24packed: "S24_3LE"
    case .s24: "S24_LE"
    case .s32: "S32_LE"
    case .float: "FLOAT_LE"
    }
  }

  /// The formats to try on a device, best first: the source's own, then the nearest without loss, then
  /// the rest.
  var deviceChoices: [SampleFormat] {
    switch self {
    case .s16: [.s16, .s32, .s24, .s24packed, .float]
    case .s24packed: [.s24packed, .s24, .s32, .float, .s16]
    case .s24: [.s24, .s24packed, .s32, .float, .s16]
    case .s32: [.s32, .s24, .s24packed, .float, .s16]
    case .float: [.s32, .float, .s24, .s24packed, .s16]
    }
  }
}

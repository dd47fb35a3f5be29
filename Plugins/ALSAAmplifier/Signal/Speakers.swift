/// The place of a loudspeaker in layouts and channel maps.
enum Speaker: UInt8, Sendable, CaseIterable {
  case frontLeft, frontRight, frontCentre, lowFrequency
  case rearLeft, rearRight, sideLeft, sideRight, rearCentre

  /// The short name used in status, e.g. `FL`.
  var name: String {
    switch self {
    case .frontLeft: "FL"
    case .frontRight: "FR"
    case .frontCentre: "FC"
    case .lowFrequency: "LFE"
    case .rearLeft: "RL"
    case .rearRight: "RR"
    case .sideLeft: "SL"
    case .sideRight: "SR"
    case .rearCentre: "RC"
    }
  }
}

/// The speaker of each channel of a stream, in the stream's order; 1–8 channels.
///
/// Plain numbers, so that the audio thread can copy it without counting references.
struct SpeakerLayout: Sendable, Hashable {
  /// The number of channels.
  let count: Int
  private var places = SIMD8<UInt8>(repeating: .max)

  /// Creates a layout of at most eight channels; a `nil` channel feeds no speaker and stays silent.
  init(_ speakers: [Speaker?]) {
    count = min(speakers.count, 8)
    for (channel, speaker) in speakers.prefix(8).enumerated() {
      places[channel] = speaker?.rawValue ?? .max
    }
  }

  /// The speaker of each channel; `nil` for a silent one.
  var speakers: [Speaker?] { (0..<count).map { Speaker(rawValue: places[$0]) } }

  /// Short names in order, e.g. `FL FR FC LFE RL RR`; `–` for a channel without a place.
  var description: String { speakers.map { $0?.name ?? "–" }.joined(separator: " ") }

  /// The front pair.
  static let stereo = SpeakerLayout([.frontLeft, .frontRight])

  /// Returns the order of files and cables for `count` channels (1–8): WAVE order, as SMPTE and FLAC have it.
  static func stream(channels count: Int) -> SpeakerLayout {
    let row: [Speaker?] =
      switch count {
      case 1: [.frontCentre]
      case 2: [.frontLeft, .frontRight]
      case 3: [.frontLeft, .frontRight, .frontCentre]
      case 4: [.frontLeft, .frontRight, .rearLeft, .rearRight]
      case 5: [.frontLeft, .frontRight, .frontCentre, .rearLeft, .rearRight]
      case 6: [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearLeft, .rearRight]
      case 7:
        [
          .frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearCentre, .sideLeft, .sideRight,
        ]
      default:
        [
          .frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearLeft, .rearRight, .sideLeft,
          .sideRight,
        ]
      }
    return SpeakerLayout(padded(row, to: count))
  }

  /// Returns the order that ALSA assumes for `count` channels on a PCM that reports no channel map: that of the
  /// `surround40` … `surround71` PCMs, rears before centre.
  static func alsa(channels count: Int) -> SpeakerLayout {
    let row: [Speaker?] =
      switch count {
      case 1: [.frontCentre]
      case 2: [.frontLeft, .frontRight]
      case 3: [.frontLeft, .frontRight, .lowFrequency]
      case 4: [.frontLeft, .frontRight, .rearLeft, .rearRight]
      case 5: [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre]
      case 6: [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency]
      case 7:
        [
          .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency, .rearCentre,
        ]
      default:
        [
          .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency, .sideLeft,
          .sideRight,
        ]
      }
    return SpeakerLayout(padded(row, to: count))
  }

  private static func padded(_ row: [Speaker?], to count: Int) -> [Speaker?] {
    row + Array(repeating: nil, count: max(0, count - row.count))
  }
}

import PluginKit

/// The sound of a simulated film, song or station: steady tones that differ for each, and for each
/// channel of a film.
struct Signal: Sendable, Hashable {
  /// One sine.
  struct Partial: Sendable, Hashable {
    /// Hz.
    let frequency: Double
    /// Amplitude, full scale 1.
    let amplitude: Double
  }

  let format: CableFormat
  /// The tones of each channel, in the order of `format.layout`.
  let channels: [[Partial]]
  /// The amplitude of white noise, full scale 1.
  let noise: Double
  /// Seconds; `nil` for an endless signal.
  let duration: Double?

  /// The amplitude of each tone: −12 dBFS.
  static let amplitude = 0.25

  /// A film in 5.1 at 48 kHz. Front left has `tone`, front right 5/4 of it, centre 3/2, the low
  /// channel 1/8, surround left 7/4 and surround right 2.
  static func film(tone: Double, duration: Double) -> Signal {
    let ratios = [1, 1.25, 1.5, 0.125, 1.75, 2]
    return Signal(
      format: .film, channels: ratios.map { [Partial(frequency: tone * $0, amplitude: amplitude)] },
      noise: 0, duration: duration)
  }

  /// A song at 44.1 kHz: `tone` on the left, 3/2 of it on the right.
  static func song(tone: Double, duration: Double) -> Signal {
    Signal(
      format: .compactDisc,
      channels: [1, 1.5].map { [Partial(frequency: tone * $0, amplitude: amplitude)] },
      noise: 0, duration: duration)
  }

  /// A station on FM: `tone` on the left, 5/4 of it on the right.
  static func fm(tone: Double) -> Signal {
    Signal(
      format: .compactDisc,
      channels: [1, 1.25].map { [Partial(frequency: tone * $0, amplitude: amplitude)] },
      noise: 0, duration: nil)
  }

  /// A station on AM: the same on both sides, with some noise in it.
  static func am(tone: Double) -> Signal {
    Signal(
      format: .compactDisc,
      channels: Array(repeating: [Partial(frequency: tone, amplitude: amplitude)], count: 2),
      noise: 0.01, duration: nil)
  }

  /// The sound between stations: white noise, at most −20 dBFS.
  static let staticNoise = Signal(
    format: .compactDisc, channels: [[], []], noise: 0.1, duration: nil)

  /// This film in two channels: fronts, with centre and surround 3 dB down (ITU-R BS.775, table 2),
  /// the low channel left out, and all of it lowered so that it cannot clip.
  var inTwoChannels: Signal {
    guard channels.count == 6,
      let format = CableFormat(rate: format.rate, channels: 2, sample: .s16)
    else { return self }
    let down = 0.5.squareRoot()
    func side(_ front: Int, _ surround: Int) -> [Partial] {
      [(front, 1), (2, down), (surround, down)].flatMap { channel, factor in
        channels[channel].map {
          Partial(frequency: $0.frequency, amplitude: $0.amplitude * factor / (1 + 2 * down))
        }
      }
    }
    return Signal(format: format, channels: [side(0, 4), side(1, 5)], noise: 0, duration: duration)
  }
}

extension CableFormat {
  /// A film: 48 kHz, 5.1, 16 bit; FL, FR, FC, LFE, BL, BR.
  static let film =
    CableFormat(rate: 48_000, channels: 6, sample: .s16, layout: 0x3F) ?? .compactDisc
}

/// Gains from each source channel to each output channel.
///
/// Folding follows ITU-R BS.775-3: a channel without a speaker of its own goes to its neighbours,
/// centre and surrounds at −3 dB (1/√2). The low-frequency channel is left out when there is no
/// speaker for it, as the recommendation has it: it is an effect, not part of the programme.
/// Nothing is invented on the way up: stereo on six speakers plays from the front pair, mono
/// from the centre or, without one, from the front pair at −3 dB each. Whenever the gains into one
/// output add up to more than 1, the whole matrix is scaled so that the largest sum is 1: full
/// scale in every channel at once cannot clip, and the balance is kept.
struct MixMatrix: Sendable, Equatable {
  /// Source channels (columns).
  let inputs: Int
  /// Output channels (rows).
  let outputs: Int
  /// Row by row: `gains[output * inputs + input]`.
  private(set) var gains: [Float]

  /// 1/√2, the −3 dB of BS.775.
  static let minus3dB = Float(0.5).squareRoot()

  /// Creates the matrix that plays `source` on `target`.
  init(from source: SpeakerLayout, to target: SpeakerLayout) {
    inputs = source.count
    outputs = target.count
    gains = Array(repeating: 0, count: inputs * outputs)
    let present = Set(source.speakers.compactMap(\.self))
    for (input, speaker) in source.speakers.enumerated() {
      guard let speaker else { continue }
      for (place, gain) in Self.route(speaker, among: present, to: target) {
        for (output, candidate) in target.speakers.enumerated() where candidate == place {
          gains[output * inputs + input] += gain
        }
      }
    }
    scaleToUnity()
  }

  /// Returns the gain from one source channel to one output channel.
  func gain(from input: Int, to output: Int) -> Float { gains[output * inputs + input] }

  /// Whether each output is the same channel of the source, unchanged.
  var isIdentity: Bool {
    guard inputs == outputs else { return false }
    for output in 0..<outputs {
      for input in 0..<inputs where gain(from: input, to: output) != (input == output ? 1 : 0) {
        return false
      }
    }
    return true
  }

  private mutating func scaleToUnity() {
    var largest: Float = 1
    for output in 0..<outputs {
      let row = gains[output * inputs..<(output + 1) * inputs]
      largest = max(largest, row.reduce(0, +))
    }
    guard largest > 1 else { return }
    gains = gains.map { $0 / largest }
  }

  /// Returns the speakers of `target` that play a speaker's sound, with the gain to each.
  private static func route(
    _ speaker: Speaker, among source: Set<Speaker>, to target: SpeakerLayout
  ) -> [(Speaker, Float)] {
    if target.speakers.contains(speaker) { return [(speaker, 1)] }
    for choice in neighbours(of: speaker, among: source) {
      let places = choice.filter { target.speakers.contains($0.0) }
      if places.count == choice.count { return places }
    }
    return []
  }

  /// Returns the substitutes for a missing speaker, nearest first.
  private static func neighbours(
    of speaker: Speaker, among source: Set<Speaker>
  ) -> [[(Speaker, Float)]] {
    let half: Float = 0.5
    // Rears and sides share one pair of speakers at −3 dB each when the source has both.
    func pair(_ other: Speaker) -> Float { source.contains(other) ? minus3dB : 1 }
    switch speaker {
    case .frontLeft, .frontRight:
      return [[(.frontCentre, minus3dB)]]
    case .frontCentre:
      return [[(.frontLeft, minus3dB), (.frontRight, minus3dB)]]
    case .lowFrequency:
      return []
    case .rearLeft:
      return [
        [(.sideLeft, pair(.sideLeft))], [(.rearCentre, minus3dB)], [(.frontLeft, minus3dB)],
        [(.frontCentre, half)],
      ]
    case .rearRight:
      return [
        [(.sideRight, pair(.sideRight))], [(.rearCentre, minus3dB)], [(.frontRight, minus3dB)],
        [(.frontCentre, half)],
      ]
    case .sideLeft:
      return [
        [(.rearLeft, pair(.rearLeft))], [(.rearCentre, minus3dB)], [(.frontLeft, minus3dB)],
        [(.frontCentre, half)],
      ]
    case .sideRight:
      return [
        [(.rearRight, pair(.rearRight))], [(.rearCentre, minus3dB)], [(.frontRight, minus3dB)],
        [(.frontCentre, half)],
      ]
    case .rearCentre:
      return [
        [(.rearLeft, minus3dB), (.rearRight, minus3dB)],
        [(.sideLeft, minus3dB), (.sideRight, minus3dB)],
        [(.frontLeft, half), (.frontRight, half)], [(.frontCentre, half)],
      ]
    }
  }
}

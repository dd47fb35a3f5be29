import Testing

@testable import ALSAAmplifier

@Suite struct MixMatrixTests {
  @Test("E15 · 5.1 to stereo: centre and rears at −3 dB, no low frequencies, scaled to unity")
  func fiveOneToStereo() {
    let mix = MixMatrix(from: .stream(channels: 6), to: .stereo)
    let unit = 1 / (1 + 2 * MixMatrix.minus3dB)
    let expected: [Float] = [
      unit, 0, unit * MixMatrix.minus3dB, 0, unit * MixMatrix.minus3dB, 0,
      0, unit, unit * MixMatrix.minus3dB, 0, 0, unit * MixMatrix.minus3dB,
    ]
    for (made, wanted) in zip(mix.gains, expected) { #expect(abs(made - wanted) < 1e-6) }
  }

  @Test("E15 · no matrix can clip: the gains into one output add up to at most 1")
  func neverClips() {
    for inputs in 1...8 {
      for outputs in 1...8 {
        for target in [SpeakerLayout.stream(channels: outputs), .alsa(channels: outputs)] {
          let mix = MixMatrix(from: .stream(channels: inputs), to: target)
          for output in 0..<outputs {
            let sum = (0..<inputs).reduce(Float(0)) { $0 + mix.gain(from: $1, to: output) }
            #expect(sum <= 1.000001)
          }
        }
      }
    }
  }

  @Test("E15 · every channel except the low-frequency one reaches a speaker")
  func nothingIsLost() {
    for inputs in 1...8 {
      for outputs in [1, 2, 4, 5, 6, 8] {
        let layout = SpeakerLayout.stream(channels: inputs)
        let mix = MixMatrix(from: layout, to: .stream(channels: outputs))
        for input in 0..<inputs where layout.speakers[input] != .lowFrequency {
          let sum = (0..<outputs).reduce(Float(0)) { $0 + mix.gain(from: input, to: $1) }
          #expect(sum > 0.1, "channel \(input) of \(inputs) on \(outputs) speakers")
        }
      }
    }
  }

  @Test("E15 · equal layouts give the identity; another channel order only permutes the channels")
  func identityAndOrder() {
    #expect(MixMatrix(from: .stereo, to: .stereo).isIdentity)
    #expect(MixMatrix(from: .stream(channels: 6), to: .stream(channels: 6)).isIdentity)
    let reordered = MixMatrix(from: .stream(channels: 6), to: .alsa(channels: 6))
    #expect(!reordered.isIdentity)
    #expect(reordered.gain(from: 2, to: 4) == 1)
    #expect(reordered.gain(from: 3, to: 5) == 1)
    #expect(reordered.gain(from: 4, to: 2) == 1)
  }

  @Test("E15 · plays stereo on the front pair of six speakers, and nothing on the others")
  func upMix() {
    let mix = MixMatrix(from: .stereo, to: .stream(channels: 6))
    #expect(mix.gain(from: 0, to: 0) == 1)
    #expect(mix.gain(from: 1, to: 1) == 1)
    #expect(mix.gains.reduce(0, +) == 2)
    let mono = MixMatrix(from: .stream(channels: 1), to: .stereo)
    #expect(mono.gains == [MixMatrix.minus3dB, MixMatrix.minus3dB])
  }

  @Test("E15 · stereo mode uses only the front pair of a card with six channels")
  func frontOnly() {
    let map = SpeakerLayout.alsa(channels: 6).frontOnly
    let mix = MixMatrix(from: .stream(channels: 6), to: map)
    for output in 2..<6 {
      for input in 0..<6 { #expect(mix.gain(from: input, to: output) == 0) }
    }
    #expect(mix.gain(from: 2, to: 0) > 0)
  }
}

/// Triangular dither of ±1 step for reducing to 16 bits: eight lanes of xorshift32.
///
/// Two uniform halves of one random word make the triangle (TPDF), which decouples the error from
/// the signal (Lipshitz, Wannamaker, Vanderkooy 1992). Plain numbers only: the audio thread owns it.
struct Dither {
  private var lanes = SIMD8<UInt32>(
    0x9E37_79B9, 0x243F_6A88, 0xB7E1_5162, 0x1B56_C4E9, 0x7F4A_7C15, 0xF39C_C060, 0x5851_F42D,
    0x1405_7B7E)

  /// Eight values in −1…1, in steps of the target's least bit.
  mutating func next() -> SIMD8<Float> {
    lanes ^= lanes &<< 13
    lanes ^= lanes &>> 17
    lanes ^= lanes &<< 5
    let low = SIMD8<Int32>(truncatingIfNeeded: lanes & 0xFFFF)
    let high = SIMD8<Int32>(truncatingIfNeeded: lanes &>> 16)
    return SIMD8<Float>(low &- high) * (1 / 65536)
  }
}

/// A converter from floats of full scale ±1 to raw little-endian samples, clamped.
///
/// Only the step down to 16 bits is dithered: a float has 24 bits, so 24- and 32-bit outputs lose
/// nothing that could be heard or measured.
struct SampleWriter {
  private var dither = Dither()

  /// Writes `count` samples of `format` to `bytes`; `dithered` adds dither on 16 bits.
  mutating func write(
    _ floats: UnsafePointer<Float>, count: Int, as format: SampleFormat, dithered: Bool,
    to bytes: UnsafeMutableRawPointer
  ) {
    switch format {
    case .s16: write16(floats, count, dithered, bytes)
    case .s24packed:
      for index in 0..<count {
        let value = UInt32(bitPattern: Self.integer(floats[index], 8_388_608))
        let at = bytes + index * 3
        at.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
        at.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: 1, as: UInt8.self)
        at.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
      }
    case .s24:
      for index in 0..<count {
        let value = Self.integer(floats[index], 8_388_608)
        bytes.storeBytes(of: value, toByteOffset: index * 4, as: Int32.self)
      }
    case .s32:
      for index in 0..<count {
        let value = Self.integer(floats[index], 2_147_483_648)
        bytes.storeBytes(of: value, toByteOffset: index * 4, as: Int32.self)
      }
    case .float:
      bytes.copyMemory(from: floats, byteCount: count * 4)
    }
  }

  /// Returns the nearest integer on a scale of ±`scale`, clamped to `-scale ..< scale`.
  private static func integer(_ value: Float, _ scale: Double) -> Int32 {
    let scaled = (Double(value) * scale).rounded()
    return Int32(max(-scale, min(scale - 1, scaled)))
  }

  /// Adding 1.5·2²³ rounds a small float to the nearest integer in its low mantissa bits, which
  /// stays in vector registers where a checked conversion would not.
  private mutating func write16(
    _ floats: UnsafePointer<Float>, _ count: Int, _ dithered: Bool,
    _ bytes: UnsafeMutableRawPointer
  ) {
    let magic: Float = 12_582_912
    let lowest = SIMD8<Float>(repeating: -32768)
    let highest = SIMD8<Float>(repeating: 32767)
    var index = 0
    while index < count {
      var values = SIMD8<Float>.zero
      let full = index + 8 <= count
      if full {
        values = UnsafeRawPointer(floats + index).loadUnaligned(as: SIMD8<Float>.self)
      } else {
        for lane in 0..<count - index { values[lane] = floats[index + lane] }
      }
      values *= 32768
      if dithered { values += dither.next() }
      // `clamp` compares lane by lane, which is slower.
      values.replace(with: lowest, where: values .< lowest)
      values.replace(with: highest, where: values .> highest)
      let bits = unsafeBitCast(values + magic, to: SIMD8<Int32>.self)
      let words = SIMD8<Int16>(truncatingIfNeeded: bits)
      let at = bytes + index * 2
      if full {
        at.storeBytes(of: words, as: SIMD8<Int16>.self)
      } else {
        for lane in 0..<count - index {
          at.storeBytes(of: words[lane], toByteOffset: lane * 2, as: Int16.self)
        }
      }
      index += 8
    }
  }
}

/// Triangular dither of ±1 step for reducing to 16 bits: eight lanes of xorshift32.
///
/// Two uniform halves of one random word make the triangle (TPDF), which decouples the error from
/// the signal (Lipshitz, Wannamaker, Vanderkooy 1992). Plain numbers only: the audio thread owns
/// it.
struct Dither {
  private var lanes = SIMD8<UInt32>(
    0x9E37_79B9, 0x243F_6A88, 0xB7E1_5162, 0x1B56_C4E9, 0x7F4A_7C15, 0xF39C_C060, 0x5851_F42D,
    0x1405_7B7E)

  /// Returns eight values between −1 and 1, in units of the 16-bit sample's least significant bit.
  mutating func next() -> SIMD8<Float> {
    lanes ^= lanes &<< 13
    lanes ^= lanes &>> 17
    lanes ^= lanes &<< 5
    let low = SIMD8<Int32>(truncatingIfNeeded: lanes & 0xFFFF)
    let high = SIMD8<Int32>(truncatingIfNeeded: lanes &>> 16)
    return SIMD8<Float>(low &- high) * (1 / 65536)
  }
}

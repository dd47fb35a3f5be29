/// Turns floats of full scale ±1 into raw little-endian samples, clamped.
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

  /// The nearest integer on a scale of ±`scale`, clamped to `-scale ..< scale`.
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
      // `clamp` goes lane by lane.
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

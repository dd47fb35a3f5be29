/// The conversion of raw little-endian samples to floats of full scale ±1.
enum SampleReader {
  /// Reads `count` samples of `format` from `bytes`, which need not be aligned.
  static func read(
    _ bytes: UnsafeRawPointer, as format: SampleFormat, count: Int,
    into floats: UnsafeMutablePointer<Float>
  ) {
    switch format {
    case .s16: read16(bytes, count, floats)
    case .s24packed:
      for index in 0..<count {
        let at = bytes + index * 3
        let low = UInt32(at.load(as: UInt8.self)) << 8
        let middle = UInt32(at.load(fromByteOffset: 1, as: UInt8.self)) << 16
        let high = UInt32(at.load(fromByteOffset: 2, as: UInt8.self)) << 24
        floats[index] = Float(Int32(bitPattern: low | middle | high)) * (1 / 2_147_483_648)
      }
    case .s24:
      for index in 0..<count {
        let word = bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
        floats[index] = Float(word &<< 8) * (1 / 2_147_483_648)
      }
    case .s32:
      for index in 0..<count {
        let word = bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
        floats[index] = Float(word) * (1 / 2_147_483_648)
      }
    case .float:
      for index in 0..<count {
        let word = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        let value = Float(bitPattern: word)
        floats[index] = value.isFinite ? value : 0
      }
    }
  }

  private static func read16(
    _ bytes: UnsafeRawPointer, _ count: Int, _ floats: UnsafeMutablePointer<Float>
  ) {
    let scale: Float = 1 / 32768
    var index = 0
    while index + 8 <= count {
      let words = bytes.loadUnaligned(fromByteOffset: index * 2, as: SIMD8<Int16>.self)
      let values = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: words)) * scale
      UnsafeMutableRawPointer(floats + index).storeBytes(of: values, as: SIMD8<Float>.self)
      index += 8
    }
    while index < count {
      floats[index] = Float(bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)) * scale
      index += 1
    }
  }
}

/// Loops over interleaved floats.
enum Frames {
  /// Multiplies each frame of `inputs` channels by the matrix into frames of `outputs` channels.
  static func mix(
    _ source: UnsafePointer<Float>, frames: Int, matrix: UnsafePointer<Float>, inputs: Int,
    outputs: Int, into target: UnsafeMutablePointer<Float>
  ) {
    var from = source
    var to = target
    for _ in 0..<frames {
      var row = matrix
      for output in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs { sum += row[input] * from[input] }
        to[output] = sum
        row += inputs
      }
      from += inputs
      to += outputs
    }
  }

  /// True unless every sample is zero.
  static func isAudible(_ samples: UnsafePointer<Float>, count: Int) -> Bool {
    for index in 0..<count where samples[index] != 0 { return true }
    return false
  }
}

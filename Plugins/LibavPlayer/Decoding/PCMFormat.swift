import CLibav

/// The layout of decoded sound in memory: interleaved, in the machine's byte order.
struct PCMFormat: Equatable, Sendable {
  /// One sample's type.
  enum Sample: Equatable, Sendable {
    /// 16-bit integers.
    case int16
    /// 32-bit integers; 24-bit sources fill the upper bits.
    case int32
    /// 32-bit floating point, full scale at ±1.
    case float32

    /// Bytes of one sample.
    var size: Int { self == .int16 ? 2 : 4 }
  }

  /// One sample's type.
  let sample: Sample
  /// Frames a second.
  let rate: Int
  /// Channels, in the order of the bits in ``speakers``.
  let channels: Int
  /// Loudspeakers as a WAVE channel mask; 0 if the file does not state them.
  let speakers: UInt64

  /// Bytes of one frame (one sample of each channel).
  var frameSize: Int { sample.size * channels }
}

/// Rates in frames a second and channel counts that are played; they bound the buffers that a damaged
/// header can ask for.
enum PCMLimits {
  static let rates = 4_000...192_000
  static let channels = 1...8
}

/// The layout of decoded samples: their type, and whether each channel has a plane of its own.
struct DecodedLayout {
  let sample: PCMFormat.Sample
  let isPlanar: Bool
  /// Bytes of one sample before conversion.
  let sourceSize: Int
  private let code: AVSampleFormat

  /// Creates the layout; nil for types that no music file uses (64-bit integers and so on).
  init?(_ format: AVSampleFormat) {
    code = format
    switch format {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: (sample, sourceSize) = (.int16, 1)
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: (sample, sourceSize) = (.int16, 2)
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P: (sample, sourceSize) = (.int32, 4)
    case AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP: (sample, sourceSize) = (.float32, 4)
    case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP: (sample, sourceSize) = (.float32, 8)
    default: return nil
    }
    switch format {
    case AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S32P, AV_SAMPLE_FMT_FLTP,
      AV_SAMPLE_FMT_DBLP:
      isPlanar = true
    default: isPlanar = false
    }
  }

  /// Copies `frames` frames, from frame `start` of `frame` on, interleaved to `output`.
  ///
  /// The caller has checked that `frame` holds them and that `output` has room for them.
  func copy(
    _ frame: UnsafePointer<AVFrame>, from start: Int, frames: Int, channels: Int,
    to output: UnsafeMutableRawPointer
  ) {
    guard let planes = frame.pointee.extended_data else { return }
    if !isPlanar && sourceSize == sample.size {
      guard let source = planes[0] else { return }
      let size = sourceSize * channels
      output.copyMemory(from: source + start * size, byteCount: frames * size)
      return
    }
    for channel in 0..<channels {
      let plane = isPlanar ? channel : 0
      guard let base = planes[plane] else { continue }
      let stride = isPlanar ? 1 : channels
      let first = isPlanar ? start : start * channels + channel
      let source = UnsafeRawPointer(base) + first * sourceSize
      let target = output + channel * sample.size
      interleave(source, stride: stride, frames: frames, to: target, every: channels)
    }
  }

  private func interleave(
    _ source: UnsafeRawPointer, stride: Int, frames: Int, to target: UnsafeMutableRawPointer,
    every channels: Int
  ) {
    switch (sourceSize, sample) {
    case (2, _):
      interleave(source, UInt16.self, stride, frames, target, UInt16.self, channels) { $0 }
    case (4, _):
      interleave(source, UInt32.self, stride, frames, target, UInt32.self, channels) { $0 }
    case (8, _):
      interleave(source, Double.self, stride, frames, target, Float.self, channels) { Float($0) }
    default:  // unsigned bytes: old WAV files
      interleave(source, UInt8.self, stride, frames, target, Int16.self, channels) {
        (Int16($0) - 128) << 8
      }
    }
  }

  @inline(__always)
  private func interleave<From, To>(
    _ source: UnsafeRawPointer, _: From.Type, _ stride: Int, _ frames: Int,
    _ target: UnsafeMutableRawPointer, _: To.Type, _ channels: Int, _ convert: (From) -> To
  ) {
    let input = source.assumingMemoryBound(to: From.self)
    let output = target.assumingMemoryBound(to: To.self)
    for index in 0..<frames { output[index &* channels] = convert(input[index &* stride]) }
  }
}

import CLibav

/// Brings sound above the highest rate of ``PCMLimits`` down to a fraction of its rate, by libav's
/// resampler. Only DSD files and rare PCM files need one.
final class RateReducer {
  /// DSD carries noise above the music that grows from about 25 kHz on; at 88.2 kHz most of it is gone.
  private static let highestOfDSD = 96_000
  /// The rates of DSD after libav's decoder, which makes one sample of eight bits: DSD64 to DSD512.
  private static let ratesOfDSD: Set<Int> = [352_800, 705_600, 1_411_200, 2_822_400]

  /// The last converted frame.
  let frame: UnsafeMutablePointer<AVFrame>
  private let resampler: OpaquePointer
  private let subject: String
  private var rate: Int32 = 0

  /// Whether sound in the format of this frame has to be converted.
  static func isNeeded(for frame: UnsafePointer<AVFrame>) -> Bool {
    Int(frame.pointee.sample_rate) > PCMLimits.rates.upperBound
  }

  init(subject: String) throws(MediaFailure) {
    guard let frame = lav_av_frame_alloc() else {
      throw MediaFailure(code: LAV_NO_MEMORY, subject: subject, doing: "decoding")
    }
    guard let resampler = lav_swr_alloc() else {
      var frame: UnsafeMutablePointer<AVFrame>? = frame
      lav_av_frame_free(&frame)
      throw MediaFailure(code: LAV_NO_MEMORY, subject: subject, doing: "decoding")
    }
    self.frame = frame
    self.resampler = resampler
    self.subject = subject
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    lav_av_frame_free(&frame)
    var resampler: OpaquePointer? = resampler
    lav_swr_free(&resampler)
  }

  /// Converts a decoded frame into ``frame``, which keeps its time stamp. May give no samples at first.
  func convert(_ source: UnsafeMutablePointer<AVFrame>) throws(MediaFailure) {
    prepare(like: source)
    let code = lav_swr_convert_frame(resampler, frame, source)
    guard code >= 0 else {
      throw MediaFailure(code: code, subject: subject, doing: "changing the rate")
    }
  }

  /// Gets the last samples into ``frame`` behind the last frame; false when there are none.
  func drain() throws(MediaFailure) -> Bool {
    guard rate > 0, frame.pointee.sample_rate > 0 else { return false }
    prepare(like: frame)
    return lav_swr_convert_frame(resampler, frame, nil) >= 0 && frame.pointee.nb_samples > 0
  }

  private func prepare(like source: UnsafeMutablePointer<AVFrame>) {
    let (format, time) = (source.pointee.format, source.pointee.pts)
    if source != frame { rate = Self.reduced(source.pointee.sample_rate) }
    var layout = AVChannelLayout()
    lav_av_channel_layout_copy(&layout, &source.pointee.ch_layout)
    lav_av_frame_unref(frame)
    frame.pointee.format = format
    frame.pointee.sample_rate = rate
    // The frame owns it from here on.
    frame.pointee.ch_layout = layout
    frame.pointee.pts = time
  }

  private static func reduced(_ rate: Int32) -> Int32 {
    let highest = ratesOfDSD.contains(Int(rate)) ? highestOfDSD : PCMLimits.rates.upperBound
    var rate = rate
    while Int(rate) > highest { rate /= 2 }
    return rate
  }
}

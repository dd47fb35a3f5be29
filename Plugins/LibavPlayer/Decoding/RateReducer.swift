import CLibav
import MediaFolders

/// A resampler (libav's) for sound above the highest rate of ``PCMLimits``, to a half, quarter … of its
/// rate. Only DSD files and rare PCM files need it.
final class RateReducer {
  /// The highest target rate for DSD, whose noise above the music grows from about 25 kHz on; at 88.2 kHz
  /// most of it is gone.
  private static let highestOfDSD = 96_000
  /// The rates of DSD64 to DSD512 after libav's decoder, which turns eight bits into one sample.
  private static let ratesOfDSD: Set<Int> = [352_800, 705_600, 1_411_200, 2_822_400]

  /// The last converted frame.
  let frame: UnsafeMutablePointer<AVFrame>
  private let resampler: OpaquePointer
  private let subject: String
  private var rate: Int32 = 0

  /// Whether the frame's rate has to be reduced.
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

  /// Converts a decoded frame, with its time stamp, into ``frame``. The first ones may give no samples.
  func convert(_ source: UnsafeMutablePointer<AVFrame>) throws(MediaFailure) {
    prepare(like: source)
    let code = lav_swr_convert_frame(resampler, frame, source)
    guard code >= 0 else {
      throw MediaFailure(code: code, subject: subject, doing: "changing the rate")
    }
  }

  /// Converts the samples that the resampler holds into ``frame``; false if there are none.
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

import CLibav
import MediaFolders

/// A converter between a stream's time stamps and frames counted from the start of the music.
struct TimestampConverter {
  /// The track's length in frames, before the padding; nil unless the container states it exactly.
  let end: Int64?
  private let origin: Int64
  private let base: AVRational
  private let rate: Int
  private let preRoll: Int64
  private let seeksByPacket: Bool
  /// A time stamp at or before the very first packet.
  private let beginning: Int64

  /// The longest file, bytes, that is read packet by packet to find a frame.
  private static let longestReadByPacket: Int64 = 64 << 20

  /// Creates a converter for a track that begins with `first`, its first decoded frame.
  init(first: UnsafePointer<AVFrame>, demuxer: Demuxer, rate: Int) {
    base = demuxer.timeBase
    self.rate = rate
    let time = first.pointee.pts
    origin = time == LAV_NO_TIME ? 0 : time
    let codec = demuxer.information?.pointee.codecpar?.pointee.codec_id ?? AV_CODEC_ID_NONE
    preRoll = Self.preRoll(of: codec, rate: rate)
    // After a jump libav guesses the time: in MP3 from the bit rate, in Ogg from the page.
    seeksByPacket = ["mp3", "aac", "ogg"].contains(demuxer.containerName)
    // MP4 starts before zero, by the encoder's delay. Other demuxers refuse to seek to a time before their first one.
    let isMP4 = demuxer.containerName.hasPrefix("mov")
    beginning = isMP4 ? origin - Int64(base.den) : min(origin, 0)
    // An edit list ends AAC inside its last frame; libav trims only the front.
    if isMP4, let duration = demuxer.information?.pointee.duration,
      duration > 0
    {
      end = Self.rescale(duration, base, rate)
    } else {
      end = nil
    }
  }

  /// Whether `position` is at or behind the known end.
  func isPast(_ position: Int64) -> Bool { end.map { position >= $0 } ?? false }

  /// Returns the number of a decoded frame's first sample; nil if it has no time stamp.
  func index(of frame: UnsafePointer<AVFrame>) -> Int64? {
    let time = frame.pointee.pts
    guard time != LAV_NO_TIME else { return nil }
    return Self.rescale(time - origin, base, rate)
  }

  /// Returns the frames at which decoding may begin to reach `target`, the nearest first.
  func decodingStarts(for target: Int64) -> [Int64] {
    let near = max(0, target - preRoll)
    let far = max(0, near - 4 * Int64(rate))
    return near == 0 ? [0] : far == 0 ? [near, 0] : [near, far, 0]
  }

  /// Seeks the demuxer to a packet near and before frame `start`; false if it cannot seek.
  func seek(_ demuxer: Demuxer, to start: Int64) throws(MediaFailure) -> Bool {
    let time = origin + lav_av_rescale_q(start, AVRational(num: 1, den: Int32(rate)), base)
    if start == 0 { return demuxer.seek(to: beginning) }
    guard seeksByPacket, demuxer.byteCount <= Self.longestReadByPacket else {
      return demuxer.seek(to: time)
    }
    guard demuxer.seek(to: beginning) else { return false }
    while try demuxer.read() {
      let packet = demuxer.packet.pointee
      // The decoder does not get the packet just read, so stop one early.
      if packet.pts == LAV_NO_TIME || packet.pts + 2 * packet.duration >= time { break }
    }
    return true
  }

  private static func rescale(_ time: Int64, _ base: AVRational, _ rate: Int) -> Int64 {
    lav_av_rescale_q(time, base, AVRational(num: 1, den: Int32(rate)))
  }

  /// Returns the frames that a decoder needs before its output is right: MP3 uses bits of earlier packets,
  /// Opus asks for 80 ms (RFC 7845, 4.6) but is right within 1 % only after a second, the others
  /// overlap by one packet.
  private static func preRoll(of codec: AVCodecID, rate: Int) -> Int64 {
    switch codec {
    case AV_CODEC_ID_MP3: return Int64(rate) * 4 / 10
    case AV_CODEC_ID_OPUS: return Int64(rate)
    case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_VORBIS, AV_CODEC_ID_AAC, AV_CODEC_ID_WMAV1,
      AV_CODEC_ID_WMAV2,
      AV_CODEC_ID_WMAPRO, AV_CODEC_ID_DSD_LSBF, AV_CODEC_ID_DSD_MSBF,
      AV_CODEC_ID_DSD_LSBF_PLANAR, AV_CODEC_ID_DSD_MSBF_PLANAR:
      return Int64(rate) / 5
    default: return 0
    }
  }
}

import CLibav
import MediaFolders

/// An open file or stream as a sequence of PCM frames.
///
/// Encoder delay and padding are left out where the file states them, so that tracks join without a
/// gap. Belongs to one thread at a time.
final class AudioTrack {
  /// The container and its tags.
  let demuxer: Demuxer
  private let decoder: FrameDecoder
  private let timestamps: TimestampConverter
  private var layout: DecodedLayout
  /// The frames in ``FrameDecoder/frame`` that are not read yet.
  private var pending = 0..<0
  /// The format of the pending frames; changes only in ``next()``.
  private(set) var format: PCMFormat
  /// The number of the next frame, counted from the track's start, in frames at ``format``'s rate.
  private(set) var position: Int64 = 0

  /// Decodes up to the first frame of sound.
  init(_ demuxer: Demuxer) throws(MediaFailure) {
    self.demuxer = demuxer
    decoder = try FrameDecoder(demuxer)
    guard try decoder.next(from: demuxer) else {
      throw MediaFailure(
        .corrupt, subject: demuxer.subject, detail: "there is not one frame of sound in it",
        hint: "Check the file with: ffprobe FILE")
    }
    (format, layout) = try AudioTrack.read(decoder.frame, subject: demuxer.subject)
    timestamps = TimestampConverter(first: decoder.frame, demuxer: demuxer, rate: format.rate)
    setPending(decoder.frame, at: 0)
  }

  /// Packets that could not be decoded so far.
  var damagedPackets: Int { decoder.damagedPackets }

  /// Whether the last packets so far could not be decoded.
  var isDamagedAtEnd: Bool { decoder.isDamagedAtEnd }

  /// Decodes until a frame is pending. Returns its format; nil at the end.
  func next() throws(MediaFailure) -> PCMFormat? {
    while pending.isEmpty {
      guard !timestamps.isPast(position), try decoder.next(from: demuxer) else { return nil }
      (format, layout) = try AudioTrack.read(decoder.frame, subject: demuxer.subject)
      setPending(decoder.frame, at: position)
    }
    return format
  }

  /// Copies as many frames as fit into `buffer`, all of the format that ``next()`` returned. Returns their
  /// number; fewer than fit if the track ends or its format changes.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaFailure) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let format = format
    let room = buffer.count / format.frameSize
    var taken = 0
    while taken < room, try next() == format {
      let count = min(pending.count, room - taken)
      layout.copy(
        decoder.frame, from: pending.lowerBound, frames: count, channels: format.channels,
        to: base + taken * format.frameSize)
      pending.removeFirst(count)
      position += Int64(count)
      taken += count
    }
    return taken
  }

  /// Goes to exactly this frame, or to the end.
  func seek(to target: Int64) throws(MediaFailure) {
    let target = max(0, target)
    for start in timestamps.decodingStarts(for: target) {
      guard try decode(to: target, from: start) else { continue }
      return
    }
    throw MediaFailure(
      .unsupported, subject: demuxer.subject, detail: "it is not possible to seek in this")
  }

  /// Decodes from frame `start` on, up to `target`; false if decoding began behind it.
  private func decode(to target: Int64, from start: Int64) throws(MediaFailure) -> Bool {
    guard try timestamps.seek(demuxer, to: start) else { return false }
    decoder.flush()
    pending = 0..<0
    var isFirst = true
    while true {
      guard try decoder.next(from: demuxer) else {
        position = target
        return !isFirst || start == 0
      }
      (format, layout) = try AudioTrack.read(decoder.frame, subject: demuxer.subject)
      if isFirst {
        position = timestamps.index(of: decoder.frame) ?? 0
        guard position <= target || start == 0 else { return false }
        isFirst = false
      }
      let count = Int64(decoder.frame.pointee.nb_samples)
      if position + count > target {
        let skipped = max(0, target - position)
        setPending(decoder.frame, at: position)
        pending.removeFirst(min(Int(skipped), pending.count))
        position += skipped
        return true
      }
      position += count
    }
  }

  /// Makes the frames of `frame` pending, without those behind the track's known end.
  private func setPending(_ frame: UnsafePointer<AVFrame>, at index: Int64) {
    let count = Int64(frame.pointee.nb_samples)
    let allowed = timestamps.end.map { max(0, min(count, $0 - index)) } ?? count
    pending = 0..<Int(allowed)
  }

  /// Returns the format of a decoded frame; throws if it cannot be played.
  private static func read(
    _ frame: UnsafePointer<AVFrame>, subject: String
  ) throws(MediaFailure) -> (PCMFormat, DecodedLayout) {
    let rate = Int(frame.pointee.sample_rate)
    let channels = Int(frame.pointee.ch_layout.nb_channels)
    guard let layout = DecodedLayout(AVSampleFormat(frame.pointee.format)),
      PCMLimits.rates.contains(rate), PCMLimits.channels.contains(channels)
    else {
      throw MediaFailure(
        .unsupported, subject: subject,
        detail: "\(channels) channels at \(rate) Hz cannot be played",
        hint: "Up to 8 channels at 4 to 192 kHz can.")
    }
    let isNative = frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE
    let format = PCMFormat(
      sample: layout.sample, rate: rate, channels: channels,
      speakers: isNative ? frame.pointee.ch_layout.u.mask : 0)
    return (format, layout)
  }
}

import CLibav
import MediaFolders

/// A decoder that turns packets into frames of sound; damaged packets are counted and skipped.
final class FrameDecoder {
  /// The most damaged packets in a row; with more the file counts as damaged from there on.
  private static let patience = 100

  /// The last decoded frame, at a rate that can be played.
  var frame: UnsafeMutablePointer<AVFrame> { isReduced ? reducer?.frame ?? decoded : decoded }
  /// Packets that could not be decoded.
  private(set) var damagedPackets = 0
  private let decoded: UnsafeMutablePointer<AVFrame>
  private let context: UnsafeMutablePointer<AVCodecContext>
  /// Created for the first frame that needs it.
  private var reducer: RateReducer?
  private var isReduced = false
  private let subject: String
  private var damagedInARow = 0
  private var isDraining = false

  /// Creates a decoder for the demuxer's audio stream.
  init(_ demuxer: Demuxer) throws(MediaFailure) {
    subject = demuxer.subject
    guard let information = demuxer.information, let parameters = information.pointee.codecpar,
      let codec = lav_avcodec_find_decoder(parameters.pointee.codec_id)
    else { throw Self.unsupported(demuxer) }
    guard let context = lav_avcodec_alloc_context3(codec), let frame = lav_av_frame_alloc() else {
      throw MediaFailure(code: LAV_NO_MEMORY, subject: demuxer.subject, doing: "decoding")
    }
    self.context = context
    decoded = frame
    lav_avcodec_parameters_to_context(context, parameters)
    context.pointee.pkt_timebase = information.pointee.time_base
    // One thread: music decodes hundreds of times faster than it plays, and the film needs the rest.
    context.pointee.thread_count = 1
    var options = LibavDictionary([(key: "codec_whitelist", value: Demuxer.codecs)])
    let code = lav_avcodec_open2(context, codec, &options.pointer)
    guard code >= 0 else {
      guard code == LAV_BAD_ARGUMENT else {
        throw MediaFailure(code: code, subject: demuxer.subject, doing: "preparing the decoder")
      }
      // The codec is not one of those that are allowed.
      throw Self.unsupported(demuxer)
    }
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = decoded
    lav_av_frame_free(&frame)
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    lav_avcodec_free_context(&context)
  }

  /// Decodes the next frame into ``frame``; false at the end.
  func next(from demuxer: Demuxer) throws(MediaFailure) -> Bool {
    while true {
      let code = lav_avcodec_receive_frame(context, decoded)
      if code >= 0 {
        damagedInARow = 0
        try reduce()
        if frame.pointee.nb_samples > 0 { return true }
        continue
      }
      if code == LAV_EOF {
        guard isReduced, let reducer else { return false }
        return try reducer.drain()
      }
      if code != LAV_AGAIN { try countDamage() }
      if isDraining && code != LAV_AGAIN { return false }
      try sendPacket(from: demuxer)
    }
  }

  /// Whether the last packets could not be decoded.
  var isDamagedAtEnd: Bool { damagedInARow > 0 }

  private static func unsupported(_ demuxer: Demuxer) -> MediaFailure {
    MediaFailure(
      .unsupported, subject: demuxer.subject,
      detail: "sound of the kind \"\(demuxer.kind)\" is not played",
      hint: "Convert it with: ffmpeg -i FILE FILE.flac")
  }

  /// Converts the frame to a lower rate if its own cannot be played.
  private func reduce() throws(MediaFailure) {
    isReduced = RateReducer.isNeeded(for: decoded)
    guard isReduced else { return }
    if reducer == nil { reducer = try RateReducer(subject: subject) }
    try reducer?.convert(decoded)
  }

  private func sendPacket(from demuxer: Demuxer) throws(MediaFailure) {
    guard try demuxer.read() else {
      isDraining = true
      lav_avcodec_send_packet(context, nil)
      return
    }
    let code = lav_avcodec_send_packet(context, demuxer.packet)
    if code < 0 && code != LAV_AGAIN { try countDamage() }
  }

  private func countDamage() throws(MediaFailure) {
    damagedPackets += 1
    damagedInARow += 1
    guard damagedInARow > Self.patience else { return }
    throw MediaFailure(
      .corrupt, subject: subject, detail: "the sound is damaged from here on",
      hint: "Check the file with: ffmpeg -v error -i FILE -f null -")
  }

  /// Drops the state of earlier packets, for a seek.
  func flush() {
    lav_avcodec_flush_buffers(context)
    reducer = nil
    isReduced = false
    isDraining = false
    damagedInARow = 0
  }
}

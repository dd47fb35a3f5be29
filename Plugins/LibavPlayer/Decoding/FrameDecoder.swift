import CLibav

/// Turns packets into frames of sound; damaged packets are counted and left out.
final class FrameDecoder {
  /// So many damaged packets in a row end the file: it is no audio any more.
  private static let patience = 100

  /// The frame that was decoded last.
  let frame: UnsafeMutablePointer<AVFrame>
  /// Packets that could not be decoded.
  private(set) var damagedPackets = 0
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let subject: String
  private var damagedInARow = 0
  private var isDraining = false

  /// A decoder for the demuxer's audio stream.
  init(_ demuxer: Demuxer) throws(MediaFailure) {
    subject = demuxer.subject
    guard let information = demuxer.information, let parameters = information.pointee.codecpar,
      let codec = lav_avcodec_find_decoder(parameters.pointee.codec_id)
    else {
      throw MediaFailure(
        .unsupported, subject: demuxer.subject, detail: "this kind of sound cannot be decoded")
    }
    guard let context = lav_avcodec_alloc_context3(codec), let frame = lav_av_frame_alloc() else {
      throw MediaFailure(code: LAV_NO_MEMORY, subject: demuxer.subject, doing: "decoding")
    }
    self.context = context
    self.frame = frame
    lav_avcodec_parameters_to_context(context, parameters)
    context.pointee.pkt_timebase = information.pointee.time_base
    // One thread: music decodes hundreds of times faster than it plays, and the film needs the rest.
    context.pointee.thread_count = 1
    let code = lav_avcodec_open2(context, codec, nil)
    guard code >= 0 else {
      throw MediaFailure(code: code, subject: demuxer.subject, doing: "preparing the decoder")
    }
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    lav_av_frame_free(&frame)
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    lav_avcodec_free_context(&context)
  }

  /// Decodes the next frame into ``frame``; false at the end.
  func next(from demuxer: Demuxer) throws(MediaFailure) -> Bool {
    while true {
      let code = lav_avcodec_receive_frame(context, frame)
      if code >= 0 {
        damagedInARow = 0
        if frame.pointee.nb_samples > 0 { return true }
        continue
      }
      if code == LAV_EOF { return false }
      if code != LAV_AGAIN { try countDamage() }
      if isDraining && code != LAV_AGAIN { return false }
      try feed(from: demuxer)
    }
  }

  private func feed(from demuxer: Demuxer) throws(MediaFailure) {
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

  /// Forgets what it knows of the packets before a seek.
  func flush() {
    lav_avcodec_flush_buffers(context)
    isDraining = false
    damagedInARow = 0
  }
}

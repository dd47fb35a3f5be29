import CLibav
import MediaFolders
import MediaNetwork

/// An open container: its tags, its one audio stream, and that stream's packets.
///
/// Belongs to one thread at a time. Only the formats and protocols listed here are allowed, so that
/// neither a file nor a station can make it open a playlist, another file or another machine.
final class Demuxer {
  /// The containers that are played, by libav's names.
  private static let formats = Container.allCases.map(\.rawValue).joined(separator: ",")
  /// The codecs that are decoded, by libav's names: those of music and speech, not those of games and pictures.
  static let codecs = [
    "flac,mp3float,mp3,mp2float,mp2,mp1float,mp1,mp3adufloat,mp3on4float,vorbis,opus,aac,aac_latm",
    "alac,als,ape,wavpack,tta,tak,shorten,mpc7,mpc8,wmav1,wmav2,wmapro,wmalossless,wmavoice",
    "ac3,eac3,dca,truehd,mlp,dst,atrac1,atrac3,atrac3al,atrac3plus,atrac3plusal,cook,ralf,sipr",
    "real_144,real_288,qdm2,qdmc,mace3,mace6,nellymoser,imc,iac,metasound,twinvq,truespeech",
    "speex,libspeex,gsm,gsm_ms,amrnb,amrwb,ilbc,g722,g723_1,g726,g726le,g729,qcelp,evrc,dfpwm",
    "adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,adpcm_ima_dk3,adpcm_ima_dk4,adpcm_ima_oki,adpcm_yamaha",
    "adpcm_swf,adpcm_adx,adpcm_ct,adpcm_sbpro_2,adpcm_sbpro_3,adpcm_sbpro_4,adpcm_g722,adpcm_g726",
    "8svx_exp,8svx_fib,sdx2_dpcm,dsd_lsbf,dsd_msbf,dsd_lsbf_planar,dsd_msbf_planar,pcm_u8,pcm_s8",
    "pcm_s8_planar,pcm_s16le,pcm_s16le_planar,pcm_s24le,pcm_s24le_planar,pcm_s32le",
    "pcm_s32le_planar,pcm_s16be,pcm_s16be_planar,pcm_s24be,pcm_s32be,pcm_u16le,pcm_u16be,pcm_u24le",
    "pcm_u24be,pcm_u32le,pcm_u32be,pcm_f16le,pcm_f24le,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be",
    "pcm_mulaw,pcm_alaw,pcm_vidc",
  ].joined(separator: ",")

  /// The file or station in messages.
  let subject: String
  /// Ends blocking calls.
  let interrupt: LibavInterrupt
  /// The audio stream's number in the file.
  let stream: Int32
  /// The source of a station's stream; nil for a file, which libav opens itself.
  private let input: StreamInput?
  /// The source of a station's segments; nil for anything else.
  private let source: SegmentSource?
  private var hasStreamInfo = false
  /// The time stamp of the first packet, in units of ``timeBase``; nil before it was read, or without one.
  private var firstTime: Int64?
  private var context: UnsafeMutablePointer<AVFormatContext>
  let packet: UnsafeMutablePointer<AVPacket>

  /// Opens a local file, or a range of its bytes. A known `container` saves libav the detection.
  convenience init(
    file path: String, bytes: Range<Int64>? = nil, container: Container?, subject: String,
    interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    // The prefix keeps a file called "http:…" a file.
    let range = bytes.map { "subfile,,start,\($0.lowerBound),end,\($0.upperBound),,:" } ?? ""
    try self.init(
      url: range + "file:" + path, format: container?.rawValue,
      options: [
        ("protocol_whitelist", bytes == nil ? "file" : "file,subfile"),
        ("format_whitelist", Self.formats),
      ],
      subject: subject, interrupt: interrupt)
  }

  /// Opens a bitstream without a container, which only reads forwards.
  convenience init(
    bitstream input: StreamInput, container: Container, subject: String,
    interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    try self.init(
      url: "", format: container.rawValue,
      options: [("protocol_whitelist", "none"), ("format_whitelist", container.rawValue)],
      input: input, subject: subject, interrupt: interrupt)
    // IEC 61937 and some others state the codec only in their frames.
    if information?.pointee.codecpar?.pointee.codec_id == AV_CODEC_ID_NONE { findStreamInfo() }
  }

  /// Opens a station's stream.
  convenience init(
    stream: StationStream, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    let input = try StreamInput(stream, subject: subject)
    try self.init(
      url: "", format: nil,
      options: [
        ("protocol_whitelist", "none"), ("format_whitelist", "mp3,aac,ogg,flac,mpegts"),
        // A second of a common station, which most send at once, is enough to know its format.
        ("formatprobesize", "16384"), ("probesize", "16384"),
      ], input: input, subject: subject, interrupt: interrupt)
  }

  /// Opens a station's list of segments (HLS), which `source` requests.
  convenience init(
    hls url: String, source: SegmentSource, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    try self.init(
      url: url, format: "hls",
      options: [
        ("protocol_whitelist", MediaReader.protocols), ("format_whitelist", SegmentSource.formats),
        // The proxy serves one request a connection.
        ("http_persistent", "0"),
      ], source: source, subject: subject, interrupt: interrupt)
  }

  private init(
    url: String, format: String?, options: [(String, String)], input: StreamInput? = nil,
    source: SegmentSource? = nil, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    try Libav.load()
    self.subject = subject
    self.interrupt = interrupt
    self.input = input
    self.source = source
    let context = try Self.open(
      url, format: format, options: options + [("codec_whitelist", Self.codecs)], input: input,
      source: source, subject: subject, interrupt: interrupt)
    // IEC 61937 shows its stream only with the first packet.
    hasStreamInfo = context.pointee.nb_streams == 0
    if hasStreamInfo { _ = lav_avformat_find_stream_info(context, nil) }
    guard let best = Self.audioStream(context), let packet = lav_av_packet_alloc() else {
      var closing: UnsafeMutablePointer<AVFormatContext>? = context
      lav_avformat_close_input(&closing)
      throw MediaFailure(.unsupported, subject: subject, detail: "there is no sound in it")
    }
    self.context = context
    self.packet = packet
    stream = best
    // Cover pictures and the like are not even read.
    for index in 0..<Int(context.pointee.nb_streams) where index != Int(best) {
      context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
    }
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = packet
    lav_av_packet_free(&packet)
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    lav_avformat_close_input(&context)
  }

  private static func open(
    _ url: String, format: String?, options: [(String, String)], input: StreamInput?,
    source: SegmentSource?, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) -> UnsafeMutablePointer<AVFormatContext> {
    guard let context = lav_avformat_alloc_context() else {
      throw MediaFailure(code: LAV_NO_MEMORY, subject: subject, doing: "opening")
    }
    context.pointee.interrupt_callback = interrupt.callback
    context.pointee.pb = input?.context
    source?.attach(to: context)
    let known = format.flatMap { lav_av_find_input_format($0) }
    var dictionary = LibavDictionary(options.map { (key: $0.0, value: $0.1) })
    var result: UnsafeMutablePointer<AVFormatContext>? = context
    // On failure libav frees the context.
    let code = lav_avformat_open_input(&result, url, known, &dictionary.pointer)
    guard code >= 0, let result else {
      if interrupt.isOverdue {
        throw MediaFailure(.unreachable, subject: subject, detail: "no answer in time")
      }
      throw MediaFailure(code: code, subject: subject, doing: "opening")
    }
    return result
  }

  /// The first stream with sound. libav's own choice needs seconds of reading ahead in MP3.
  private static func audioStream(_ context: UnsafeMutablePointer<AVFormatContext>) -> Int32? {
    for index in 0..<Int(context.pointee.nb_streams) {
      let parameters = context.pointee.streams[index]?.pointee.codecpar
      if parameters?.pointee.codec_type == AVMEDIA_TYPE_AUDIO { return Int32(index) }
    }
    return nil
  }

  /// libav's information about the audio stream; valid while `self` lives.
  var information: UnsafeMutablePointer<AVStream>? { context.pointee.streams[Int(stream)] }

  /// Whether the file has a moving picture, and not just a cover.
  var hasPicture: Bool {
    (0..<Int(context.pointee.nb_streams)).contains { index in
      guard let stream = context.pointee.streams[index] else { return false }
      return stream.pointee.codecpar?.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
    }
  }

  /// The unit of the stream's time stamps, in seconds.
  var timeBase: AVRational { information?.pointee.time_base ?? AVRational(num: 1, den: 1) }

  /// libav's name for the container: "flac", "mp3", "ogg" …
  var containerName: String {
    context.pointee.iformat?.pointee.name.map { String(cString: $0) } ?? ""
  }

  /// The tags of the file and of the stream (Ogg keeps them there).
  var tags: Tags { Tags(context.pointee.metadata, information?.pointee.metadata) }

  /// Kind of sound: "flac", "mp3", "vorbis", "opus", "aac", "dsd" …; "wav", "aiff" … for plain samples.
  var kind: String {
    guard let parameters = information?.pointee.codecpar,
      let name = lav_avcodec_find_decoder(parameters.pointee.codec_id)?.pointee.name
    else { return containerName }
    let codec = String(cString: name)
    if codec.hasPrefix("dsd_") { return "dsd" }
    if codec == "dca" { return "dts" }
    // Containers that hold anything have names of several words.
    if codec.hasPrefix("pcm_") { return containerName.contains(",") ? "pcm" : containerName }
    return codec.hasSuffix("float") ? String(codec.dropLast("float".count)) : codec
  }

  /// The number of channels; nil if only the packets state it (see ``findStreamInfo()``).
  var channels: Int? {
    let count = information?.pointee.codecpar?.pointee.ch_layout.nb_channels ?? 0
    return count > 0 ? Int(count) : nil
  }

  /// The size of the file; 0 for a station.
  var byteCount: Int64 { context.pointee.pb.map { max(0, lav_avio_size($0)) } ?? 0 }

  /// The length in seconds; nil if libav only guesses it from the bit rate, and for a station.
  var duration: Double? {
    if let seconds = headerDuration { return seconds }
    guard context.pointee.duration > 0,
      context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
    else { return nil }
    let seconds = Double(context.pointee.duration) / Double(LAV_TIME_BASE)
    // Windows Media and Matroska state the time of the end; a recording may begin at any time.
    let start = Double(firstTime ?? 0) * Double(timeBase.num) / Double(timeBase.den)
    return start > 0 && start < seconds ? seconds - start : seconds
  }

  /// The length in seconds as the header states it.
  var headerDuration: Double? {
    guard let information, information.pointee.duration > 0 else { return nil }
    let base = information.pointee.time_base
    let count = information.pointee.duration - startOfDuration(of: information)
    return Double(max(1, count)) * Double(base.num) / Double(base.den)
  }

  /// Returns the time from which libav counts the stream's length, in units of ``timeBase``: a recording may begin at
  /// any
  /// time.
  private func startOfDuration(of information: UnsafePointer<AVStream>) -> Int64 {
    if information.pointee.codecpar?.pointee.codec_id == AV_CODEC_ID_OPUS {
      // The frames in front that the decoder skips count as well.
      let skipped = Int64(information.pointee.codecpar?.pointee.initial_padding ?? 0)
      let start = containerName == "ogg" ? information.pointee.start_time : 0
      return skipped + (start == LAV_NO_TIME ? 0 : max(0, start))
    }
    // Windows Media states the time of the end.
    guard containerName == "asf", let firstTime, firstTime > 0 else { return 0 }
    return firstTime < information.pointee.duration ? firstTime : 0
  }

  /// Reads ahead to learn the length and rate that the header of bare MP3 and AAC does not state.
  func findStreamInfo() {
    // libav crashes in a second call if the first found nothing.
    guard !hasStreamInfo else { return }
    hasStreamInfo = true
    // A failure shows again, with a message, at the first read.
    _ = lav_avformat_find_stream_info(context, nil)
  }

  /// What libav has reported about the end of the data; nil while it has reported nothing.
  private(set) var endProblem: String?

  /// Reads the audio stream's next packet into ``packet``; false at the end.
  func read() throws(MediaFailure) -> Bool {
    while true {
      lav_av_packet_unref(packet)
      let code = lav_av_read_frame(context, packet)
      if code >= 0 {
        guard packet.pointee.stream_index == stream else { continue }
        // libav got fewer bytes than the container states.
        let isShort = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
        endProblem = isShort ? "the last packet is incomplete" : nil
        if firstTime == nil, packet.pointee.pts != LAV_NO_TIME { firstTime = packet.pointee.pts }
        return true
      }
      if interrupt.isCancelled {
        throw MediaFailure(.cancelled, subject: subject, detail: "reading was cancelled")
      }
      // After a broken read libav first returns the data left from it, then the error. By then the
      // deadline may be a new one, so the error code counts as well.
      if code == LAV_EXIT || interrupt.isOverdue {
        throw MediaFailure(.unreachable, subject: subject, detail: "no data in time")
      }
      if code == LAV_AGAIN { continue }
      // libav often finds nothing behind damaged data: treat it as the end.
      if code == LAV_IO, input == nil {
        throw MediaFailure(
          .corrupt, subject: subject,
          detail: "reading failed: the file is cut off or damaged, or its disk is",
          hint: "Copy it again from its source.")
      }
      if code == LAV_INVALID_DATA { endProblem = Libav.describe(code) }
      if code == LAV_EOF || code == LAV_INVALID_DATA { return false }
      throw MediaFailure(code: code, subject: subject, doing: "reading")
    }
  }

  /// Goes to the packet at or before `timestamp`, in units of ``timeBase``; false if libav cannot.
  func seek(to timestamp: Int64) -> Bool {
    lav_av_packet_unref(packet)
    return lav_av_seek_frame(context, stream, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
  }
}

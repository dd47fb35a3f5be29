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
  /// The codecs that are decoded, by libav's names.
  static let codecs =
    "flac,mp3float,mp3,mp2float,mp2,mp1float,mp1,vorbis,opus,aac,alac,wavpack,tta,wmav1,wmav2,"
    + "wmapro,wmalossless,ac3,eac3,dca,dsd_lsbf,dsd_msbf,dsd_lsbf_planar,dsd_msbf_planar,pcm_u8,"
    + "pcm_s8,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le,pcm_f64le,pcm_s16be,pcm_s24be,pcm_s32be,"
    + "pcm_f32be,pcm_f64be,pcm_mulaw,pcm_alaw"

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
    return Double(context.pointee.duration) / Double(LAV_TIME_BASE)
  }

  /// The length in seconds as the header states it.
  var headerDuration: Double? {
    guard let information, information.pointee.duration > 0 else { return nil }
    let base = information.pointee.time_base
    // Opus in Ogg counts the frames in front that its decoder skips.
    let isOpus = information.pointee.codecpar?.pointee.codec_id == AV_CODEC_ID_OPUS
    let left = isOpus ? Int64(information.pointee.codecpar?.pointee.initial_padding ?? 0) : 0
    return Double(max(1, information.pointee.duration - left)) * Double(base.num)
      / Double(base.den)
  }

  /// Reads ahead to learn the length and rate that the header of bare MP3 and AAC does not state.
  func findStreamInfo() {
    // libav crashes in a second call if the first found nothing.
    guard !hasStreamInfo else { return }
    hasStreamInfo = true
    // A failure shows again, with a message, at the first read.
    _ = lav_avformat_find_stream_info(context, nil)
  }

  /// Reads the audio stream's next packet into ``packet``; false at the end.
  func read() throws(MediaFailure) -> Bool {
    while true {
      lav_av_packet_unref(packet)
      let code = lav_av_read_frame(context, packet)
      if code >= 0 {
        if packet.pointee.stream_index == stream { return true }
        continue
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

import CLibav
import MediaFolders
import MediaNetwork

/// The sound of a file, in frames of PCM.
///
/// Belongs to one thread at a time.
protocol SoundTrack: AnyObject {
  /// The codec, or the container of plain samples.
  var kind: String { get }
  /// The format of the pending frames; changes only in ``next()``.
  var format: PCMFormat { get }
  /// The number of the next frame, counted from the track's start, in frames at ``format``'s rate.
  var position: Int64 { get }
  /// Packets that could not be decoded so far.
  var damagedPackets: Int { get }
  /// What libav has reported about the end of the data; nil while it has reported nothing.
  var endProblem: String? { get }

  /// Decodes until a frame is pending. Returns its format; nil at the end.
  func next() throws(MediaFailure) -> PCMFormat?
  /// Copies as many frames as fit into `buffer`, all of the format that ``next()`` returned. Returns their
  /// number; fewer than fit if the track ends or its format changes.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaFailure) -> Int
  /// Goes to exactly this frame, or to the end.
  func seek(to target: Int64) throws(MediaFailure)
}

extension AudioTrack: SoundTrack {
  var kind: String { demuxer.kind }
  var endProblem: String? {
    demuxer.endProblem ?? (isDamagedAtEnd ? "the last packet is damaged" : nil)
  }
}

/// A bitstream in the samples of another track, decoded a second time.
final class BitstreamTrack: SoundTrack {
  /// Seconds before the target of a seek at which decoding begins: more than any frame lasts.
  private static let preRoll = 0.5

  private let samples: SampleBytes
  private let subject: String
  private let interrupt: LibavInterrupt
  private let container: Container
  private var decoded: AudioTrack
  /// The number of the first frame of ``decoded``.
  private var start: Int64
  /// The position behind the last frame, after a seek there.
  private var end: Int64?

  /// Decodes the bitstream in the samples of `track`, which stands at its beginning.
  init(_ stream: Bitstream, in track: AudioTrack) throws(MediaFailure) {
    subject = track.demuxer.subject
    interrupt = track.demuxer.interrupt
    container = stream.container
    samples = SampleBytes(track, isSwapped: stream.isSwapped)
    (decoded, start) = try Self.open(container, in: samples, subject, interrupt)
  }

  var kind: String { decoded.kind }
  var format: PCMFormat { decoded.format }
  var position: Int64 { end ?? start + decoded.position }
  var damagedPackets: Int { decoded.damagedPackets }
  var endProblem: String? { samples.track.endProblem }

  func next() throws(MediaFailure) -> PCMFormat? {
    guard end == nil else { return nil }
    let format = try decoded.next()
    if let failure = samples.failure { throw failure }
    return format
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaFailure) -> Int {
    try decoded.read(into: buffer)
  }

  func seek(to target: Int64) throws(MediaFailure) {
    let target = max(0, target)
    let seconds = max(0, Double(target) / Double(format.rate) - Self.preRoll)
    try samples.track.seek(to: Int64(seconds * Double(samples.track.format.rate)))
    samples.clear()
    end = nil
    do throws(MediaFailure) {
      (decoded, start) = try Self.open(container, in: samples, subject, interrupt)
    } catch {
      // Behind the last frame.
      guard error.kind == .corrupt || error.kind == .unsupported else { throw error }
      end = target
      return
    }
    try skip(to: target)
  }

  /// Decodes up to a frame, without keeping the sound.
  private func skip(to target: Int64) throws(MediaFailure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
    defer { buffer.deallocate() }
    while position < target, let format = try next() {
      let count = min(Int(target - position) * format.frameSize, buffer.count)
      _ = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Begins to decode at the next frame of the bitstream. Returns the decoder and the number of its first frame.
  private static func open(
    _ container: Container, in samples: SampleBytes, _ subject: String, _ interrupt: LibavInterrupt
  ) throws(MediaFailure) -> (AudioTrack, Int64) {
    let begin = samples.track.position
    let offset = try samples.fill(upTo: container)
    let input = try StreamInput(subject: subject) { samples.read(into: $0, $1) }
    let demuxer = try Demuxer(
      bitstream: input, container: container, subject: subject, interrupt: interrupt)
    let decoded = try AudioTrack(demuxer)
    if let failure = samples.failure { throw failure }
    let seconds =
      (Double(begin) + Double(offset) / Double(samples.frameBytes)) / samples.rate
    return (decoded, Int64((seconds * Double(decoded.format.rate)).rounded()))
  }
}

extension Bitstream {
  /// The most silence in front of a bitstream that is searched, in seconds.
  private static let longestSilence = 30.0
  /// Bytes that are searched for a bitstream, and for the first sync word.
  private static let (searched, searchedFirst) = (196_608, 32_768)

  /// Finds a bitstream in the samples at the beginning of a track; nil if there is none. Reads from the track.
  init?(in track: AudioTrack) throws(MediaFailure) {
    guard track.format.sample != .float32 else { return nil }
    let samples = SampleBytes(track, isSwapped: false)
    let mostSilence = Int(Self.longestSilence * samples.rate) * samples.frameBytes
    var silence = 0
    var bytes: [UInt8] = []
    while bytes.count < Self.searched, silence < mostSilence, let more = try samples.next() {
      if bytes.isEmpty, more.allSatisfy({ $0 == 0 }) {
        silence += more.count
        continue
      }
      bytes += more
      guard bytes.count >= Self.searchedFirst else { continue }
      switch Self.search(bytes) {
      case .found(let found):
        self = found
        return
      case .possible: continue
      case nil: return nil
      }
    }
    guard let found = Bitstream(in: bytes) else { return nil }
    self = found
  }
}

/// The samples of a track as bytes: 16 bits of each, lowest byte first.
final class SampleBytes {
  let track: AudioTrack
  /// The failure of the track that ended the bytes.
  private(set) var failure: MediaFailure?
  private let isSwapped: Bool
  private var pending: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

  init(_ track: AudioTrack, isSwapped: Bool) {
    self.track = track
    self.isSwapped = isSwapped
  }

  deinit { buffer.deallocate() }

  /// Bytes of one frame of the track.
  var frameBytes: Int { 2 * track.format.channels }
  /// Frames of the track in a second.
  var rate: Double { Double(track.format.rate) }

  /// Drops what was read ahead.
  func clear() {
    pending = []
    failure = nil
  }

  /// Reads the next bytes; nil at the end.
  func next() throws(MediaFailure) -> [UInt8]? {
    guard let format = try track.next(), format.sample != .float32 else { return nil }
    let count = try track.read(into: buffer) * format.frameSize
    let bytes = Array(buffer[..<count])
    let words = format.sample == .int16 ? bytes : Self.upperHalves(bytes)
    return isSwapped ? Bitstream.swap(words) : words
  }

  /// Reads ahead up to the first frame of a bitstream, and drops what is before it. Returns the number of dropped
  /// bytes.
  func fill(upTo container: Container) throws(MediaFailure) -> Int {
    var dropped = 0
    // Silence may stand in front, and a frame is at most 64 KiB long.
    while pending.count < 262_144 {
      guard let more = try next() else { break }
      if pending.isEmpty, more.allSatisfy({ $0 == 0 }) {
        dropped += more.count
        continue
      }
      pending += more
      if let found = Bitstream(in: pending), found.container == container {
        pending.removeFirst(found.offset)
        return dropped + found.offset
      }
    }
    return dropped
  }

  /// Copies bytes for libav. Returns their number, or libav's code for the end or a failure.
  func read(into target: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    do throws(MediaFailure) {
      if pending.isEmpty {
        guard let more = try next() else { return LAV_EOF }
        pending = more
      }
    } catch {
      failure = error
      return LAV_EXIT
    }
    let count = min(size, pending.count)
    pending.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { target.update(from: base, count: count) }
    }
    pending.removeFirst(count)
    return Int32(count)
  }

  /// The upper 16 bits of samples of 32 bits.
  private static func upperHalves(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count - 3, by: 4).flatMap { bytes[($0 + 2)..<($0 + 4)] }
  }
}

import Devices
import MediaFolders
import MediaNetwork

/// An open music file as a sequence of PCM frames, from its first part to its last.
///
/// Almost every file has one part; a chained Ogg file has one for each link, and they join without a
/// gap. Belongs to one thread at a time.
final class AudioFile {
  /// Ends blocking calls.
  let interrupt: LibavInterrupt
  /// The length in seconds; nil if it is unknown.
  let duration: Double?
  private let path: String
  private let subject: String
  private let content: FileContent
  /// Where each part begins, in seconds.
  private let starts: [Double]
  private var index: Int
  /// The bitstream in the file's samples; nil if they are samples.
  private let stream: Bitstream?
  private var track: any SoundTrack

  /// Opens a local file up to its first frame. `subject` names it in messages.
  convenience init(
    path: String, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    try self.init(
      path: path, subject: subject, content: FileContent(path: path, interrupt: interrupt),
      interrupt: interrupt)
  }

  /// Opens a local file that was examined.
  init(
    path: String, subject: String, content: FileContent, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    self.path = path
    self.subject = subject
    self.interrupt = interrupt
    self.content = content
    let demuxer = try content.open(0, of: path, subject: subject, interrupt: interrupt)
    let first = try AudioTrack(demuxer)
    let seconds = content.durations(demuxer, of: path, subject: subject, interrupt: interrupt)
    starts = seconds.indices.map { seconds[..<$0].reduce(0) { $0 + ($1 ?? 0) } }
    duration = FileContent.sum(seconds).flatMap(FileContent.plausible)
    index = 0
    guard first.format.sample != .float32 else {
      stream = nil
      track = first
      return
    }
    // The search reads samples, so the track is opened again after it.
    let found = try Bitstream(in: first)
    stream = found
    track = try content.track(0, found, of: path, subject: subject, interrupt: interrupt)
  }

  /// The codec, or the container of plain samples.
  var kind: String { track.kind }

  /// The format of the pending frames; changes only in ``next()``.
  var format: PCMFormat { track.format }

  /// The number of the next frame, counted from the file's start, in frames at ``format``'s rate.
  var position: Int64 { start(of: index) + track.position }

  /// Packets of the current part that could not be decoded so far.
  var damagedPackets: Int { track.damagedPackets }

  /// Decodes until a frame is pending. Returns its format; nil at the end.
  func next() throws(MediaFailure) -> PCMFormat? {
    while true {
      if let format = try track.next() { return format }
      guard try open(after: index) else { return nil }
    }
  }

  /// Copies as many frames as fit into `buffer`, all of the format that ``next()`` returned. Returns their
  /// number, at least 1 before the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaFailure) -> Int {
    try track.read(into: buffer)
  }

  /// Goes to exactly this frame, counted at ``format``'s rate, or to the end.
  func seek(to target: Int64) throws(MediaFailure) {
    let seconds = Double(max(0, target)) / Double(format.rate)
    // Rounding may put a part's first frame slightly before its start.
    let part = starts.lastIndex { $0 <= seconds + 0.5 / Double(format.rate) } ?? 0
    if part != index {
      track = try content.track(part, stream, of: path, subject: subject, interrupt: interrupt)
      index = part
      let frame = ((seconds - starts[part]) * Double(format.rate)).rounded()
      return try track.seek(to: Int64(frame))
    }
    try track.seek(to: target - start(of: part))
  }

  /// Returns why the sound has ended too early; nil at the end of a whole file.
  ///
  /// The bytes decide: a file that is shorter than its structure states is cut off, a whole one may state a
  /// wrong length. Where the structure tells nothing, the stated length counts.
  func earlyEnd() -> MediaFailure? {
    let seconds = Double(position) / Double(format.rate)
    // Of some containers libav measures the length by the bytes that are there.
    let isMeasured = content.container.map(Self.measured.contains) ?? false
    let stated = isMeasured ? nil : content.secondsBeforeCut ?? duration
    let missing = stated.map { $0 - seconds }
    if let missing, missing < Self.tolerance { return nil }
    guard isCut(missing: missing, of: stated) else { return nil }
    let place = "the file ends at \(Int(seconds)) s"
    return MediaFailure(
      .corrupt, subject: subject,
      detail: place + (stated.map { " of \(Int($0)) s" } ?? "") + ": it is cut off or damaged",
      hint: "Copy it again from its source.")
  }

  private static let measured: Set<Container> = [
    .ogg, .wav, .w64, .caf, .aiff, .au, .dsf, .dsdiff,
  ]
  /// The longest missing end in seconds that is no fault.
  private static let tolerance = 0.2

  private func isCut(missing: Double?, of stated: Double?) -> Bool {
    if content.secondsBeforeCut != nil { return true }
    guard let file = FileWindow(path, limit: 8 << 20) else { return track.endProblem != nil }
    // It was cut off while it played.
    if let size = content.size, file.size < size { return true }
    switch Completeness(file, content.container) {
    case .cut: return true
    case .whole: return false
    case .unknown:
      guard let missing, let stated, !content.isCounted else { return false }
      return track.endProblem != nil || missing > max(10, stated / 100)
    }
  }

  /// Begins the next part that can be opened; false after the last.
  private func open(after part: Int) throws(MediaFailure) -> Bool {
    for next in content.parts.indices.dropFirst(part + 1) {
      do throws(MediaFailure) {
        track = try content.track(next, stream, of: path, subject: subject, interrupt: interrupt)
        index = next
        return true
      } catch {
        guard [.corrupt, .unsupported].contains(error.kind) else { throw error }
      }
    }
    return false
  }

  /// Returns the first frame of a part, at the current rate.
  private func start(of part: Int) -> Int64 {
    Int64((starts[part] * Double(format.rate)).rounded())
  }
}

extension FileContent {
  /// Opens one of the parts. Reads ahead only if its header does not state the length, because then the duration of a
  /// packet is unknown, too.
  func open(
    _ part: Int, of path: String, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) -> Demuxer {
    let demuxer = try Demuxer(
      file: path, bytes: parts[part].bytes, container: container, subject: subject,
      interrupt: interrupt)
    if demuxer.headerDuration == nil { demuxer.findStreamInfo() }
    return demuxer
  }

  /// Opens one of the parts up to its first frame; with a bitstream, the samples hold it.
  func track(
    _ part: Int, _ stream: Bitstream?, of path: String, subject: String,
    interrupt: LibavInterrupt
  ) throws(MediaFailure) -> any SoundTrack {
    let track = try AudioTrack(open(part, of: path, subject: subject, interrupt: interrupt))
    guard let stream else { return track }
    return try BitstreamTrack(stream, in: track)
  }

  /// Returns the length of each part in seconds, nil if unknown. `first` is the first part, open.
  func durations(
    _ first: Demuxer, of path: String, subject: String, interrupt: LibavInterrupt
  ) -> [Double?] {
    lengths(first, of: path, subject: subject, interrupt: interrupt)
      .map { $0.flatMap(Self.plausible) }
  }

  /// Returns the length if it is credible; nil beyond 31 years, as from a damaged or hostile header.
  static func plausible(_ seconds: Double) -> Double? {
    Playback.secondsRange.contains(seconds) ? seconds : nil
  }

  private func lengths(
    _ first: Demuxer, of path: String, subject: String, interrupt: LibavInterrupt
  ) -> [Double?] {
    if isCounted { return parts.map(\.seconds) }
    return [first.duration]
      + parts.indices.dropFirst().map { part in
        let demuxer = try? open(part, of: path, subject: subject, interrupt: interrupt)
        // The first packet shows the time at which the part begins.
        _ = try? demuxer?.read()
        // A damaged link is skipped when its turn comes.
        return demuxer.map(\.duration) ?? 0
      }
  }

  /// Returns the whole length in seconds; nil if that of a part is unknown.
  static func sum(_ durations: [Double?]) -> Double? {
    durations.reduce(0) { sum, next in sum.flatMap { sum in next.map { sum + $0 } } }
  }

  /// Opens the file for its tags, which MP3 and AAC hold outside the sound.
  func openForTags(
    _ path: String, subject: String, interrupt: LibavInterrupt
  ) throws(MediaFailure) -> Demuxer {
    guard isCounted else {
      return try open(0, of: path, subject: subject, interrupt: interrupt)
    }
    do {
      return try Demuxer(
        file: path, container: container, subject: subject, interrupt: interrupt)
    } catch {
      // There is more garbage in front than libav skips.
      return try open(0, of: path, subject: subject, interrupt: interrupt)
    }
  }
}

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
  private var track: AudioTrack

  /// Opens a local file up to its first frame. `subject` names it in messages.
  init(path: String, subject: String, interrupt: LibavInterrupt) throws(MediaFailure) {
    self.path = path
    self.subject = subject
    self.interrupt = interrupt
    let content = FileContent(path: path, interrupt: interrupt)
    self.content = content
    let demuxer = try content.open(0, of: path, subject: subject, interrupt: interrupt)
    let seconds = content.durations(demuxer, of: path, subject: subject, interrupt: interrupt)
    starts = seconds.indices.map { seconds[..<$0].reduce(0) { $0 + ($1 ?? 0) } }
    duration = FileContent.sum(seconds).flatMap(FileContent.plausible)
    index = 0
    track = try AudioTrack(demuxer)
  }

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
      track = try AudioTrack(content.open(part, of: path, subject: subject, interrupt: interrupt))
      index = part
      let frame = ((seconds - starts[part]) * Double(format.rate)).rounded()
      return try track.seek(to: Int64(frame))
    }
    try track.seek(to: target - start(of: part))
  }

  /// Begins the next part that can be opened; false after the last.
  private func open(after part: Int) throws(MediaFailure) -> Bool {
    for next in content.parts.indices.dropFirst(part + 1) {
      do throws(MediaFailure) {
        track = try AudioTrack(content.open(next, of: path, subject: subject, interrupt: interrupt))
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

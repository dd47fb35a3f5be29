import MediaFolders
import MediaNetwork

/// One connection to a station. Belongs to one thread at a time.
final class RadioConnection {
  /// The default of how long a station may send nothing, in milliseconds.
  static let patience: UInt64 = 10_000

  private let patience: UInt64
  /// The sound of the stream.
  let track: AudioTrack
  /// The stream with its titles; nil for HLS, which has none.
  private let stream: StationStream?

  /// Connects, and decodes up to the first frame; gives up after `patience` milliseconds.
  init(
    _ station: Station, through proxy: MediaProxy, patience: UInt64, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    guard let configured = MediaAddress(station.url) else {
      throw MediaFailure(
        .unsupported, subject: station.name, detail: "its address is no http or https address",
        hint: "Check the station's \"url\".")
    }
    let access = proxy.access(to: configured)
    let opener = StreamOpener(
      through: access, subject: station.name, patience: patience, interrupt: interrupt)
    let (opened, address) = try opener.open(configured)
    switch opened {
    case .bytes(let reader, let beginning):
      self.patience = patience
      let stream = StationStream(reader, beginning: beginning)
      self.stream = stream
      track = try AudioTrack(
        Demuxer(stream: stream, subject: station.name, interrupt: interrupt))
    case .hls:
      // A live list may announce the next segment only when the one before is over.
      self.patience = 3 * patience
      stream = nil
      interrupt.setDeadline(milliseconds: patience)
      let source = SegmentSource(through: access, patience: patience)
      do throws(MediaFailure) {
        track = try AudioTrack(
          Demuxer(hls: address.url, source: source, subject: station.name, interrupt: interrupt))
      } catch {
        guard error.kind != .cancelled, let problem = access.takeProblem() else { throw error }
        throw MediaFailure(
          .unreachable, subject: station.name, detail: problem.detail, hint: problem.hint)
      }
    }
  }

  /// Copies the next frames into `buffer`, after a wait of at most the patience; nil at the end. See
  /// ``AudioTrack/read(into:)``.
  func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(MediaFailure) -> (format: PCMFormat, frames: Int)? {
    track.demuxer.interrupt.setDeadline(milliseconds: patience)
    guard let format = try track.next() else { return nil }
    return (format, try track.read(into: buffer))
  }

  /// Returns the title if it has changed since the last call; `.some(nil)` means that there is none now.
  func newTitle() -> String?? {
    guard let block = stream?.nextBlock() else { return nil }
    return .some(StationTitle.read(block))
  }
}

import MediaFolders

/// One connection to a station. Belongs to one thread at a time.
final class RadioConnection {
  /// The default of how long a station may send nothing, in milliseconds.
  static let patience: UInt64 = 10_000

  private let patience: UInt64
  /// The sound of the stream.
  let track: AudioTrack
  private let stream: StationStream
  private var lastBlock: [UInt8]?

  /// Connects, and decodes up to the first frame; gives up after `patience` milliseconds.
  init(_ station: Station, patience: UInt64, interrupt: LibavInterrupt) throws(MediaFailure) {
    self.patience = patience
    interrupt.setDeadline(milliseconds: patience)
    stream = try StationStream(
      url: station.url, subject: station.name, patience: patience, interrupt: interrupt)
    track = try AudioTrack(
      Demuxer(stream: stream, subject: station.name, interrupt: interrupt))
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
    guard let block = stream.block, block != lastBlock else { return nil }
    lastBlock = block
    return .some(StationTitle.read(block))
  }
}

/// One connection to a station.
final class RadioConnection {
  /// How long a station may be silent, in milliseconds, where nothing else is said.
  static let patience: UInt64 = 10_000

  private let patience: UInt64
  /// The stream as frames of sound.
  let track: AudioTrack
  private let stream: StationStream
  private var lastBlock: [UInt8]?

  /// Connects, and decodes up to the first frame; gives up after `patience` milliseconds.
  init(_ station: Station, patience: UInt64, interrupt: LibavInterrupt) throws(MediaFailure) {
    self.patience = patience
    interrupt.allow(milliseconds: patience)
    stream = try StationStream(
      url: station.url, subject: station.name, patience: patience, interrupt: interrupt)
    track = try AudioTrack(
      Demuxer(stream: stream, subject: station.name, interrupt: interrupt))
  }

  /// Copies the next frames, waiting for them at most as long as a station may be silent; see ``AudioTrack/take(into:)``.
  func take(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(MediaFailure) -> (format: PCMFormat, frames: Int)? {
    track.demuxer.interrupt.allow(milliseconds: patience)
    guard let format = try track.next() else { return nil }
    return (format, try track.take(into: buffer))
  }

  /// The title, if the station has told one since the last call: `.some(nil)` is "no title now".
  func newTitle() -> String?? {
    guard let block = stream.block, block != lastBlock else { return nil }
    lastBlock = block
    return .some(StationTitle.read(block))
  }
}

/// One connection to a station.
final class RadioConnection {
  /// How long a station may be silent, in milliseconds.
  static let patience: UInt64 = 10_000

  /// The stream as frames of sound.
  let track: AudioTrack
  private let stream: StationStream
  private var lastBlock: String?

  /// Connects, and decodes up to the first frame; gives up after ``patience``.
  init(_ station: Station, interrupt: Interrupt) throws(MediaFailure) {
    interrupt.allow(milliseconds: Self.patience)
    stream = try StationStream(
      url: station.url, subject: station.name, patience: Self.patience, interrupt: interrupt)
    track = try AudioTrack(
      Demuxer(stream: stream, subject: station.name, interrupt: interrupt))
  }

  /// Copies the next frames, waiting for them at most ``patience``; see ``AudioTrack/take(into:)``.
  func take(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(MediaFailure) -> (format: PCMFormat, frames: Int)? {
    track.demuxer.interrupt.allow(milliseconds: Self.patience)
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

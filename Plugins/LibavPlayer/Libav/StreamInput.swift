import CLibav
import MediaFolders

/// Bytes from a function in the form that libav reads, such as those of a ``StationStream``.
final class StreamInput {
  /// Copies at most this many bytes. Returns their number, or libav's code for the end or an error.
  typealias Reader = (UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32

  /// libav's context; freed with `self`, after the container that reads from it was closed.
  let context: UnsafeMutablePointer<AVIOContext>
  private let source: Source

  private final class Source {
    let read: Reader

    init(_ read: @escaping Reader) { self.read = read }
  }

  private static let size = 4_096

  convenience init(_ stream: StationStream, subject: String) throws(MediaFailure) {
    try self.init(subject: subject) { stream.read(into: $0, $1) }
  }

  init(subject: String, read: @escaping Reader) throws(MediaFailure) {
    let source = Source(read)
    let buffer = lav_av_malloc(Self.size)?.assumingMemoryBound(to: UInt8.self)
    let made = buffer.flatMap {
      lav_avio_alloc_context(
        $0, Int32(Self.size), 0, Unmanaged.passUnretained(source).toOpaque(),
        { source, buffer, size in
          guard let source, let buffer else { return LAV_IO }
          return Unmanaged<Source>.fromOpaque(source).takeUnretainedValue().read(buffer, Int(size))
        }, nil, nil)
    }
    guard let made else {
      lav_av_free(buffer)
      throw MediaFailure(code: LAV_NO_MEMORY, subject: subject, doing: "opening")
    }
    context = made
    self.source = source
  }

  deinit {
    // libav may have replaced the buffer.
    lav_av_free(context.pointee.buffer)
    var freed: UnsafeMutablePointer<AVIOContext>? = context
    lav_avio_context_free(&freed)
  }
}

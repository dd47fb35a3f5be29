import CLibav
import MediaFolders

/// A ``StationStream`` in the form that libav reads.
final class StreamInput {
  /// libav's context; freed with `self`, after the container that reads from it was closed.
  let context: UnsafeMutablePointer<AVIOContext>
  private let stream: StationStream

  private static let size = 4_096

  init(_ stream: StationStream, subject: String) throws(MediaFailure) {
    self.stream = stream
    let buffer = lav_av_malloc(Self.size)?.assumingMemoryBound(to: UInt8.self)
    let made = buffer.flatMap {
      lav_avio_alloc_context(
        $0, Int32(Self.size), 0, Unmanaged.passUnretained(stream).toOpaque(),
        { stream, buffer, size in
          guard let stream, let buffer else { return LAV_IO }
          let station = Unmanaged<StationStream>.fromOpaque(stream).takeUnretainedValue()
          return station.read(into: buffer, Int(size))
        }, nil, nil)
    }
    guard let made else {
      lav_av_free(buffer)
      throw MediaFailure(code: LAV_NO_MEMORY, subject: subject, doing: "opening")
    }
    context = made
  }

  deinit {
    // libav may have replaced the buffer.
    lav_av_free(context.pointee.buffer)
    var freed: UnsafeMutablePointer<AVIOContext>? = context
    lav_avio_context_free(&freed)
  }
}

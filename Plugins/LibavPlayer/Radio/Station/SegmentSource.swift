import CLibav
import MediaFolders
import MediaNetwork

/// The network for libav's HLS demuxer: every playlist, key and segment is requested through a ``NetworkAccess``.
final class SegmentSource {
  /// The containers that segments may have, and HLS itself, by libav's names.
  static let formats = "hls,mpegts,mov,aac,mp3,ac3,eac3,flac"

  private let options: [(key: String, value: String)]

  init(through access: NetworkAccess, patience: UInt64) {
    options = MediaReader.options(through: access, patience: patience)
  }

  /// Whether a list of segments may refer to an address. libav itself would open `tcp://…` as a list, and
  /// `httpproxy://…` as anything, neither through the proxy.
  static func isAllowed(_ url: String) -> Bool {
    let encrypted = "crypto+"
    let inner = url.hasPrefix(encrypted) ? url.dropFirst(encrypted.count) : url[...]
    return ["http://", "https://", "data:"].contains { inner.hasPrefix($0) }
  }

  /// Makes a container ask this source, which must live as long as the container.
  func attach(to context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = { context, input, url, flags, options in
      guard let context, let opaque = context.pointee.opaque, let url, let options else {
        return LAV_IO
      }
      guard SegmentSource.isAllowed(String(cString: url)) else { return LAV_IO }
      let source = Unmanaged<SegmentSource>.fromOpaque(opaque).takeUnretainedValue()
      for (key, value) in source.options { lav_av_dict_set(options, key, value, 0) }
      return lav_avio_open2(input, url, flags, &context.pointee.interrupt_callback, options)
    }
  }
}

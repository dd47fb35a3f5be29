import CLibav
import MediaFolders

/// The body of an answer that libav's HTTP client reads through a ``NetworkAccess``.
///
/// Belongs to one thread at a time.
package final class MediaReader {
  /// The protocols of libav that a medium from the network may use.
  package static let protocols = "http,https,tls,tcp,httpproxy,crypto,data"

  private var context: UnsafeMutablePointer<AVIOContext>
  private let interrupt: LibavInterrupt
  private let subject: String
  private let access: NetworkAccess

  /// Sends the request, follows redirects and reads the head of the answer.
  ///
  /// - Parameters:
  ///   - subject: The name in messages.
  ///   - patience: Milliseconds that the server may send nothing.
  ///   - range: The bytes to read; nil for all.
  package init(
    _ address: MediaAddress, through access: NetworkAccess, subject: String, patience: UInt64,
    range: Range<Int>? = nil, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    self.interrupt = interrupt
    self.subject = subject
    self.access = access
    if let problem = lav_load() {
      throw MediaFailure(
        .unavailable, subject: "", detail: String(cString: problem),
        hint: "Install FFmpeg's libraries: apt install libavformat59")
    }
    access.takeProblem()
    var options: OpaquePointer?
    defer { lav_av_dict_free(&options) }
    for (key, value) in Self.options(for: address, through: access, patience: patience) {
      lav_av_dict_set(&options, key, value, 0)
    }
    if let range {
      lav_av_dict_set(&options, "offset", "\(range.lowerBound)", 0)
      lav_av_dict_set(&options, "end_offset", "\(range.upperBound)", 0)
    }
    var callback = interrupt.callback
    var opened: UnsafeMutablePointer<AVIOContext>?
    let code = lav_avio_open2(&opened, address.url, AVIO_FLAG_READ, &callback, &options)
    guard code >= 0, let opened else {
      throw Self.failure(code, subject: subject, interrupt, access, doing: "connecting")
    }
    context = opened
  }

  deinit {
    var closing: UnsafeMutablePointer<AVIOContext>? = context
    lav_avio_closep(&closing)
  }

  /// Returns the options of libav's HTTP client.
  package static func options(
    through access: NetworkAccess, patience: UInt64
  ) -> [(key: String, value: String)] {
    [
      ("http_proxy", access.proxy), ("protocol_whitelist", protocols), ("tls_verify", "1"),
      ("user_agent", "HomeTheater/1.0"), ("rw_timeout", "\(patience * 1_000)"),
    ]
  }

  private static func options(
    for address: MediaAddress, through access: NetworkAccess, patience: UInt64
  ) -> [(key: String, value: String)] {
    // A stream has no other positions, and a server may refuse a request for a range.
    var list = options(through: access, patience: patience) + [("icy", "1"), ("seekable", "0")]
    // Old servers of stations do not ask for credentials, but refuse requests without them.
    if address.credentials != nil { list.append(("auth_type", "basic")) }
    return list
  }

  /// Reads the next bytes and waits for the first. Returns their number, or libav's code for the end or
  /// a failure.
  package func read(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    let count = lav_avio_read_partial(context, buffer, Int32(clamping: size))
    return count == 0 ? LAV_EOF : count
  }

  /// The address that was read in the end, behind all redirects.
  package var address: MediaAddress? { option("location").flatMap { MediaAddress($0) } }

  /// The type that the server names, such as `audio/mpeg`, in lower case.
  package var type: String { (option("mime_type") ?? "").lowercased() }

  /// The newest block of metadata in a station's sound, such as `StreamTitle='…';`; nil before the first one.
  package var block: [UInt8]? {
    withOption("icy_metadata_packet") { Array($0.prefix { $0 != 0 }) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the failure that a code means while something was done.
  package func failure(_ code: Int32, doing: String) -> MediaFailure {
    Self.failure(code, subject: subject, interrupt, access, doing: doing)
  }

  // MARK: Options and failures of libav

  private func option(_ name: String) -> String? {
    withOption(name) { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with the bytes of a text that libav's HTTP client offers; nil if it has none.
  private func withOption<Value>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value)
    -> Value?
  {
    var text: UnsafeMutablePointer<UInt8>?
    guard lav_av_opt_get(context, name, AV_OPT_SEARCH_CHILDREN, &text) >= 0, let text else {
      return nil
    }
    defer { lav_av_free(text) }
    let length = text.withMemoryRebound(to: CChar.self, capacity: 1) { strnlen($0, 16_384) }
    return body(UnsafeBufferPointer(start: text, count: length))
  }

  private static func failure(
    _ code: Int32, subject: String, _ interrupt: LibavInterrupt, _ access: NetworkAccess,
    doing: String
  ) -> MediaFailure {
    if interrupt.isCancelled {
      return MediaFailure(.cancelled, subject: subject, detail: "\(doing) was cancelled")
    }
    if let problem = access.takeProblem() {
      return MediaFailure(
        .unreachable, subject: subject, detail: problem.detail, hint: problem.hint)
    }
    if interrupt.isOverdue {
      return MediaFailure(.unreachable, subject: subject, detail: "no answer in time")
    }
    if code == LAV_EOF || code == LAV_IO {
      return MediaFailure(
        .unreachable, subject: subject, detail: "\(doing) failed: the connection broke off")
    }
    var text = [CChar](repeating: 0, count: 128)
    let known = lav_av_strerror(code, &text, text.count) == 0
    return MediaFailure(
      .unreachable, subject: subject,
      detail: "\(doing) failed: \(known ? MediaText.line(text) : "error \(code)")")
  }
}

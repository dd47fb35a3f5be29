import CLibav
import MediaFolders

/// A connection to a station's server through libav's TCP or TLS, which ask an ``LibavInterrupt`` while
/// they wait.
final class StationSocket {
  private var context: UnsafeMutablePointer<AVIOContext>
  private let subject: String
  private let interrupt: LibavInterrupt

  /// Connects.
  ///
  /// - Parameters:
  ///   - isTrusted: Whether the configuration names this server; any other must have a public address.
  ///   - patience: Milliseconds that it may send nothing.
  init(
    _ address: StationAddress, isTrusted: Bool, subject: String, patience: UInt64,
    interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    self.subject = subject
    self.interrupt = interrupt
    let hosts = try Self.hosts(of: address, isTrusted: isTrusted, subject: subject)
    var options = [
      (key: "protocol_whitelist", value: address.isSecure ? "tls,tcp" : "tcp"),
      (key: "rw_timeout", value: "\(patience * 1_000)"),
    ]
    if address.isSecure { options.append((key: "tls_verify", value: "1")) }
    var failure = MediaFailure(.unreachable, subject: subject, detail: "its server is not known")
    for host in hosts {
      let place = address.authority(of: host, always: true)
      var dictionary = LibavDictionary(options)
      var callback = interrupt.callback
      var opened: UnsafeMutablePointer<AVIOContext>?
      let code = lav_avio_open2(
        &opened, (address.isSecure ? "tls://" : "tcp://") + place, AVIO_FLAG_READ_WRITE, &callback,
        &dictionary.pointer)
      if code >= 0, let opened {
        context = opened
        return
      }
      failure = Self.failure(code, subject: subject, interrupt, doing: "connecting")
      if failure.kind == .cancelled { break }
    }
    throw failure
  }

  deinit {
    var closing: UnsafeMutablePointer<AVIOContext>? = context
    lav_avio_closep(&closing)
  }

  /// Returns the hosts to connect to. The server of a redirect is resolved here and reached at the
  /// checked addresses alone; over TLS by its name, which its certificate has to prove.
  private static func hosts(
    of address: StationAddress, isTrusted: Bool, subject: String
  ) throws(MediaFailure) -> [String] {
    if isTrusted { return [address.host] }
    let addresses = NetworkAddress.all(of: address.host)
    guard !addresses.isEmpty else {
      throw MediaFailure(
        .unreachable, subject: subject, detail: "it leads to a server that is not known",
        hint: "Check the network.")
    }
    guard addresses.allSatisfy(\.isPublic) else {
      throw MediaFailure(
        .unreachable, subject: subject,
        detail: "its address leads into a private network (\(address.host)), which is not followed",
        hint: "If that is meant, give that address itself as the station's \"url\".")
    }
    return address.isSecure ? [address.host] : addresses.map(\.text)
  }

  // The functions of the context are called directly, because its buffer works in one direction alone.

  /// Sends all of a text.
  func write(_ text: String) throws(MediaFailure) {
    var bytes = Array(text.utf8)
    let code = context.pointee.write_packet?(context.pointee.opaque, &bytes, Int32(bytes.count))
    guard let code, code >= 0 else { throw failure(code ?? LAV_IO, doing: "asking") }
  }

  /// Reads the next bytes and waits for the first. Returns their number, or libav's code for the end or
  /// a failure.
  func read(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    let size = Int32(clamping: size)
    let count = context.pointee.read_packet?(context.pointee.opaque, buffer, size) ?? LAV_IO
    return count == 0 ? LAV_EOF : count
  }

  /// Returns the failure that a code means while something was done.
  func failure(_ code: Int32, doing: String) -> MediaFailure {
    Self.failure(code, subject: subject, interrupt, doing: doing)
  }

  private static func failure(
    _ code: Int32, subject: String, _ interrupt: LibavInterrupt, doing: String
  ) -> MediaFailure {
    if interrupt.isOverdue, !interrupt.isCancelled {
      return MediaFailure(.unreachable, subject: subject, detail: "no answer in time")
    }
    if code == LAV_EOF {
      return MediaFailure(
        .unreachable, subject: subject, detail: "\(doing) failed: the connection broke off")
    }
    let failure = MediaFailure(code: code, subject: subject, doing: doing)
    // libav's kinds of failures are those of files.
    return failure.kind == .cancelled
      ? failure
      : MediaFailure(.unreachable, subject: subject, detail: failure.detail)
  }
}

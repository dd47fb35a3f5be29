import CLibav
import MediaFolders

/// A station's stream: one HTTP request over libav's TCP and TLS, checked redirects, and the metadata
/// blocks taken out of the sound (ICY).
///
/// libav's HTTP client follows every redirect. The owner may configure an address of the local
/// network, but a station may not redirect there. Belongs to one thread at a time.
final class StationStream {
  /// The most redirects followed.
  static let mostRedirects = 5

  /// The station's last metadata block, `StreamTitle='…';`, without the trailing zeros.
  private(set) var block: [UInt8]?
  private let socket: StationSocket
  private let subject: String
  /// Bytes of the body that were read with the head.
  private var prefetched: ArraySlice<UInt8>
  /// Remaining bytes of the body; nil if the station does not state its length.
  private var remaining: Int?
  /// Bytes of sound between two metadata blocks, and those before the next; 0 without metadata.
  private let interval: Int
  private var untilBlock: Int

  /// Connects and reads the head of the response.
  ///
  /// - Parameters:
  ///   - url: The configured address; it may lie in the local network.
  ///   - patience: Milliseconds that the station may send nothing.
  init(
    url: String, subject: String, patience: UInt64, interrupt: LibavInterrupt
  ) throws(MediaFailure) {
    try Libav.load()
    guard let configured = StationAddress(url) else {
      throw MediaFailure(
        .unsupported, subject: subject, detail: "its address is no http or https address",
        hint: "Check the station's \"url\".")
    }
    var address = configured
    for _ in 0...Self.mostRedirects {
      let socket = try StationSocket(
        address, isTrusted: address.isSameServer(as: configured), subject: subject,
        patience: patience, interrupt: interrupt)
      try socket.write(Self.request(for: address, configured))
      let (head, prefetched) = try Self.readHead(socket, subject: subject)
      guard let location = head.location else {
        try head.requireStream(subject: subject)
        self.socket = socket
        self.subject = subject
        self.prefetched = prefetched
        remaining = head.length
        interval = head.interval
        untilBlock = head.interval
        return
      }
      guard let next = address.redirected(to: location) else {
        throw MediaFailure(
          .unreachable, subject: subject,
          detail: "its address leads to something that is neither http nor https",
          hint: "Give the address of the stream itself.")
      }
      address = next
    }
    throw MediaFailure(
      .unreachable, subject: subject,
      detail: "its address redirects more than \(Self.mostRedirects) times",
      hint: "Give the address of the stream itself.")
  }

  /// Reads sound. Returns the number of bytes, at least 1, or libav's code for the end or a failure.
  func read(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    var size = size
    if interval > 0 {
      if untilBlock == 0 {
        let code = readBlock()
        guard code >= 0 else { return code }
        untilBlock = interval
      }
      size = min(size, untilBlock)
    }
    let count = readBody(into: buffer, size)
    if count > 0, interval > 0 { untilBlock -= Int(count) }
    return count
  }

  /// Reads a block of metadata: its length in sixteens of bytes, then the text.
  private func readBlock() -> Int32 {
    var length: UInt8 = 0
    var code = readAll(into: &length, 1)
    guard code >= 0, length > 0 else { return code }
    var text = [UInt8](repeating: 0, count: Int(length) * 16)
    code = readAll(into: &text, text.count)
    guard code >= 0 else { return code }
    block = Array(text.prefix { $0 != 0 })
    return 0
  }

  private func readAll(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    var taken = 0
    while taken < size {
      let count = readBody(into: buffer + taken, size - taken)
      guard count > 0 else { return count }
      taken += Int(count)
    }
    return 0
  }

  /// Reads the body's next bytes.
  private func readBody(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    let size = min(size, remaining ?? size)
    guard size > 0 else { return LAV_EOF }
    var count = Int32(min(size, prefetched.count))
    if count > 0 {
      for (index, byte) in prefetched.prefix(Int(count)).enumerated() { buffer[index] = byte }
      prefetched = prefetched.dropFirst(Int(count))
    } else {
      count = socket.read(into: buffer, size)
    }
    if count > 0 { remaining = remaining.map { $0 - Int(count) } }
    return count
  }

  // MARK: Request and head

  private static func request(for address: StationAddress, _ configured: StationAddress) -> String {
    var lines = [
      "GET \(address.path) HTTP/1.0", "Host: \(address.authority(of: address.host))",
      "User-Agent: HomeTheater/1.0", "Accept: */*", "Icy-MetaData: 1", "Connection: close",
    ]
    // Credentials for one server are not sent to another.
    if let credentials = address.credentials, address.isSameServer(as: configured) {
      lines.append("Authorization: Basic \(base64(Array(credentials.utf8)))")
    }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private static func readHead(
    _ socket: StationSocket, subject: String
  ) throws(MediaFailure) -> (StationHead, prefetched: ArraySlice<UInt8>) {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < StationHead.longest {
      let count = chunk.withUnsafeMutableBufferPointer { chunk in
        chunk.baseAddress.map { socket.read(into: $0, chunk.count) } ?? LAV_EOF
      }
      guard count > 0 else { throw socket.failure(count, doing: "reading the answer") }
      bytes += chunk.prefix(Int(count))
      if let end = StationHead.end(in: bytes) {
        guard let head = StationHead(bytes[..<end]) else { break }
        return (head, bytes[end...])
      }
    }
    throw MediaFailure(
      .unreachable, subject: subject, detail: "its server does not speak HTTP",
      hint: "Check the station's \"url\".")
  }

  /// RFC 4648, section 4.
  private static func base64(_ bytes: [UInt8]) -> String {
    let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? symbols[number >> (18 - 6 * place) & 63] : "=")
      }
    }
    return text
  }
}

/// The current title of a station, from the metadata blocks in its stream.
enum StationTitle {
  /// Reads the title of `StreamTitle='Artist - Title';StreamUrl='…';`, at most ``MediaText/longestTag``
  /// bytes; nil for an empty one.
  ///
  /// Quotes inside a title are not escaped, so it ends at a quote that a semicolon follows. The block
  /// is searched as bytes: as a `String` a row of combining marks would cost seconds.
  static func read(_ block: [UInt8]) -> String? {
    let key = Array("StreamTitle='".utf8)
    guard let start = index(of: key, in: block[...]) else { return nil }
    let rest = block[(start + key.count)...]
    let quote = UInt8(ascii: "'")
    let end =
      index(of: [quote, UInt8(ascii: ";")], in: rest) ?? rest.lastIndex(of: quote) ?? rest.endIndex
    let title = MediaText.line(rest[..<end])
    return title.isEmpty ? nil : title
  }

  private static func index(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text) }
  }
}

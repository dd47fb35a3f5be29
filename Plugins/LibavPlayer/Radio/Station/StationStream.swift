import CLibav

/// A station's stream: one HTTP request over libav's TCP and TLS, redirects by our own rules, and
/// the titles taken out of the sound (ICY).
///
/// libav's HTTP client would follow a redirect wherever it leads. The owner may have put an address
/// of the own network into the configuration; a station may not send us there. Belongs to one thread
/// at a time.
final class StationStream {
  /// The most redirects followed.
  static let mostRedirects = 5

  /// The station's last title block, `StreamTitle='…';`, without the trailing zeros.
  private(set) var block: [UInt8]?
  private let socket: StationSocket
  private let subject: String
  /// Read behind the head already.
  private var early: ArraySlice<UInt8>
  /// Remaining bytes of the body; nil if the station does not state its length.
  private var left: Int?
  /// Bytes of sound between two titles, and those before the next; 0 without titles.
  private let interval: Int
  private var untilBlock: Int

  /// Connects and reads the head of the answer.
  ///
  /// - Parameters:
  ///   - url: As the configuration has it; it may lie in the own network.
  ///   - patience: How long the station may be silent, ms.
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
      let (head, early) = try Self.readHead(socket, subject: subject)
      guard let location = head.location else {
        try head.check(subject: subject)
        self.socket = socket
        self.subject = subject
        self.early = early
        left = head.length
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
      detail: "its address leads on and on (more than \(Self.mostRedirects) times)",
      hint: "Give the address of the stream itself.")
  }

  /// Reads sound; answers how many bytes, at least one, or libav's code for the end or a failure.
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
    let count = take(into: buffer, size)
    if count > 0, interval > 0 { untilBlock -= Int(count) }
    return count
  }

  /// Reads a block of metadata: its length in sixteens of bytes, then the text.
  private func readBlock() -> Int32 {
    var length: UInt8 = 0
    var code = takeAll(into: &length, 1)
    guard code >= 0, length > 0 else { return code }
    var text = [UInt8](repeating: 0, count: Int(length) * 16)
    code = takeAll(into: &text, text.count)
    guard code >= 0 else { return code }
    block = Array(text.prefix { $0 != 0 })
    return 0
  }

  private func takeAll(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    var taken = 0
    while taken < size {
      let count = take(into: buffer + taken, size - taken)
      guard count > 0 else { return count }
      taken += Int(count)
    }
    return 0
  }

  /// The body's next bytes.
  private func take(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    let size = min(size, left ?? size)
    guard size > 0 else { return LAV_EOF }
    var count = Int32(min(size, early.count))
    if count > 0 {
      for (index, byte) in early.prefix(Int(count)).enumerated() { buffer[index] = byte }
      early = early.dropFirst(Int(count))
    } else {
      count = socket.read(into: buffer, size)
    }
    if count > 0 { left = left.map { $0 - Int(count) } }
    return count
  }

  // MARK: Request and head

  private static func request(for address: StationAddress, _ configured: StationAddress) -> String {
    var lines = [
      "GET \(address.path) HTTP/1.0", "Host: \(address.authority(of: address.host))",
      "User-Agent: HomeTheater/1.0", "Accept: */*", "Icy-MetaData: 1", "Connection: close",
    ]
    // What the owner gave for one server is not handed to another.
    if let credentials = address.credentials, address.isSameServer(as: configured) {
      lines.append("Authorization: Basic \(base64(Array(credentials.utf8)))")
    }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private static func readHead(
    _ socket: StationSocket, subject: String
  ) throws(MediaFailure) -> (StationHead, early: ArraySlice<UInt8>) {
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

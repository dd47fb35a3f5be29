import CLibav
import Glibc
import MediaFolders

/// A request for a list of segments, or for a part of it, that the proxy answers with what it has read by itself.
///
/// Redirects are followed, and TLS and encodings of the answer removed here, so the program sees nothing but checked
/// lists and plain bytes.
struct SegmentRelay {
  let client: Int32
  let access: NetworkAccess
  let limits: ProxyLimits

  /// Milliseconds that a server may send nothing.
  private static let patience: UInt64 = 20_000
  private static let size = 65_536

  /// Serves a request. Returns what was wrong if nothing was sent.
  func serve(_ relayed: MediaAddress, range text: String?) -> String? {
    var range: Range<Int>?
    if let text, text != "bytes=0-" {
      guard let wanted = Self.range(text) else { return "the range is not supported" }
      range = wanted
    }
    let address = access.authorized(SegmentList.original(of: relayed))
    do throws(MediaFailure) {
      let reader = try MediaReader(
        address, through: access, subject: "", patience: Self.patience, range: range,
        interrupt: LibavInterrupt())
      ProxySocket.setBlocking(client, true)
      var time = timeval(tv_sec: Int(limits.pause) / 1_000, tv_usec: 0)
      setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      return try serve(reader, at: reader.address ?? address, range: range)
    } catch {
      return error.message
    }
  }

  private func serve(
    _ reader: MediaReader, at address: MediaAddress, range: Range<Int>?
  ) throws(MediaFailure) -> String? {
    var bytes: [UInt8] = []
    // Enough to tell a list from anything else.
    var isOpen = true
    while isOpen, bytes.count < SegmentList.mark.count { isOpen = try read(reader, &bytes) }
    if SegmentList.begins(bytes) {
      while isOpen, bytes.count <= SegmentList.longest { isOpen = try read(reader, &bytes) }
      guard bytes.count <= SegmentList.longest else { return "its list of segments is too long" }
      do throws(NetworkAccess.Problem) {
        bytes = try SegmentList.relayed(bytes, at: address)
      } catch {
        access.record(error)
        return error.detail
      }
      if send(Self.head(range)) { _ = send(bytes) }
      return nil
    }
    // libav skips tags (ID3) and would read a list behind them.
    guard !SegmentList.begins(within: bytes) else { return "a list of segments is hidden in it" }
    guard send(Self.head(range)), send(bytes) else { return nil }
    var last = bytes.suffix(SegmentList.mark.count - 1)
    while isOpen {
      bytes = []
      do throws(MediaFailure) {
        isOpen = try read(reader, &bytes)
      } catch {
        // The end of the connection would be that of the segment.
        ProxySocket.resetAtClose(client)
        return nil
      }
      let both = last + bytes
      guard !SegmentList.begins(within: Array(both)) else {
        ProxySocket.resetAtClose(client)
        return nil
      }
      guard send(bytes) else { return nil }
      last = both.suffix(SegmentList.mark.count - 1)
    }
    return nil
  }

  /// Reads the next bytes. Returns false at the end.
  private func read(_ reader: MediaReader, _ bytes: inout [UInt8]) throws(MediaFailure) -> Bool {
    var code: Int32 = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
      code = buffer.baseAddress.map { reader.read(into: $0, Self.size) } ?? LAV_EOF
      count = max(0, Int(code))
    }
    if code == LAV_EOF { return false }
    guard code > 0 else { throw reader.failure(code, doing: "reading the answer") }
    bytes += chunk
    return true
  }

  private static func head(_ range: Range<Int>?) -> [UInt8] {
    // libav compares the first position only, and ends at the last one.
    let part = range.map {
      "Content-Range: bytes \($0.lowerBound)-\($0.upperBound - 1)/\($0.upperBound)\r\n"
    }
    let status = range == nil ? "200 OK" : "206 Partial Content"
    return Array("HTTP/1.1 \(status)\r\n\(part ?? "")Connection: close\r\n\r\n".utf8)
  }

  /// Reads `bytes=FIRST-LAST`.
  static func range(_ text: String) -> Range<Int>? {
    let unit = "bytes="
    guard text.hasPrefix(unit) else { return nil }
    let ends = text.dropFirst(unit.count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), first >= 0,
      last >= first, last < Int.max
    else { return nil }
    return first..<(last + 1)
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

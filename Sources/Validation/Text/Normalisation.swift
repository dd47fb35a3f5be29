import CUTF8Proc
import Glibc
import JSON

extension String {
  /// This text in Unicode's form NFKC (UAX #15), by libutf8proc.
  ///
  /// Not by Foundation, which orders marks wrongly and maps some letters beyond the first plane to
  /// others, so that two passwords would be equal. A text that is not stream-safe is returned unchanged:
  /// normalising a long row of marks takes quadratic time.
  package var normalisedNFKC: String { normalised(UTF8PROC_COMPAT) }

  /// This text in Unicode's form NFC; unchanged when it is not stream-safe.
  package var normalisedNFC: String { normalised(utf8proc_option_t(0)) }

  private func normalised(_ compatibility: utf8proc_option_t) -> String {
    if utf8.allSatisfy({ $0 < 0x80 }) || !isStreamSafe { return self }
    let options = utf8proc_option_t(
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | compatibility.rawValue)
    var bytes = Array(utf8)
    var result: UnsafeMutablePointer<UInt8>?
    let count = utf8proc_map(&bytes, bytes.count, &result, options)
    defer { free(result) }
    // Fails only without memory or for invalid UTF-8, and a String is valid UTF-8.
    guard let result, count >= 0 else { return self }
    return String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
  }
}

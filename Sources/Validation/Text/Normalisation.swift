import CUTF8Proc
import Glibc
import JSON

extension String {
  /// This text in Unicode's form NFKC (UAX #15), by libutf8proc.
  ///
  /// Foundation's own form is not that: it puts marks in the wrong order, and takes a letter beyond
  /// the first plane that has marks for one of the first, so that two passwords would be one. A text
  /// that is not stream-safe is returned as it is: putting a long row of marks in order costs the
  /// square of its length.
  package var normalisedNFKC: String { normalised(UTF8PROC_COMPAT) }

  /// This text in Unicode's form NFC; as it is where it is not stream-safe.
  package var normalisedNFC: String { normalised(utf8proc_option_t(0)) }

  private func normalised(_ compatibility: utf8proc_option_t) -> String {
    if utf8.allSatisfy({ $0 < 0x80 }) || !isStreamSafe { return self }
    let options = utf8proc_option_t(
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | compatibility.rawValue)
    var bytes = Array(utf8)
    var result: UnsafeMutablePointer<UInt8>?
    let count = utf8proc_map(&bytes, bytes.count, &result, options)
    defer { free(result) }
    // Fails only where there is no memory or no UTF-8, and a String is UTF-8.
    guard let result, count >= 0 else { return self }
    return String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
  }
}

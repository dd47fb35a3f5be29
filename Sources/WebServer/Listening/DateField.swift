import Glibc
import Synchronization

/// The `Date` field of answers (RFC 9110, section 6.6.1), formatted at most once a second and only for an
/// answer: an idle server has no timer for it.
final class DateField: Sendable {
  private let newest = Mutex((second: time_t.min, text: ""))

  /// The field's value now, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
  var value: String {
    let now = time(nil)
    return newest.withLock { newest in
      if newest.second != now { newest = (now, Self.text(of: now)) }
      return newest.text
    }
  }

  /// Returns the value for `second`, in seconds since 1970.
  static func text(of second: time_t) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    // The program never sets a locale, so the names are English.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      let count = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}

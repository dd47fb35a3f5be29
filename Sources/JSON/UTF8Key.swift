import Glibc

/// A text that is compared and hashed by its bytes in UTF-8: a key of an object, an id.
///
/// `String` compares by canonical equivalence, so "é" equals "e" with a combining accent. Two keys are
/// different as soon as their bytes differ (RFC 8259, section 8.3), and comparing bytes costs the same
/// for every text.
public struct UTF8Key: Hashable, Sendable {
  /// The text itself.
  public let text: String

  /// A key with the bytes of `text`; nothing is normalised.
  public init(_ text: String) { self.text = text }

  public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether both texts have the same bytes in UTF-8.
  public func hasSameBytes(as other: String) -> Bool {
    // The length is known without reading the text, and differs for most pairs of keys.
    guard utf8.count == other.utf8.count else { return false }
    var (left, right) = (self, other)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let one = left.baseAddress, let two = right.baseAddress else { return true }
        return memcmp(one, two, left.count) == 0
      }
    }
  }
}

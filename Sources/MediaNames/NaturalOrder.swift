import JSON

/// The order in which people sort names: accents, case and punctuation do not count, and 2 comes before 10.
package enum NaturalOrder {
  /// Returns whether `first` comes before `second`. Names that differ only in what does not count are ordered as
  /// strings.
  package static func precedes(_ first: String, _ second: String) -> Bool {
    Key(first) < Key(second)
  }

  /// Returns whether one path comes before another: folder by folder, each in the order of names.
  package static func precedes(path first: String, _ second: String) -> Bool {
    PathKey(first) < PathKey(second)
  }

  /// A name, prepared for many comparisons.
  package struct Key: Comparable, Sendable {
    /// The name's key, in which a number is a digit sign, its length and its digits, so that bytes compare by value.
    fileprivate let bytes: [UInt8]
    private let text: String

    package init(_ text: String) {
      self.text = text
      bytes = Self.encode(text.titleKey[...])
    }

    package static func < (first: Key, second: Key) -> Bool {
      if first.bytes != second.bytes { return first.bytes.lexicographicallyPrecedes(second.bytes) }
      return first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
    }

    package static func == (first: Key, second: Key) -> Bool {
      first.text.hasSameBytes(as: second.text)
    }

    private static func encode(_ key: ArraySlice<UInt8>) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(key.count + 4)
      var rest = key
      while let first = rest.first {
        guard isDigit(first) else {
          bytes.append(first)
          rest.removeFirst()
          continue
        }
        let run = rest.prefix(while: isDigit)
        let number = run.drop { $0 == UInt8(ascii: "0") }
        // The sign of a digit comes after a space and before every letter.
        bytes.append(UInt8(ascii: "0"))
        bytes.append(UInt8(clamping: number.count / 256))
        bytes.append(UInt8(truncatingIfNeeded: number.count))
        bytes.append(contentsOf: number)
        rest.removeFirst(run.count)
      }
      return bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
  }

  /// A path, prepared for many comparisons.
  package struct PathKey: Comparable, Sendable {
    private let keys: [Key]
    private let path: String

    package init(_ path: String) {
      self.path = path
      keys = path.split(separator: "/").map { Key(String($0)) }
    }

    package static func < (first: PathKey, second: PathKey) -> Bool {
      for (one, other) in zip(first.keys, second.keys) where one.bytes != other.bytes {
        return one < other
      }
      if first.keys.count != second.keys.count { return first.keys.count < second.keys.count }
      return first.path.utf8.lexicographicallyPrecedes(second.path.utf8)
    }

    package static func == (first: PathKey, second: PathKey) -> Bool {
      first.path.hasSameBytes(as: second.path)
    }
  }
}

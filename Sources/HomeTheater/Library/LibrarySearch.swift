import CUTF8Proc
import Devices
import Glibc
import JSON

/// The folded texts of a list of entries, one after the other, for searching while a person types.
struct SearchIndex: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each entry's text in `bytes`.
  private var ends: [Int] = []

  init(_ entries: [Catalogue.Entry] = []) {
    ends.reserveCapacity(entries.count)
    for entry in entries {
      for text in [entry.item.title, entry.item.artist, entry.item.album].compactMap(\.self) {
        bytes.append(contentsOf: text.foldedForSearch)
        bytes.append(Self.separator)
      }
      ends.append(bytes.count)
    }
  }

  /// Separates two texts; no word contains it.
  private static let separator = UInt8(ascii: "\n")

  /// Returns the indices of the entries that contain every word of `text` in their title, artist or
  /// album, regardless of case and accents.
  func indices(matching text: String) -> [Int] {
    let words = text.foldedForSearch.split { $0 <= UInt8(ascii: " ") }.map(Array.init)
      .sorted { $0.count > $1.count }
    guard let first = words.first else { return Array(ends.indices) }
    return bytes.withUnsafeBufferPointer { bytes in
      var found: [Int] = []
      var index = 0
      var start = 0
      while let hit = bytes.firstOffset(of: first, in: start..<bytes.count) {
        while ends[index] <= hit { index += 1 }
        let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
        let hasAll = words.dropFirst().allSatisfy { bytes.firstOffset(of: $0, in: range) != nil }
        if hasAll { found.append(index) }
        start = range.upperBound
      }
      return found
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the first offset of `part`, which is not empty, within `range`.
  fileprivate func firstOffset(of part: [UInt8], in range: Range<Int>) -> Int? {
    guard let base = baseAddress, let first = part.first else { return nil }
    var start = range.lowerBound
    while start + part.count <= range.upperBound {
      guard
        let hit = memchr(base + start, Int32(first), range.upperBound - part.count + 1 - start)
      else { return nil }
      let offset = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
      if memcmp(hit, part, part.count) == 0 { return offset }
      start = offset + 1
    }
    return nil
  }
}

extension String {
  /// The text without case and accents, in UTF-8: "Amélie" and "AMELIE" become the same.
  fileprivate var foldedForSearch: [UInt8] {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    // Normalising a long sequence of combining marks takes quadratic time.
    guard isStreamSafe else { return Array(lowercased().utf8) }
    let options = utf8proc_option_t(
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_DECOMPOSE.rawValue
        | UTF8PROC_CASEFOLD.rawValue | UTF8PROC_STRIPMARK.rawValue)
    var bytes = Array(utf8)
    var result: UnsafeMutablePointer<UInt8>?
    let count = utf8proc_map(&bytes, bytes.count, &result, options)
    defer { free(result) }
    // Fails only without memory or for invalid UTF-8, and a String is valid UTF-8.
    guard let result, count >= 0 else { return bytes }
    return Array(UnsafeBufferPointer(start: result, count: count))
  }
}

/// One page of a list of the library.
package struct LibraryPage: Sendable {
  /// An entry with the user's saved position in seconds.
  package struct Element: Sendable {
    package let entry: Catalogue.Entry
    /// The user's saved position in seconds; `nil` without one.
    package let position: Double?
  }
  /// The entries of this page, in the order of the list.
  package let elements: [Element]
  /// The number of entries that match, on all pages.
  package let total: Int
}

/// The wanted part of a list of the library.
package struct LibraryQuery: Sendable {
  /// The words that must all occur in the title, artist or album; `nil` for all entries.
  package var search: String?
  /// The number of matching entries before the first wanted one.
  package var offset: Int
  /// The most entries; `nil` for all.
  package var limit: Int?

  package init(search: String? = nil, offset: Int = 0, limit: Int? = nil) {
    self.search = search
    self.offset = offset
    self.limit = limit
  }
}

import Devices
import Glibc
import JSON
import MediaNames

/// The folded texts of a list of entries, one after the other, for searching while a person types.
struct SearchIndex: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each entry's text in `bytes`.
  private var ends: [Int] = []

  /// - Parameter names: The names of the entries, in the order of the list.
  init(_ names: [TitleNames] = []) {
    ends.reserveCapacity(names.count)
    for entry in names {
      bytes.append(contentsOf: entry.searchText)
      // Separates two entries; no word contains it.
      bytes.append(UInt8(ascii: "\n"))
      ends.append(bytes.count)
    }
  }

  /// Returns the indices of the entries that contain every word of `text` in their title, artist or
  /// album, regardless of case and accents.
  func indices(matching text: String) -> [Int] {
    let words = text.titleKey.split { $0 <= UInt8(ascii: " ") }.map(Array.init)
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

/// A film, song or station that a user may choose.
public struct ListedItem: Sendable, Hashable {
  public let item: CatalogueItem
  /// The position in seconds at which the user left it, and at which a start resumes it; `nil` if it begins at its
  /// start.
  public let position: Double?
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

/// The links of an Ogg file: complete streams, one after the other (RFC 3533, section 4).
///
/// The pages of each link have their own serial numbers, so a binary search finds where a link ends. A
/// file of one link costs one read of its end.
enum OggLinks {
  /// A file of more links is played as libav plays it.
  static let most = 256
  /// The longest page: a header of 27 bytes, 255 lengths, and as many pieces of 255 bytes.
  private static let longestPage = 27 + 255 + 255 * 255

  private struct Page {
    let position: Int64
    let serial: UInt32
    let isFirstOfStream: Bool
    let length: Int64
  }

  /// Finds the bytes of each link, in order; empty where the file does not begin with Ogg, has more
  /// links than ``most``, or makes the search too long for the file's limit.
  static func find(in file: FileWindow) -> [Range<Int64>] {
    guard let last = lastPage(file) else { return [] }
    var links: [Range<Int64>] = []
    var start: Int64 = 0
    while links.count < most {
      let serials = serialsOfLink(file, at: start)
      guard !serials.isEmpty else { return [] }
      if serials.contains(last.serial) {
        links.append(start..<file.size)
        return file.isExhausted ? [] : links
      }
      let end = endOfLink(file, from: start, upTo: last.position, serials)
      links.append(start..<end)
      start = end
    }
    return []
  }

  /// Returns the serial numbers of the streams that begin together at `start`.
  private static func serialsOfLink(_ file: FileWindow, at start: Int64) -> Set<UInt32> {
    var serials: Set<UInt32> = []
    var position = start
    while let page = page(file, at: position), page.isFirstOfStream, serials.count < 16 {
      serials.insert(page.serial)
      position += page.length
    }
    return serials
  }

  /// Returns the position of the first page from `start` on with another serial number than `serials`;
  /// the page at `end` has one.
  private static func endOfLink(
    _ file: FileWindow, from start: Int64, upTo end: Int64, _ serials: Set<UInt32>
  ) -> Int64 {
    // All pages that begin before `low` belong to the link; one that begins at `high` does not.
    var (low, high) = (start, end)
    while low < high {
      let middle = low + (high - low) / 2
      guard let page = firstPage(file, from: middle, before: high) else {
        high = middle
        continue
      }
      if serials.contains(page.serial) {
        low = page.position + page.length
      } else {
        high = page.position
      }
    }
    return firstPage(file, from: low, before: end)?.position ?? end
  }

  /// Returns where the last page ends by its own header, maybe behind the file's end; nil without a page near the end.
  static func endOfLastPage(_ file: FileWindow) -> Int64? {
    lastPage(file).map { $0.position + $0.length }
  }

  private static func lastPage(_ file: FileWindow) -> Page? {
    let start = max(0, file.size - 2 * Int64(longestPage))
    var position = start
    var last: Page?
    while let page = firstPage(file, from: position, before: file.size) {
      last = page
      position = page.position + page.length
    }
    return last
  }

  private static func firstPage(
    _ file: FileWindow, from start: Int64, before end: Int64
  ) -> Page? {
    var position = start
    while position < end {
      let bytes = file.bytes(at: position, count: 4_096)
      guard let mark = bytes.firstIndex(of: UInt8(ascii: "O")) else {
        guard !bytes.isEmpty else { return nil }
        position += Int64(bytes.count)
        continue
      }
      position += Int64(mark - bytes.startIndex)
      guard position < end else { return nil }
      if bytes[mark...].prefix(4).elementsEqual("OggS".utf8) || bytes.endIndex - mark < 4,
        let page = page(file, at: position)
      {
        return page
      }
      position += 1
    }
    return nil
  }

  /// Returns the page that begins at `position`; nil where none does.
  private static func page(_ file: FileWindow, at position: Int64) -> Page? {
    let header = Array(file.bytes(at: position, count: 27 + 255))
    guard header.count >= 27, header.starts(with: "OggS".utf8), header[4] == 0, header[5] < 8,
      header.count >= 27 + Int(header[26])
    else { return nil }
    let lengths = header[27..<(27 + Int(header[26]))]
    return Page(
      position: position,
      serial: header[14..<18].reversed().reduce(0) { $0 << 8 | UInt32($1) },
      isFirstOfStream: header[5] & 2 != 0,
      length: 27 + Int64(lengths.count) + lengths.reduce(0) { $0 + Int64($1) })
  }
}

import MediaFolders

/// The artists of a file with several, of which libav returns only the first: those in ID3v2, MP4 and APE tags.
enum ArtistList {
  /// The longest text of a tag that is read, in bytes.
  private static let longest: Int64 = 16_384

  /// Returns the artists, in their order; empty unless there are several.
  static func read(_ file: FileWindow) -> [String] {
    for names in [id3(file), mp4(file), ape(file)] where names.count > 1 { return names }
    return []
  }

  /// Reads the frame TPE1 of a tag of version 2.3 or 2.4, whose values are separated by zeros.
  private static func id3(_ file: FileWindow) -> [String] {
    let head = Array(file.bytes(at: 0, count: 10))
    // Bit 7 of the flags: bytes are escaped; bit 6: there is a further header.
    guard head.count == 10, head.starts(with: "ID3".utf8), [3, 4].contains(head[3]),
      head[5] & 0xC0 == 0
    else { return [] }
    let end = 10 + number(head[6...], bits: 7)
    var position: Int64 = 10
    while position + 10 < end {
      let frame = Array(file.bytes(at: position, count: 10))
      guard frame.count == 10, frame[0] != 0 else { return [] }
      let size = number(frame[4..<8], bits: head[3] == 4 ? 7 : 8)
      if frame.starts(with: "TPE1".utf8), size > 1, size < longest {
        let text = Array(file.bytes(at: position + 10, count: Int(size)))
        return values(text.dropFirst(), encoding: text.first ?? 0)
      }
      position += 10 + size
    }
    return []
  }

  /// Splits a text of ID3v2 at its zeros.
  private static func values(_ text: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
    guard encoding == 1 || encoding == 2 else {
      return text.split(separator: 0).map { MediaText.line($0) }.filter { !$0.isEmpty }
    }
    var isBig = encoding == 2
    var texts: [[UInt16]] = [[]]
    for index in stride(from: text.startIndex, to: text.endIndex - 1, by: 2) {
      let (first, second) = (UInt16(text[index]), UInt16(text[index + 1]))
      let unit = isBig ? first << 8 | second : second << 8 | first
      switch unit {
      case 0: texts.append([])
      case 0xFEFF: break
      case 0xFFFE: isBig.toggle()
      default: texts[texts.count - 1].append(unit)
      }
    }
    return texts.map { MediaText.line(Array(String(decoding: $0, as: UTF16.self).utf8)) }
      .filter { !$0.isEmpty }
  }

  /// Reads the values of the atom ©ART, each of which is an atom.
  private static func mp4(_ file: FileWindow) -> [String] {
    guard file.bytes(at: 4, count: 4).elementsEqual("ftyp".utf8) else { return [] }
    var range = Int64(0)..<file.size
    for name in ["moov", "udta", "meta", "ilst"] {
      guard let inner = atoms(in: range, of: file).first(where: { $0.name == Array(name.utf8) })
      else { return [] }
      // The atom "meta" begins with a version.
      let start = inner.range.lowerBound + (name == "meta" ? 4 : 0)
      guard start <= inner.range.upperBound else { return [] }
      range = start..<inner.range.upperBound
    }
    let (artist, data): ([UInt8], [UInt8]) = ([0xA9, 0x41, 0x52, 0x54], Array("data".utf8))
    var names: [String] = []
    for outer in atoms(in: range, of: file) where outer.name == artist {
      for inner in atoms(in: outer.range, of: file) where inner.name == data {
        let count = Int64(inner.range.count)
        guard count > 8, count < longest else { continue }
        let text = file.bytes(at: inner.range.lowerBound + 8, count: Int(count - 8))
        names.append(MediaText.line(text))
      }
    }
    return names.filter { !$0.isEmpty }
  }

  /// Lists the atoms in a range of a file, at most 1,000.
  private static func atoms(
    in range: Range<Int64>, of file: FileWindow
  ) -> [(name: [UInt8], range: Range<Int64>)] {
    var found: [(name: [UInt8], range: Range<Int64>)] = []
    var position = range.lowerBound
    while position + 8 <= range.upperBound, found.count < 1_000 {
      let head = Array(file.bytes(at: position, count: 16))
      guard head.count >= 8 else { break }
      var (size, header) = (number(head[0..<4], bits: 8), Int64(8))
      if size == 1, head.count == 16 {
        (size, header) = (number(head[8..<16], bits: 8), 16)
      }
      guard size >= header, size <= range.upperBound - position else { break }
      found.append((Array(head[4..<8]), (position + header)..<(position + size)))
      position += size
    }
    return found
  }

  /// Reads the item "Artist" of a tag of version 2 at the end of the file, whose values are separated by zeros.
  private static func ape(_ file: FileWindow) -> [String] {
    for end in [file.size, file.size - 128] {
      let footer = Array(file.bytes(at: end - 32, count: 32))
      guard footer.count == 32, footer.starts(with: "APETAGEX".utf8) else { continue }
      let size = number(footer[12..<16].reversed(), bits: 8)
      guard size > 32, size < 16 << 20, size <= end else { return [] }
      var position = end - size
      for _ in 0..<min(256, number(footer[16..<20].reversed(), bits: 8)) {
        let item = Array(file.bytes(at: position, count: 8 + 256))
        guard item.count > 8, let zero = item[8...].firstIndex(of: 0) else { return [] }
        let length = number(item[0..<4].reversed(), bits: 8)
        let start = position + Int64(zero) + 1
        if String(decoding: item[8..<zero], as: UTF8.self).lowercased() == "artist" {
          guard length < longest else { return [] }
          let text = file.bytes(at: start, count: Int(length))
          return text.split(separator: 0).map { MediaText.line($0) }.filter { !$0.isEmpty }
        }
        position = start + length
      }
    }
    return []
  }

  /// Reads a number, most significant byte first; at most 2^62.
  private static func number(_ bytes: some Sequence<UInt8>, bits: UInt64) -> Int64 {
    let value = bytes.reduce(UInt64(0)) { $0 << bits | UInt64($1) }
    return Int64(min(value, 1 << 62))
  }
}

/// Whether a file has all the bytes that its structure states, read when its sound has ended too early.
enum Completeness: Equatable {
  case whole
  case cut
  /// The structure tells nothing.
  case unknown

  /// Examines a file of a kind; reads its headers and its end.
  init(_ file: FileWindow, _ container: Container?) {
    let start = FrameSequence.endOfTags(file)
    self =
      switch container {
      case .wav: Self.wave(file, at: start)
      case .w64: Self.wave64(file, at: start)
      case .aiff: Self.aiff(file, at: start)
      case .au:
        Self.sized([file.end(at: start + 8, 4, .big, base: start + file.big(start + 4, 4))], file)
      case .caf: Self.caf(file, at: start)
      case .dsf: Self.sized([file.end(at: start + 12, 8, .little, base: start)], file)
      case .dsdiff: Self.sized([file.end(at: start + 4, 8, .big, base: start + 12)], file)
      case .flac: Self.flac(file)
      case .ogg: Self.ogg(file)
      case .mov: Self.mp4(file)
      case .matroska: Self.matroska(file)
      case .asf: Self.asf(file)
      case .wavpack: Self.wavpack(file)
      case .tta: Self.trueAudio(file, at: start)
      default: .unknown
      }
  }

  /// Missing bytes that are no fault: encoders count them wrong.
  private static let slack: Int64 = 4_096

  /// Decides by the ends that sizes state; nil for a size that is not stated. One end inside the file is
  /// enough: an encoder wrote the other size wrong.
  private static func sized(_ ends: [Int64?], _ file: FileWindow) -> Completeness {
    let known = ends.compactMap(\.self)
    if known.isEmpty { return .unknown }
    return known.contains { $0 <= file.size + slack } ? .whole : .cut
  }

  // MARK: Chunks

  private static func wave(_ file: FileWindow, at start: Int64) -> Completeness {
    let isBig = file.text(start, 4) == "RIFX"
    var outer = file.end(at: start + 4, 4, isBig ? .big : .little, base: start + 8)
    var position = start + 12
    var size64: Int64?
    for _ in 0..<64 {
      let (name, size) = (
        file.text(position, 4), isBig ? file.big(position + 4, 4) : file.little(position + 4, 4)
      )
      switch name {
      case "ds64":
        outer = file.end(at: position + 8, 8, .little, base: start + 8)
        size64 = file.end(at: position + 16, 8, .little, base: 0)
      case "data":
        let end = file.end(
          at: position + 4, 4, isBig ? .big : .little, base: position + 8)
        return sized([size64.map { position + 8 + $0 } ?? end, outer], file)
      case "": return .unknown
      default: break
      }
      position += 8 + size + size % 2
    }
    return .unknown
  }

  private static func wave64(_ file: FileWindow, at start: Int64) -> Completeness {
    var position = start + 40
    for _ in 0..<64 {
      let size = file.little(position + 16, 8)
      guard size >= 24, size < .max / 2 else { break }
      if file.text(position, 4) == "data" {
        return sized(
          [position + size, file.end(at: start + 16, 8, .little, base: start)], file)
      }
      position += (size + 7) / 8 * 8
    }
    return .unknown
  }

  private static func aiff(_ file: FileWindow, at start: Int64) -> Completeness {
    let outer = file.end(at: start + 4, 4, .big, base: start + 8)
    var position = start + 12
    for _ in 0..<64 {
      let (name, size) = (file.text(position, 4), file.big(position + 4, 4))
      if name == "SSND" {
        return sized([file.end(at: position + 4, 4, .big, base: position + 8), outer], file)
      }
      guard !name.isEmpty else { break }
      position += 8 + size + size % 2
    }
    return .unknown
  }

  private static func caf(_ file: FileWindow, at start: Int64) -> Completeness {
    var position = start + 8
    for _ in 0..<64 {
      let (name, size) = (file.text(position, 4), file.big(position + 4, 8))
      guard !name.isEmpty, size >= 0, size < .max / 2 else { break }
      position += 12 + size
      if position > file.size + slack { return .cut }
      if position >= file.size { return .whole }
    }
    return .unknown
  }

  private static func mp4(_ file: FileWindow) -> Completeness {
    var position: Int64 = 0
    // Fragments can be missing although every atom is whole.
    var whole = Completeness.whole
    for _ in 0..<10_000 {
      if position == file.size { return whole }
      let name = file.text(position + 4, 4)
      if name == "moof" { whole = .unknown }
      var size = file.big(position, 4)
      if size == 1 { size = file.big(position + 8, 8) }
      if size == 0, !name.isEmpty { return whole }
      // Something else follows the last atom.
      guard size >= 8, size < .max / 2, name.allSatisfy({ $0.isASCII && !$0.isWhitespace }),
        name.count == 4
      else { return file.size - position < 8 ? .cut : whole }
      position += size
      if position > file.size { return .cut }
    }
    return .unknown
  }

  private static func matroska(_ file: FileWindow) -> Completeness {
    guard let header = file.ebmlSize(at: 4) else { return .unknown }
    let segment = 4 + header.length + header.value
    guard file.big(segment, 4) == 0x1853_8067, let size = file.ebmlSize(at: segment + 4),
      size.value < (1 << (7 * size.length)) - 1
    else { return .unknown }
    return segment + 4 + size.length + size.value > file.size ? .cut : .whole
  }

  private static func asf(_ file: FileWindow) -> Completeness {
    let header = file.little(16, 8)
    guard header >= 30, header < 1 << 30 else { return .unknown }
    let data = file.end(at: header + 16, 8, .little, base: header)
    var position: Int64 = 30
    while position < header {
      let size = file.little(position + 16, 8)
      guard size >= 24, size <= header else { break }
      // The GUID of the file properties begins with these four bytes; bit 0 of its flags says that it was broadcast.
      if file.big(position, 4) == 0xA1DC_AB8C {
        if file.little(position + 88, 4) & 1 == 1 { return .unknown }
        return sized([file.end(at: position + 40, 8, .little, base: 0), data], file)
      }
      position += size
    }
    return sized([data], file)
  }

  /// The sizes of all frames stand in a table behind the header.
  private static func trueAudio(_ file: FileWindow, at start: Int64) -> Completeness {
    let (rate, samples) = (file.little(start + 10, 4), file.little(start + 14, 4))
    guard rate > 0, samples > 0 else { return .unknown }
    let perFrame = 256 * rate / 245
    let count = (samples + perFrame - 1) / perFrame
    let table = start + 22
    guard count < 1 << 20, table + 4 * count < file.size else { return .cut }
    let sum = (0..<count).reduce(Int64(0)) { $0 + file.little(table + 4 * $1, 4) }
    return table + 4 * count + 4 + sum > file.size ? .cut : .whole
  }

  // MARK: Frames and pages

  /// The last page is whole or not; a file without pages at its end was never filled.
  private static func ogg(_ file: FileWindow) -> Completeness {
    guard let end = OggLinks.endOfLastPage(file) else {
      let tail = file.bytes(at: max(0, file.size - 16_384), count: 16_384)
      return tail.allSatisfy { $0 == 0 } ? .cut : .unknown
    }
    if end > file.size { return .cut }
    // A page whose header is cut off.
    let rest = file.bytes(at: end, count: 512)
    let isHeader = rest.starts(with: "OggS".utf8) || "OggS".utf8.starts(with: rest)
    return !rest.isEmpty && rest.count < 512 && isHeader ? .cut : .whole
  }

  /// The last block is whole or not.
  private static func wavpack(_ file: FileWindow) -> Completeness {
    let start = max(0, file.size - (1 << 20))
    let tail = Array(file.bytes(at: start, count: 1 << 20))
    let mark = Array("wvpk".utf8)
    guard
      let last = tail.indices.reversed().first(where: {
        tail[$0] == mark[0] && tail[$0...].starts(with: mark)
      })
    else { return .unknown }
    let position = start + Int64(last)
    return sized([file.end(at: position + 4, 4, .little, base: position + 8)], file)
  }

  /// The file ends with a whole frame or not: its last two bytes are the frame's checksum.
  private static func flac(_ file: FileWindow) -> Completeness {
    let hasTag = file.text(file.size - 128, 3) == "TAG"
    let end = file.size - (hasTag ? 128 : 0)
    let count = min(end, 1 << 20)
    let tail = Array(file.bytes(at: end - count, count: Int(count)))
    // Few places of a frame look like the beginning of one, so only a hostile file has many.
    let beginnings = tail.indices.dropLast().reversed().lazy.filter { index in
      tail[index] == 0xFF && tail[index + 1] & 0xFE == 0xF8
    }
    let isWhole = beginnings.prefix(mostBeginnings).contains { index in
      FLACChecksum.crc16(tail[index...]) == 0
    }
    return isWhole ? .whole : .cut
  }

  /// The most places at the end of a FLAC file that are examined as the beginning of its last frame.
  private static let mostBeginnings = 64
}

/// The checksum of FLAC frames: polynomial x^16 + x^15 + x^2 + 1, most significant bit first.
private enum FLACChecksum {
  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { sum, _ in
      sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1
    }
  }

  /// Returns 0 for a frame with its right checksum at the end.
  static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { $0 << 8 ^ table[Int($0 >> 8 ^ UInt16($1))] }
  }
}

extension FileWindow {
  fileprivate enum ByteOrder { case big, little }

  /// Reads an unsigned number of at most 8 bytes, most significant byte first; 0 outside the file, and at most
  /// `Int64.max`.
  fileprivate func big(_ position: Int64, _ count: Int) -> Int64 {
    let bytes = bytes(at: position, count: count)
    guard bytes.count == count else { return 0 }
    return Int64(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Reads an unsigned number of at most 8 bytes, least significant byte first; as ``big(_:_:)``.
  fileprivate func little(_ position: Int64, _ count: Int) -> Int64 {
    let bytes = bytes(at: position, count: count)
    guard bytes.count == count else { return 0 }
    return Int64(clamping: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Returns where a part ends whose size stands at `position`; nil for 0 and the sizes that encoders write
  /// before they know it.
  fileprivate func end(
    at position: Int64, _ count: Int, _ order: ByteOrder, base: Int64
  ) -> Int64? {
    let size = order == .big ? big(position, count) : little(position, count)
    let isPlaceholder =
      size == 0 || size > 1 << 60
      || (count == 4 && (size >= 0xFFFF_0000 || (0x7FFE_0000...0x8001_0000).contains(size)))
    return isPlaceholder ? nil : base + size
  }

  /// Reads text of ASCII; empty outside the file.
  fileprivate func text(_ position: Int64, _ count: Int) -> String {
    let bytes = bytes(at: position, count: count)
    return bytes.count == count ? String(decoding: bytes, as: UTF8.self) : ""
  }

  /// Reads a size of EBML with its length in bytes.
  fileprivate func ebmlSize(at position: Int64) -> (value: Int64, length: Int64)? {
    guard let first = bytes(at: position, count: 1).first, first != 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    let value = big(position, length) & ((1 << (7 * length)) - 1)
    return (value, Int64(length))
  }
}

/// A compressed bitstream that a file carries as if it were plain samples, as CDs with DTS do, or IEC 61937 for
/// digital outputs. Played as samples it is noise at full scale.
struct Bitstream: Equatable, Sendable {
  /// libav's demuxer for it.
  let container: Container
  /// Whether the bytes of each 16-bit word must be swapped for libav.
  let isSwapped: Bool
  /// Bytes in front of its first frame.
  let offset: Int

  /// A sync word that begins each frame, in the order of the bytes in a file.
  private struct Sync {
    let container: Container
    let isSwapped: Bool
    let mark: [UInt8]
    /// Further bits that follow: the index of a byte, a mask, and the value.
    var check: (index: Int, mask: UInt8, value: UInt8)?
  }

  /// ETSI TS 102 114, annex E, and IEC 61937-1, section 6.1.
  private static let syncs = [
    Sync(container: .dts, isSwapped: false, mark: [0x7F, 0xFE, 0x80, 0x01]),
    Sync(container: .dts, isSwapped: false, mark: [0xFE, 0x7F, 0x01, 0x80]),
    Sync(
      container: .dts, isSwapped: false, mark: [0x1F, 0xFF, 0xE8, 0x00, 0x07],
      check: (5, 0xF0, 0xF0)),
    Sync(
      container: .dts, isSwapped: false, mark: [0xFF, 0x1F, 0x00, 0xE8], check: (4, 0xF0, 0xF0)),
    Sync(container: .spdif, isSwapped: false, mark: [0x72, 0xF8, 0x1F, 0x4E]),
    Sync(container: .spdif, isSwapped: true, mark: [0xF8, 0x72, 0x4E, 0x1F]),
  ]
  /// The shortest and the longest distance between two frames in bytes.
  private static let distances = 96...65_536

  /// Finds a bitstream in samples of 16 bits: several frames that follow each other; nil if there is none.
  init?(in bytes: [UInt8]) {
    guard case .found(let found) = Self.search(bytes) else { return nil }
    self = found
  }

  /// Finds a bitstream that begins with the first byte.
  init?(atStartOf bytes: [UInt8]) {
    guard bytes.count > Self.room else { return nil }
    let result = bytes.withUnsafeBufferPointer {
      Self.isMark($0[0], $0[1]) ? Self.frame(at: 0, in: $0) : nil
    }
    guard case .found(let found) = result else { return nil }
    self = found
  }

  private init(_ container: Container, isSwapped: Bool, offset: Int) {
    self.container = container
    self.isSwapped = isSwapped
    self.offset = offset
  }

  /// The result of a search.
  enum Search: Equatable {
    case found(Bitstream)
    /// There is a sync word, so that a longer part is worth reading.
    case possible
  }

  /// The bytes behind an index that the search reads without looking further.
  private static let room = 16
  /// The number of frames of MPEG audio in a row: faint noise has short rows by chance.
  private static let neededMPEG = 12

  /// Searches samples of 16 bits for a bitstream; nil if there is no sign of one.
  ///
  /// Looks at each sample once, because every song is searched when it is opened.
  static func search(_ bytes: [UInt8]) -> Search? {
    var isPossible = false
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index + room < bytes.count {
        if isMark(bytes[index], bytes[index + 1]), let result = frame(at: index, in: bytes) {
          if case .found = result { return result }
          isPossible = true
        }
        index += 2
      }
      return isPossible ? .possible : nil
    }
  }

  /// Whether two bytes may begin a frame.
  @inline(__always)
  private static func isMark(_ first: UInt8, _ second: UInt8) -> Bool {
    switch UInt16(first) << 8 | UInt16(second) {
    case 0x7FFE, 0xFE7F, 0x1FFF, 0xFF1F, 0x72F8, 0xF872, 0x0B77, 0x770B: true
    case 0xFFE0...0xFFFE: true
    default: false
    }
  }

  /// Examines a place that may begin a frame.
  private static func frame(
    at index: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Search? {
    if let sync = syncs.first(where: { isSync($0, in: bytes, at: index) }) {
      return hasRow(of: sync, in: bytes, at: index)
        ? .found(Bitstream(sync.container, isSwapped: sync.isSwapped, offset: index)) : .possible
    }
    let isSwapped = bytes[index] == 0x77
    if bytes[index] == 0x0B || isSwapped {
      return row(in: bytes, at: index, most: 3) { ac3Frame(in: bytes, at: $0, isSwapped) }.map {
        count, kind in
        guard count == 3 else { return .possible }
        return .found(Bitstream(kind == 1 ? .eac3 : .ac3, isSwapped: isSwapped, offset: index))
      }
    }
    let frames = row(in: bytes, at: index, most: neededMPEG) {
      index -> (length: Int, kind: UInt32)? in
      let end = min(bytes.count, index + SoundFrameHeader.size)
      return SoundFrameHeader(Array(bytes[index..<end])[...]).flatMap {
        $0.length < 96 ? nil : ($0.length, $0.signature)
      }
    }
    guard let frames, frames.count == neededMPEG else { return nil }
    return .found(
      Bitstream(frames.kind & 1 << 31 != 0 ? .aac : .mp3, isSwapped: false, offset: index))
  }

  private static func isSync(
    _ sync: Sync, in bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> Bool {
    guard index + 8 <= bytes.count,
      sync.mark.indices.allSatisfy({ bytes[index + $0] == sync.mark[$0] })
    else { return false }
    return sync.check.map { bytes[index + $0.index] & $0.mask == $0.value } ?? true
  }

  /// Whether two more sync words follow at equal distances.
  private static func hasRow(
    of sync: Sync, in bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> Bool {
    var distance = distances.lowerBound
    while distance <= distances.upperBound, index + 2 * distance + 8 <= bytes.count {
      if bytes[index + distance] == sync.mark[0], isSync(sync, in: bytes, at: index + distance),
        isSync(sync, in: bytes, at: index + 2 * distance)
      {
        return true
      }
      distance += 2
    }
    return false
  }

  // MARK: Frames that state their length

  /// Counts frames of one kind that follow each other directly, at most `most`; nil if not even two do.
  private static func row(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int, most: Int,
    _ header: (Int) -> (length: Int, kind: UInt32)?
  ) -> (count: Int, kind: UInt32)? {
    guard let first = header(index) else { return nil }
    var (count, next) = (1, index + first.length)
    while count < most, next + room < bytes.count, let frame = header(next),
      frame.kind == first.kind
    {
      count += 1
      next += frame.length
    }
    return count > 1 ? (count, first.kind) : nil
  }

  /// Reads the header of a frame of AC-3 or E-AC-3 (ETSI TS 102 366, sections 4.4.1 and E.1.3.1); the kind of E-AC-3
  /// is 1.
  private static func ac3Frame(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ isSwapped: Bool
  ) -> (length: Int, kind: UInt32)? {
    guard index + 6 <= bytes.count else { return nil }
    let head = (0..<6).map { bytes[index + (isSwapped ? $0 ^ 1 : $0)] }
    guard head[0] == 0x0B, head[1] == 0x77 else { return nil }
    let version = head[5] >> 3
    if version > 10 {
      let length = 2 * (Int(head[2] & 7) << 8 | Int(head[3])) + 2
      return version <= 16 && length >= 64 ? (length, 1) : nil
    }
    let (rate, size) = (Int(head[4] >> 6), Int(head[4] & 0x3F))
    guard rate < 3, size < 38 else { return nil }
    let bits = ac3BitRates[size / 2]
    let words = [bits * 2, bits * 320 / 147 + size % 2, bits * 3][rate]
    return (2 * words, 0)
  }

  /// In kbit/s.
  private static let ac3BitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// Swaps the bytes of each 16-bit word.
  static func swap(_ bytes: [UInt8]) -> [UInt8] {
    var swapped = bytes
    for index in stride(from: 0, to: bytes.count - 1, by: 2) { swapped.swapAt(index, index + 1) }
    return swapped
  }
}

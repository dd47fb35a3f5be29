import Glibc
import Platform

/// The declared length of a media file, compared with the length of the file.
struct FileExtent: Equatable, Sendable {
  enum Completeness: Equatable, Sendable {
    /// All declared bytes are there.
    case whole
    /// The file ends before its declared end.
    case cut
    /// The container declares no length.
    case unknown
  }

  var completeness = Completeness.unknown
  /// The duration in seconds that the headers declare, for containers whose duration mpv adapts to a file that was cut;
  /// nil for others.
  var duration: Double?

  /// Reads the headers of a file. Reads at most a few hundred bytes at each of at most ``mostSteps`` places, and the
  /// last
  /// 128 KiB of FLAC.
  init(_ file: some ByteSource) {
    let head = file.bytes(at: 0, count: 16)
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      readMatroska(file)
    } else if ["RIFF", "RF64", "BW64"].contains(where: { head.starts(with: $0.utf8) }),
      head.dropFirst(8).starts(with: "WAVE".utf8)
    {
      readWave(file)
    } else if head.starts(with: "RIFF".utf8) {
      readRIFF(file)
    } else if head.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) {
      readASF(file)
    } else if head.starts(with: "FLV".utf8) {
      readFLV(file)
    } else if let begin = Self.beginOfFLAC(file, head) {
      readFLAC(file, from: begin)
    } else if head.count > 8, Self.boxes.contains(Array(head[4..<8])) {
      readBoxes(file)
    } else if file.bytes(at: 0x8001, count: 5) == Array("CD001".utf8) {
      readISO9660(file)
    }
  }

  init() {}

  /// The largest number of headers that are read.
  static let mostSteps = 4096

  private mutating func compare(end: Int?, with size: Int) {
    guard let end else { return }
    completeness = end > size ? .cut : .whole
  }

  // MARK: Matroska and WebM

  private mutating func readMatroska(_ file: some ByteSource) {
    guard let head = Self.element(file, at: 0), let size = head.size,
      let segment = Self.element(file, at: head.begin + size), segment.id == 0x1853_8067
    else { return }
    compare(end: segment.size.map { segment.begin + $0 }, with: file.size)
  }

  /// Reads the id of an EBML element, the beginning of its content, and the size of the content (nil if it is unknown).
  private static func element(
    _ file: some ByteSource, at place: Int
  ) -> (id: Int, begin: Int, size: Int?)? {
    let bytes = file.bytes(at: place, count: 12)
    guard let first = bytes.first, first != 0 else { return nil }
    let idLength = first.leadingZeroBitCount + 1
    guard idLength <= 4, bytes.count > idLength, bytes[idLength] != 0 else { return nil }
    let sizeLength = bytes[idLength].leadingZeroBitCount + 1
    guard bytes.count >= idLength + sizeLength else { return nil }
    let id = bytes[..<idLength].reduce(0) { $0 << 8 | Int($1) }
    let mask = (1 << (7 * sizeLength)) - 1
    let size = bytes[idLength..<(idLength + sizeLength)].reduce(0) { $0 << 8 | Int($1) } & mask
    return (id, place + idLength + sizeLength, size == mask ? nil : size)
  }

  // MARK: MP4

  private static let boxes = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]
    .map { Array($0.utf8) }

  private mutating func readBoxes(_ file: some ByteSource) {
    var place = 0
    var isFragmented = false
    for _ in 0..<Self.mostSteps {
      if place == file.size {
        // Fragments can be missing although every box is whole.
        completeness = isFragmented ? .unknown : .whole
        return
      }
      let bytes = file.bytes(at: place, count: 16)
      guard bytes.count >= 8, bytes[4..<8].allSatisfy({ (0x20...0x7E).contains($0) }) else {
        completeness = bytes.count < 8 ? .cut : .unknown
        return
      }
      if bytes[4..<8].elementsEqual("moof".utf8) { isFragmented = true }
      var size = bytes[0..<4].big
      if size == 0 { size = file.size - place }
      if size == 1 { size = bytes.count == 16 ? bytes[8..<16].big : Int.max }
      guard size >= 8 else { return }
      guard size <= file.size - place else {
        completeness = .cut
        return
      }
      place += size
    }
  }

  // MARK: WAV

  /// Returns a size of 4 bytes; nil for 0 and the sizes that writers leave when they cannot go back: the largest number
  /// with or without a sign, a header more or less.
  private static func stated(_ bytes: ArraySlice<UInt8>) -> Int? {
    let size = bytes.little
    let isOpen = size == 0 || size >= 0xFFFF_0000 || (0x7FFE_0000...0x8001_0000).contains(size)
    return isOpen ? nil : size
  }

  /// Returns a size of 8 bytes; nil for 0 and sizes that no file has.
  private static func statedWide(_ bytes: ArraySlice<UInt8>) -> Int? {
    let size = bytes.little
    return size == 0 || size > 1 << 60 ? nil : size
  }

  /// One size that fits is enough: the writer left the other one wrong.
  private mutating func readWave(_ file: some ByteSource) {
    var whole = Self.stated(file.bytes(at: 4, count: 4)[...])
    var wide: Int?
    var place = 12
    var rate = 0
    for _ in 0..<Self.mostSteps {
      let bytes = file.bytes(at: place, count: 32)
      guard bytes.count >= 8 else {
        if place != file.size { completeness = .cut }
        return
      }
      let id = bytes[0..<4]
      if id.elementsEqual("ds64".utf8), bytes.count >= 24 {
        whole = Self.statedWide(bytes[8..<16])
        wide = Self.statedWide(bytes[16..<24])
      }
      if id.elementsEqual("fmt ".utf8), bytes.count >= 20 { rate = bytes[16..<20].little }
      if id.elementsEqual("data".utf8) {
        let size = wide ?? Self.stated(bytes[4..<8])
        let ends = [size.map { place + 8 + $0 }, whole.map { 8 + $0 }].compactMap(\.self)
        guard !ends.isEmpty else { return }
        // The byte that makes a length even may be missing.
        completeness = ends.contains { $0 <= file.size + 1 } ? .whole : .cut
        if let size, rate > 0, completeness == .cut || place + 8 + size <= file.size + 1 {
          duration = Double(size) / Double(rate)
        }
        return
      }
      place += 8 + bytes[4..<8].little + bytes[4..<8].little % 2
    }
  }

  // MARK: AVI

  private mutating func readRIFF(_ file: some ByteSource) {
    let isAVI = file.bytes(at: 8, count: 4) == Array("AVI ".utf8)
    var place = 12
    for _ in 0..<Self.mostSteps {
      let bytes = file.bytes(at: place, count: 48)
      guard bytes.count >= 8 else { break }
      let id = bytes[0..<4]
      let size = bytes[4..<8].little
      // A recorder that could not go back left the size open.
      if size == 0xFFFF_FFFF { return }
      if id.elementsEqual("RIFF".utf8) || bytes.list == "hdrl" {
        place += 12
        continue
      }
      if id.elementsEqual("avih".utf8), bytes.count >= 28 {
        let time = Double(bytes[8..<12].little) * Double(bytes[24..<28].little)
        if time > 0 { duration = time / 1e6 }
      }
      let end = place + 8 + size + size % 2
      if end > file.size + 1 {
        completeness = .cut
        return
      }
      place = end
    }
    if place >= file.size || !isAVI { completeness = .whole }
  }

  // MARK: Windows Media

  private static let fileProperties: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]

  private mutating func readASF(_ file: some ByteSource) {
    let header = file.bytes(at: 16, count: 8)
    guard header.count == 8, header[...].little < file.size else { return completeness = .cut }
    let data = header[...].little
    var place = 30
    for _ in 0..<Self.mostSteps where place < data {
      let bytes = file.bytes(at: place, count: 104)
      guard bytes.count >= 24, bytes[16..<24].little >= 24 else { return }
      if bytes.starts(with: Self.fileProperties), bytes.count >= 92 {
        // A broadcast has no duration.
        if bytes[88] & 1 != 0 { return }
        let play = Double(bytes[64..<72].little) / 1e7
        duration = max(0, play - Double(bytes[80..<88].little) / 1e3)
      }
      guard bytes[16..<24].little < data else { return }
      place += bytes[16..<24].little
    }
    let size = file.bytes(at: data + 16, count: 8)
    guard size.count == 8 else { return completeness = .cut }
    if size[...].little > 0 { compare(end: data + size[...].little, with: file.size) }
  }

  // MARK: Flash

  /// The last tag of a whole file is followed by its size.
  private mutating func readFLV(_ file: some ByteSource) {
    let size = file.bytes(at: file.size - 4, count: 4)[...].big
    let tag = file.bytes(at: file.size - 4 - size, count: 4)
    let isTag = tag.count == 4 && [8, 9, 18].contains(tag[0] & 0x1F)
    completeness = isTag && tag[1..<4].big + 11 == size ? .whole : .cut
  }

  // MARK: FLAC

  private static func beginOfFLAC(_ file: some ByteSource, _ head: [UInt8]) -> Int? {
    var begin = 0
    if head.starts(with: "ID3".utf8), head.count >= 10 {
      begin = 10 + head[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
    return file.bytes(at: begin, count: 4) == Array("fLaC".utf8) ? begin : nil
  }

  /// The last frame of a whole file ends with its checksum.
  private mutating func readFLAC(_ file: some ByteSource, from begin: Int) {
    var end = file.size
    if file.bytes(at: end - 128, count: 3) == Array("TAG".utf8) { end -= 128 }
    let place = max(begin, end - (128 << 10))
    let tail = file.bytes(at: place, count: end - place)
    // Few places of a frame look like the beginning of one, so only a hostile file has many.
    let beginnings = tail.indices.dropLast().reversed().lazy.filter { index in
      tail[index] == 0xFF && tail[index + 1] & 0xFE == 0xF8
    }
    let isWhole = beginnings.prefix(Self.mostBeginnings).contains { index in
      FLACChecksum.isValid(tail[index...])
    }
    completeness = isWhole ? .whole : .cut
  }

  /// The most places at the end of a FLAC file that are examined as the beginning of its last frame.
  private static let mostBeginnings = 64

  // MARK: Images of discs

  private mutating func readISO9660(_ file: some ByteSource) {
    let blocks = file.bytes(at: 0x8050, count: 4)
    let blockSize = file.bytes(at: 0x8080, count: 2)
    guard blocks.count == 4, blockSize.count == 2 else { return }
    compare(end: blocks[...].little * blockSize[...].little, with: file.size)
  }
}

/// Bytes that can be read at any place.
protocol ByteSource {
  /// The number of bytes.
  var size: Int { get }
  /// Returns bytes at a place; fewer beyond the end, and none at a place outside.
  func bytes(at place: Int, count: Int) -> [UInt8]
}

/// The checksum of FLAC frames: CRC-16 with the polynomial 0x8005. Over a frame and its checksum it is 0.
private enum FLACChecksum {
  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { value, _ in
      value & 0x8000 != 0 ? value << 1 ^ 0x8005 : value << 1
    }
  }

  static func isValid(_ frame: ArraySlice<UInt8>) -> Bool {
    let table = table
    return frame.reduce(UInt16(0)) { $0 << 8 ^ table[Int($0 >> 8) ^ Int($1)] } == 0
  }
}

extension Collection<UInt8> {
  /// The number with these bytes, the first one most significant; at most 2^61.
  fileprivate var big: Int { reduce(0) { Swift.min($0, 1 << 53) << 8 | Int($1) } }
  /// The number with these bytes, the last one most significant; at most 2^61.
  fileprivate var little: Int { reversed().big }
}

extension Array<UInt8> {
  /// The type of a RIFF list, such as `hdrl`; nil for another chunk.
  fileprivate var list: String? {
    starts(with: "LIST".utf8) && count >= 12
      ? String(decoding: self[8..<12], as: UTF8.self) : nil
  }
}

/// A file that is read at any place. Its functions block.
final class MediaFile: ByteSource {
  let size: Int
  /// The number of bytes that ``error(from:to:)`` has read.
  private(set) var bytesRead = 0
  private let descriptor: Int32

  /// - Throws: The error of the system if there is no regular file at the path.
  init(_ path: String) throws(SystemError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError(errno) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SystemError(EINVAL)
    }
    size = Int(facts.st_size)
  }

  deinit { close(descriptor) }

  func bytes(at place: Int, count: Int) -> [UInt8] { (try? read(at: place, count: count)) ?? [] }

  /// Returns at most `count` bytes at a place.
  ///
  /// - Throws: The error of the system, such as `EIO` for a damaged disc.
  func read(at place: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard place >= 0, place < size, count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Swift.min(count, size - place))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled,
          off_t(place + filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno) }
      if count == 0 { break }
      filled += count
    }
    return Array(bytes.prefix(filled))
  }

  /// The most bytes that ``error(from:to:)`` reads, and the longest time that it goes on.
  private static let (mostBytes, longestReading) = (8 << 20, Duration.seconds(1))

  /// Returns the first error of the system between two places; nil without one. Reads at most 8 MiB, and less on a slow
  /// disk or share.
  func error(from begin: Int, to end: Int) -> SystemError? {
    var place = Swift.max(0, begin)
    let end = Swift.min(end, size, place + Self.mostBytes)
    let start = ContinuousClock.now
    while place < end, ContinuousClock.now - start < Self.longestReading {
      do throws(SystemError) {
        let bytes = try read(at: place, count: Swift.min(256 << 10, end - place))
        if bytes.isEmpty { return nil }
        place += bytes.count
        bytesRead += bytes.count
      } catch {
        return error
      }
    }
    return nil
  }
}

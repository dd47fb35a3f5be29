/// The frames of an MP3, MP2 or bare AAC file: where they begin and end, and how long they last.
///
/// Tags, pictures and garbage around and between them do not count. Three headers of the same kind, each at the end of
/// the frame before, count as sound; a single one may be chance.
struct FrameSequence: Equatable {
  /// The number of bytes after the tags that are searched for the first frame.
  private static let searched: Int64 = 1 << 20
  /// The number of consecutive frames that begin a sequence.
  private static let needed = 3
  /// The most tags in front that are skipped.
  private static let mostTags = 16

  /// From the first frame to the end of the last; to the end of the file if ``seconds`` is nil.
  let bytes: Range<Int64>
  /// Whether it is AAC in ADTS.
  let isADTS: Bool
  /// Seconds of sound; nil if the file is longer than the limit, or reading ended before the file did.
  let seconds: Double?
  /// The length in seconds that a tag states although the file ends before, inside a frame; nil for a whole file.
  let secondsBeforeCut: Double?

  /// Finds the frames of a file from `start` on; nil where there are none.
  ///
  /// Reads only both ends of a file with a Xing or VBRI tag that fits its size. Reads any other file
  /// completely if it has at most `limit` bytes.
  init?(_ file: FileWindow, from start: Int64, limit: Int64) {
    let end = min(file.size, start + Self.searched)
    guard let (position, first) = Self.find(file, from: start, before: end, like: nil) else {
      return nil
    }
    isADTS = first.isADTS
    let vbr = VBRTag(file, at: position, first)
    secondsBeforeCut =
      vbr.flatMap { tag in
        let isCut = position + tag.bytes > file.size && Self.endsInsideFrame(file, position, first)
        return isCut ? Double(tag.samples) / Double(first.rate) : nil
      }
    if let tag = vbr,
      let end = Self.endOfFrames(file, around: position + tag.bytes, after: position, first),
      // If more frames follow, the file has several songs, and the tag describes only the first.
      Self.find(
        file, from: end, before: min(file.size, end + Self.searched), like: first.signature) == nil
    {
      bytes = position..<end
      seconds = Double(tag.samples) / Double(first.rate)
      return
    }
    let tagged = VBRTag.isTag(file, at: position, first) ? first.samples : 0
    var cursor = FrameCursor(file, position, first)
    if file.size - position <= limit { cursor.advanceToEnd() }
    guard file.size - position <= limit, !file.isExhausted else {
      bytes = position..<file.size
      seconds = nil
      return
    }
    bytes = position..<cursor.end
    seconds = Double(cursor.samples - tagged) / Double(first.rate)
  }

  /// Returns the position behind the ID3v2 tags at the beginning of a file.
  static func endOfTags(_ file: FileWindow) -> Int64 {
    var position: Int64 = 0
    for _ in 0..<mostTags {
      let head = Array(file.bytes(at: position, count: 10))
      guard head.count == 10, head.starts(with: "ID3".utf8), head[6...].allSatisfy({ $0 < 0x80 })
      else { break }
      let size = head[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
      let footer: Int64 = head[5] & 0x10 != 0 ? 10 : 0
      position += 10 + size + footer
    }
    return position
  }

  /// Finds the first frame from `start` on that others follow, of one kind if `signature` is given.
  fileprivate static func find(
    _ file: FileWindow, from start: Int64, before end: Int64, like signature: UInt32?
  ) -> (Int64, SoundFrameHeader)? {
    var position = start
    while position < end {
      let bytes = file.bytes(at: position, count: 4_096)
      guard let mark = bytes.firstIndex(of: 0xFF) else {
        guard !bytes.isEmpty else { return nil }
        position += Int64(bytes.count)
        continue
      }
      position += Int64(mark - bytes.startIndex)
      guard position < end else { return nil }
      if let header = SoundFrameHeader(file.bytes(at: position, count: SoundFrameHeader.size)),
        signature == nil || header.signature == signature,
        isFollowed(header, at: position, in: file)
      {
        return (position, header)
      }
      position += 1
    }
    return nil
  }

  /// Whether frames of the same kind follow: enough of them, or exactly to the file's end.
  private static func isFollowed(
    _ header: SoundFrameHeader, at position: Int64, in file: FileWindow
  ) -> Bool {
    var next = position + Int64(header.length)
    for _ in 1..<needed {
      if next == file.size { return true }
      guard let following = SoundFrameHeader(file.bytes(at: next, count: SoundFrameHeader.size)),
        following.signature == header.signature
      else { return false }
      next += Int64(following.length)
    }
    return true
  }

  /// Whether the file's last frame is incomplete.
  private static func endsInsideFrame(
    _ file: FileWindow, _ start: Int64, _ first: SoundFrameHeader
  ) -> Bool {
    let from = max(start, file.size - 16_384)
    guard let (position, _) = find(file, from: from, before: file.size, like: first.signature)
    else { return true }
    var cursor = FrameCursor(file, position, first)
    cursor.advanceToEnd()
    let rest = file.bytes(at: cursor.end, count: 3)
    return cursor.end < file.size && (rest.first == 0xFF || rest.allSatisfy { $0 == 0 })
  }

  /// Returns the end of the frames, which a tag expects at `expected`; nil if they do not end there.
  private static func endOfFrames(
    _ file: FileWindow, around expected: Int64, after start: Int64, _ first: SoundFrameHeader
  ) -> Int64? {
    // Long enough for a few of the longest frames.
    let slack: Int64 = 8_192
    let before = max(start, expected - slack)
    guard expected <= file.size + slack,
      let (position, header) = find(
        file, from: before, before: min(file.size, expected + slack), like: first.signature)
    else { return nil }
    var cursor = FrameCursor(file, position, header)
    cursor.advanceToGap(before: expected + slack)
    return abs(cursor.end - expected) <= slack / 2 ? cursor.end : nil
  }
}

/// A cursor that steps from frame to frame and counts them.
private struct FrameCursor {
  private let file: FileWindow
  private let signature: UInt32
  private var position: Int64
  /// The end of the last whole frame.
  private(set) var end: Int64
  /// Frames of PCM passed so far.
  private(set) var samples = 0

  init(_ file: FileWindow, _ start: Int64, _ first: SoundFrameHeader) {
    self.file = file
    signature = first.signature
    position = start
    end = start
  }

  /// Advances to the file's end, over gaps.
  mutating func advanceToEnd() {
    while true {
      advanceToGap(before: file.size)
      guard
        let (next, _) = FrameSequence.find(file, from: position, before: file.size, like: signature)
      else { return }
      position = next
    }
  }

  /// Advances while frames follow each other directly.
  mutating func advanceToGap(before limit: Int64) {
    while position < limit,
      let header = SoundFrameHeader(file.bytes(at: position, count: SoundFrameHeader.size)),
      header.signature == signature, position + Int64(header.length) <= file.size
    {
      samples += header.samples
      position += Int64(header.length)
      end = position
    }
  }
}

/// The tag that an encoder writes into the first frame of an MP3 file: the length in frames and
/// bytes (Xing, Info, VBRI), and how much of it is padding (LAME).
private struct VBRTag {
  /// Frames of PCM, without delay and padding.
  let samples: Int
  /// Bytes of all frames, from the tag's own on.
  let bytes: Int64

  /// Whether the frame holds a tag instead of sound.
  static func isTag(_ file: FileWindow, at position: Int64, _ frame: SoundFrameHeader) -> Bool {
    name(file, at: position, frame) != nil
  }

  /// Reads the tag of a file's first frame; nil where there is none, or it lacks one of both lengths.
  init?(_ file: FileWindow, at position: Int64, _ frame: SoundFrameHeader) {
    guard let (name, place) = Self.name(file, at: position, frame) else { return nil }
    let tag = Array(file.bytes(at: place, count: 144))
    func number(_ offset: Int, _ count: Int = 4) -> Int {
      tag.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    guard tag.count == 144 else { return nil }
    if name == "VBRI" {
      bytes = Int64(number(10))
      samples = number(14) * frame.samples
      return
    }
    // Bit 0: frames, 1: bytes, 2: a table of 100 bytes, 3: quality.
    let flags = number(4)
    guard flags & 3 == 3, number(8) > 0, number(12) > 0 else { return nil }
    bytes = Int64(number(12))
    let encoder = 16 + (flags & 4 == 0 ? 0 : 100) + (flags & 8 == 0 ? 0 : 4)
    var trimmed = 0
    let known = ["LAME", "Lavf", "Lavc"]
    if known.contains(where: { tag.dropFirst(encoder).starts(with: $0.utf8) }) {
      // As libav trims: the decoder's own delay is 529 frames of PCM.
      let padding = number(encoder + 21, 3)
      trimmed = (padding >> 12) + 529 + max(0, (padding & 0xFFF) - 529)
    }
    samples = max(0, number(8) * frame.samples - trimmed)
  }

  private static func name(
    _ file: FileWindow, at position: Int64, _ frame: SoundFrameHeader
  ) -> (String, Int64)? {
    guard let side = frame.sideInformation else { return nil }
    for (names, offset) in [(["Xing", "Info"], 4 + side), (["VBRI"], 36)] {
      let place = position + Int64(offset)
      let found = file.bytes(at: place, count: 4)
      if let name = names.first(where: { found.elementsEqual($0.utf8) }) { return (name, place) }
    }
    return nil
  }
}

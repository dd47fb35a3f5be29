/// The sound that a source has taken from its decoder: the unsent bytes, and a history from which a
/// pause takes back unheard bytes. Positions count bytes since the start.
struct CableQueue: ~Copyable {
  private var storage: UnsafeMutableRawBufferPointer
  /// The oldest byte still kept.
  private(set) var base: UInt64 = 0
  /// The next byte to send, or to let pass unheard.
  var sent: UInt64 = 0
  /// The position after the last byte.
  private(set) var written: UInt64 = 0

  /// The memory for a frame that is split by the end of the storage.
  private let seam = UnsafeMutableRawBufferPointer.allocate(
    byteCount: CableLimit.channels.upperBound * 4, alignment: 16)

  init() { storage = .allocate(byteCount: 1 << 16, alignment: 16) }

  deinit {
    storage.deallocate()
    seam.deallocate()
  }

  /// Bytes that wait to be sent.
  var pending: Int { Int(written - sent) }

  /// Makes room for at least `bytes` and keeps the content.
  mutating func reserve(_ bytes: Int) {
    guard bytes > storage.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 16)
    var position = base
    while position < written {
      let part = self.bytes(at: position, atMost: Int(written - position))
      let offset = Int(position % UInt64(bytes))
      let count = min(part.count, bytes - offset)
      UnsafeMutableRawBufferPointer(rebasing: larger[offset..<(offset + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: part[..<count]))
      position += UInt64(count)
    }
    storage.deallocate()
    storage = larger
  }

  /// Appends `bytes`, at most the capacity minus the pending bytes; the oldest history is dropped.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(storage.count - pending))
    while !rest.isEmpty {
      let offset = Int(written % UInt64(storage.count))
      let count = min(rest.count, storage.count - offset)
      UnsafeMutableRawBufferPointer(rebasing: storage[offset..<(offset + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      written += UInt64(count)
    }
    if written - base > UInt64(storage.count) { base = written - UInt64(storage.count) }
  }

  /// Whole frames of `frame` bytes at `position`, at most `count` bytes; valid until the next
  /// change. After sections with another frame size, the end of the storage can split a frame.
  func frames(of frame: Int, at position: UInt64, atMost count: Int) -> UnsafeRawBufferPointer {
    let piece = bytes(at: position, atMost: count)
    let whole = piece.count / frame * frame
    if whole > 0 || piece.isEmpty { return UnsafeRawBufferPointer(rebasing: piece[..<whole]) }
    let rest = bytes(at: position + UInt64(piece.count), atMost: frame - piece.count)
    guard piece.count + rest.count == frame, frame <= seam.count else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    seam.copyMemory(from: piece)
    UnsafeMutableRawBufferPointer(rebasing: seam[piece.count...]).copyMemory(from: rest)
    return UnsafeRawBufferPointer(rebasing: seam[..<frame])
  }

  /// The bytes at `position` that lie in one piece, at most `count`; valid until the next change.
  func bytes(at position: UInt64, atMost count: Int) -> UnsafeRawBufferPointer {
    guard position >= base, position < written else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let offset = Int(position % UInt64(storage.count))
    let count = min(count, storage.count - offset, Int(written - position))
    return UnsafeRawBufferPointer(rebasing: storage[offset..<(offset + count)])
  }
}

import Glibc
import Synchronization

/// Bytes from one writing thread to one reading thread, without locks.
///
/// Positions count bytes since the start and never wrap; memory is mapped, so that pages nobody
/// has written cost nothing.
struct ByteRing: ~Copyable {
  /// Bytes it holds; a power of two.
  let capacity: Int
  private let memory: UnsafeMutableRawPointer
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  /// A ring of `capacity` bytes, a power of two. Stops the program when there is no memory.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    self.capacity = capacity
    let pages = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED else { fatalError("no memory for a sound ring") }
    memory = pages
  }

  deinit { munmap(memory, capacity) }

  /// Bytes written since the start.
  var writePosition: Int { written.load(ordering: .acquiring) }

  /// Bytes taken since the start.
  var readPosition: Int { taken.load(ordering: .acquiring) }

  /// Bytes that wait to be read.
  var readable: Int { writePosition - readPosition }

  /// Bytes there is room for.
  var writable: Int { capacity - readable }

  /// Writer: appends what fits of `count` bytes; returns how many that were.
  func write(_ bytes: UnsafeRawPointer, count: Int) -> Int {
    let start = written.load(ordering: .relaxed)
    let accepted = min(count, capacity - (start - taken.load(ordering: .acquiring)))
    guard accepted > 0 else { return 0 }
    let offset = start & (capacity - 1)
    let first = min(accepted, capacity - offset)
    (memory + offset).copyMemory(from: bytes, byteCount: first)
    if first < accepted {
      memory.copyMemory(from: bytes + first, byteCount: accepted - first)
    }
    written.store(start + accepted, ordering: .releasing)
    return accepted
  }

  /// Reader: copies out `count` bytes, which must be readable, and gives their room back.
  func take(_ count: Int, into bytes: UnsafeMutableRawPointer) {
    let start = taken.load(ordering: .relaxed)
    let offset = start & (capacity - 1)
    let first = min(count, capacity - offset)
    bytes.copyMemory(from: memory + offset, byteCount: first)
    if first < count {
      (bytes + first).copyMemory(from: memory, byteCount: count - first)
    }
    taken.store(start + count, ordering: .releasing)
  }

  /// Reader: gives back everything up to `position`.
  func skip(to position: Int) {
    if position > taken.load(ordering: .relaxed) { taken.store(position, ordering: .releasing) }
  }
}

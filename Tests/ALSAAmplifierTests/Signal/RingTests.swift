import Testing

@testable import ALSAAmplifier

@Suite struct RingTests {
  /// A ring at a fixed address, as two threads share it.
  private struct Shared: @unchecked Sendable {
    // Safe: one thread writes, one reads, as the ring is made for.
    let ring: UnsafeMutablePointer<ByteRing>
  }

  @Test("F4 · bytes come out as they went in, across threads and the ring's edge")
  func twoThreads() async {
    let pointer = UnsafeMutablePointer<ByteRing>.allocate(capacity: 1)
    pointer.initialize(to: ByteRing(capacity: 4096))
    let shared = Shared(ring: pointer)
    defer {
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
    let total = 300_000
    let writer = NativeThread("writer") {
      var next = 0
      var block = [UInt8](repeating: 0, count: 777)
      while next < total {
        let count = min(block.count, total - next)
        for index in 0..<count { block[index] = UInt8(truncatingIfNeeded: (next + index) * 7) }
        next += block.withUnsafeBytes { raw in
          guard let base = raw.baseAddress else { return 0 }
          return shared.ring.pointee.write(base, count: count)
        }
      }
    }
    var seen = 0
    var wrong = 0
    var block = [UInt8](repeating: 0, count: 500)
    while seen < total {
      let count = min(500, shared.ring.pointee.readable)
      guard count > 0 else { continue }
      block.withUnsafeMutableBytes { raw in
        guard let base = raw.baseAddress else { return }
        shared.ring.pointee.take(count, into: base)
      }
      for index in 0..<count where block[index] != UInt8(truncatingIfNeeded: (seen + index) * 7) {
        wrong += 1
      }
      seen += count
    }
    writer?.join()
    #expect(wrong == 0)
    #expect(shared.ring.pointee.readable == 0)
  }

  @Test("F4 · a full ring takes no more, and a skip gives the room back")
  func fullAndSkipped() {
    let ring = ByteRing(capacity: 64)
    let bytes = [UInt8](repeating: 1, count: 100)
    let first = bytes.withUnsafeBytes { $0.baseAddress.map { ring.write($0, count: 100) } }
    #expect(first == 64)
    #expect(ring.writable == 0)
    ring.skip(to: 40)
    #expect(ring.writable == 40)
    ring.skip(to: 10)
    #expect(ring.readPosition == 40)
  }

  @Test("F4 · a full queue of markers says so and keeps the order")
  func markers() {
    let queue = MarkerQueue()
    var accepted = 0
    while queue.push(Marker(position: accepted, flushes: 0, event: .end)) { accepted += 1 }
    #expect(accepted == 64)
    for position in 0..<64 {
      #expect(queue.peek()?.position == position)
      queue.pop()
    }
    #expect(queue.peek() == nil)
  }
}

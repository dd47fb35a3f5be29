import Glibc
import Platform

/// Cuts a stream of bytes into messages: a fixed buffer, never more than one message and what
/// came with it.
package struct CableInbox: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer
  private let largest: Int
  private var start = 0
  private var end = 0

  /// An inbox for messages with at most `largest` bytes of payload.
  package init(largest: Int) {
    self.largest = largest
    storage = .allocate(byteCount: largest + CableHeader.size, alignment: 16)
  }

  deinit { storage.deallocate() }

  /// Whether no byte waits.
  package var isEmpty: Bool { start == end }

  /// Receives what the socket has, at most what there is room for.
  /// - Returns: the bytes received; 0 at the end of the stream; `nil` when nothing is there yet.
  package mutating func receive(from descriptor: Int32) throws(CableError) -> Int? {
    compact()
    let room = UnsafeMutableRawBufferPointer(rebasing: storage[end...])
    let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    if count < 0 {
      let code = errno
      if code == EAGAIN || code == EINTR { return nil }
      throw CableError(.closed, "Reading from the cable failed: \(SystemError(code)).")
    }
    end += count
    return count
  }

  /// Adds bytes as if they had been received, as many as there is room for; returns how many.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    compact()
    let count = min(bytes.count, storage.count - end)
    let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + count)]).copyMemory(from: part)
    end += count
    return count
  }

  /// Takes the next whole message and hands it with its payload, which is valid inside `body`
  /// alone.
  /// - Returns: false when no whole message is there yet.
  package mutating func next(
    _ body: (CableMessage, UnsafeRawBufferPointer) throws(CableError) -> Void
  ) throws(CableError) -> Bool {
    guard end - start >= CableHeader.size else { return false }
    let header = try CableHeader(
      UnsafeRawBufferPointer(rebasing: storage[start..<end]), largest: largest)
    let first = start + CableHeader.size
    let last = first + Int(header.length)
    guard end >= last else { return false }
    let payload = UnsafeRawBufferPointer(rebasing: storage[first..<last])
    start = last
    try body(try CableMessage(header, payload: payload), payload)
    return true
  }

  private mutating func compact() {
    if start == end {
      start = 0
      end = 0
    } else if start > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: storage[start..<end])
      storage.copyMemory(from: rest)
      end -= start
      start = 0
    }
  }
}

import Glibc
import Platform

/// Cuts a stream of bytes into messages. Its fixed buffer holds at most one message and the bytes that
/// arrived with it.
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

  /// Receives the bytes in the socket, at most as many as there is room for.
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

/// The bytes that the socket has not taken yet, in order; bounded.
struct CableOutbox {
  /// Bytes that wait at most; a peer that reads nothing is dropped beyond it.
  static let limit = 262_144
  private var pending: [UInt8] = []
  private var sent = 0

  /// Whether everything given was sent.
  var isEmpty: Bool { sent == pending.count }

  /// Sends `head` and `tail`, and keeps the bytes that the socket does not take.
  /// - Returns: false when the connection is gone or too much waits.
  mutating func send(
    _ head: [UInt8], _ tail: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    to descriptor: Int32
  ) -> Bool {
    guard isEmpty else {
      guard pending.count + head.count + tail.count <= Self.limit else { return false }
      pending.append(contentsOf: head)
      pending.append(contentsOf: tail)
      return true
    }
    let taken = head.withUnsafeBytes { CableDescriptor.send(descriptor, $0, tail) }
    guard let taken else { return false }
    if taken < head.count + tail.count {
      pending.removeAll(keepingCapacity: true)
      sent = 0
      pending.append(contentsOf: head.dropFirst(taken))
      pending.append(contentsOf: tail.dropFirst(max(0, taken - head.count)))
    }
    return true
  }

  /// Sends the waiting bytes; false if the connection is gone.
  mutating func flush(to descriptor: Int32) -> Bool {
    guard !isEmpty else { return true }
    let taken = pending.withUnsafeBytes { bytes in
      CableDescriptor.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
    }
    guard let taken else { return false }
    sent += taken
    if sent == pending.count {
      pending.removeAll(keepingCapacity: true)
      sent = 0
    }
    return true
  }
}

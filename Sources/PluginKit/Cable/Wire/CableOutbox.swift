/// What could not be sent at once, in order; bounded.
struct CableOutbox {
  /// Bytes that wait at most; a peer that reads nothing is dropped beyond it.
  static let limit = 262_144
  private var pending: [UInt8] = []
  private var sent = 0

  /// Whether everything given was sent.
  var isEmpty: Bool { sent == pending.count }

  /// Sends `head` and `tail`, or keeps what the socket does not take.
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

  /// Sends what waits; false when the connection is gone.
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

import Glibc

/// Wakes a thread that waits in `poll`: a pipe (Swift's Glibc module has no eventfd).
struct CableEvent: Sendable {
  /// Readable once signalled.
  let descriptor: Int32
  private let input: Int32

  /// A new event, not signalled.
  init() throws(CableError) {
    var ends: (Int32, Int32) = (-1, -1)
    let code = withUnsafeMutableBytes(of: &ends) { bytes in
      bytes.assumingMemoryBound(to: Int32.self).baseAddress.map { pipe($0) } ?? -1
    }
    guard code == 0 else {
      throw CableError(.system, "No descriptor is to be had: \(systemMessage(errno)).")
    }
    (descriptor, input) = ends
    CableDescriptor.prepare(descriptor)
    CableDescriptor.prepare(input)
  }

  /// Makes it readable. Safe on an audio thread: one system call, never blocks.
  func signal() {
    var one: UInt8 = 1
    _ = write(input, &one, 1)
  }

  /// Makes it unreadable until it is signalled again.
  func clear() {
    var bytes: UInt64 = 0
    while read(descriptor, &bytes, 8) == 8 {}
  }

  /// Gives the descriptors back; not usable afterwards.
  func close() {
    Glibc.close(descriptor)
    Glibc.close(input)
  }
}

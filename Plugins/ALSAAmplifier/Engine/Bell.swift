import Glibc

/// Wakes one thread that waits in `poll`, from any other, without a lock.
struct Bell: Sendable {
  /// The descriptor to poll for reading.
  let listening: Int32
  private let ringing: Int32

  /// A new pipe; `nil` when the process has no descriptors left.
  init?() {
    var ends: (Int32, Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return -1 }
      return pipe(base.assumingMemoryBound(to: Int32.self))
    }
    guard made == 0 else { return nil }
    for end in [ends.0, ends.1] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    listening = ends.0
    ringing = ends.1
  }

  /// Wakes the listener. A full pipe means that it is about to wake anyway.
  func ring() {
    var byte: UInt8 = 1
    _ = write(ringing, &byte, 1)
  }

  /// Forgets all rings so far; the listener calls it before it looks at what changed.
  func silence() {
    var bytes: UInt64 = 0
    while read(listening, &bytes, 8) == 8 {}
  }

  /// Closes both ends; nobody may ring or listen any more.
  func close() {
    _ = Glibc.close(listening)
    _ = Glibc.close(ringing)
  }
}

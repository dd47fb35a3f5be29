import CLinux
import Glibc

/// A descriptor that wakes a thread which waits in `poll` (an `eventfd`).
///
/// Any thread may call the methods; `signal` and `clear` are one system call each, which never
/// blocks, so an audio thread may use them.
public struct WakeupDescriptor: Sendable {
  /// The descriptor to poll for reading: readable from `signal` to `clear`.
  public let descriptor: Int32

  /// Makes a descriptor that is not signalled.
  ///
  /// - Throws: `EMFILE` or `ENFILE` when there are too many open files.
  public init() throws(SystemError) {
    descriptor = linux_eventfd()
    if descriptor < 0 { throw SystemError(errno) }
  }

  /// Makes the descriptor readable.
  public func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Makes the descriptor unreadable. The waiting thread calls it before it reads the changes,
  /// so that no later signal is lost.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Closes the descriptor; neither side may use it afterwards.
  public func close() { _ = Glibc.close(descriptor) }
}

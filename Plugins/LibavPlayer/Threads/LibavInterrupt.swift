import CLibav
import Platform
import Synchronization

/// Ends libav's blocking calls: by hand from any thread, or when a deadline passes.
///
/// libav asks it between reads. The caller that hands it to libav keeps it alive while the file is open.
final class LibavInterrupt: Sendable {
  private let cancelled = Atomic<Bool>(false)
  /// Monotonic nanoseconds; 0 means that there is no deadline.
  private let deadline = Atomic<Int64>(0)

  /// Ends the call in progress and every later one.
  func cancel() { cancelled.store(true, ordering: .releasing) }

  /// Whether ``cancel()`` was called.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Sets the deadline in milliseconds from now; nil removes it.
  func setDeadline(milliseconds: UInt64?) {
    let end = milliseconds.map { MonotonicClock.now &+ Int64(clamping: $0) &* 1_000_000 } ?? 0
    deadline.store(end, ordering: .releasing)
  }

  /// Whether the deadline has passed.
  var isOverdue: Bool {
    let end = deadline.load(ordering: .acquiring)
    return end != 0 && MonotonicClock.now > end
  }

  /// Whether reading must end.
  var isDue: Bool { isCancelled || isOverdue }

  /// The callback for libav; valid while `self` lives.
  var callback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { pointer in
        guard let pointer else { return 0 }
        let interrupt = Unmanaged<LibavInterrupt>.fromOpaque(pointer).takeUnretainedValue()
        return interrupt.isDue ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}

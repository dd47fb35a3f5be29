import CLibav
import Platform
import Synchronization

/// Ends libav's blocking calls: by hand from any thread, or when a deadline passes.
///
/// libav asks it between reads. The caller that hands it to libav keeps it alive while the file is open.
package final class LibavInterrupt: Sendable {
  private let cancelled = Atomic<Bool>(false)
  /// Monotonic nanoseconds; 0 means that there is no deadline.
  private let deadline = Atomic<Int64>(0)

  package init() {}

  /// Ends the call in progress and every later one.
  package func cancel() { cancelled.store(true, ordering: .releasing) }

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Sets the deadline in milliseconds from now; nil removes it.
  package func setDeadline(milliseconds: UInt64?) {
    let end = milliseconds.map { MonotonicClock.now &+ Int64(clamping: $0) &* 1_000_000 } ?? 0
    deadline.store(end, ordering: .releasing)
  }

  /// Whether the deadline has passed.
  package var isOverdue: Bool {
    let end = deadline.load(ordering: .acquiring)
    return end != 0 && MonotonicClock.now > end
  }

  /// Whether reading must end.
  package var isDue: Bool { isCancelled || isOverdue }

  /// The callback for libav; valid while `self` lives.
  package var callback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { pointer in
        guard let pointer else { return 0 }
        let interrupt = Unmanaged<LibavInterrupt>.fromOpaque(pointer).takeUnretainedValue()
        return interrupt.isDue ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}

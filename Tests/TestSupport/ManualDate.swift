import Foundation
import Synchronization

/// A wall clock that stands still until a test sets it.
public final class ManualDate: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  public init() {}

  public var now: Date { date.withLock { $0 } }

  /// Sets the clock forward, or back by a negative number.
  public func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}

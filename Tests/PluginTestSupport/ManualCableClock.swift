import PluginKit
import Synchronization

/// A cable's clock that stands still until a test moves it.
public final class ManualCableClock: CableClock {
  private let state = Mutex<(now: Int64, wakes: [@Sendable () -> Void])>((1_000_000_000, []))

  public init() {}

  public var now: Int64 { state.withLock { $0.now } }
  public func timeout(until deadline: Int64) -> Int32 { deadline <= now ? 0 : -1 }
  public func onStep(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakes.append(wake) }
  }

  public func advance(milliseconds: Int64) {
    let wakes = state.withLock { state in
      state.now += milliseconds * 1_000_000
      return state.wakes
    }
    for wake in wakes { wake() }
  }
}

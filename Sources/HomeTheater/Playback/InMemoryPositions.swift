import Synchronization

/// Positions that are forgotten when the program ends.
public final class InMemoryPositions: PositionStore {
  private struct Key: Hashable {
    let item: String
    let user: String
  }
  private let saved = Mutex<[Key: Double]>([:])

  /// A storage without positions.
  public init() {}

  public func save(_ seconds: Double, item: String, user: String) {
    saved.withLock { $0[Key(item: item, user: user)] = seconds }
  }
  public func position(item: String, user: String) -> Double? {
    saved.withLock { $0[Key(item: item, user: user)] }
  }
  public func clear(item: String, user: String) {
    saved.withLock { $0[Key(item: item, user: user)] = nil }
  }
}

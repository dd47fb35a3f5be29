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
  public func positions(user: String) -> [(item: String, seconds: Double)] {
    saved.withLock { saved in
      saved.filter { $0.key.user == user }.map { (item: $0.key.item, seconds: $0.value) }
    }
  }
  public func clear(item: String, user: String) {
    saved.withLock { $0[Key(item: item, user: user)] = nil }
  }
}

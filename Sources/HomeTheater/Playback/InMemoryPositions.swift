import Synchronization

/// Positions that are forgotten when the program ends.
public final class InMemoryPositions: PositionStore {
  private struct Key: Hashable {
    let item: String
    let user: String
  }
  private struct Position {
    let seconds: Double
    /// Rises with each save.
    let number: Int
  }
  private struct State {
    var positions: [Key: Position] = [:]
    var saves = 0
  }
  private let state = Mutex(State())

  /// A storage without positions.
  public init() {}

  public func save(_ seconds: Double, item: String, user: String) {
    state.withLock {
      $0.saves += 1
      $0.positions[Key(item: item, user: user)] = Position(seconds: seconds, number: $0.saves)
    }
  }
  public func position(item: String, user: String) -> Double? {
    state.withLock { $0.positions[Key(item: item, user: user)]?.seconds }
  }
  public func positions(user: String) -> [(item: String, seconds: Double)] {
    state.withLock(\.positions).filter { $0.key.user == user }
      .sorted { $0.value.number > $1.value.number }
      .map { (item: $0.key.item, seconds: $0.value.seconds) }
  }
  public func clear(item: String, user: String) {
    state.withLock { $0.positions[Key(item: item, user: user)] = nil }
  }
}

import JSON

/// The requests for pictures that wait for one player. The users take turns, so that no user waits for the many
/// requests of another. A value without effects.
struct PictureTurns: Sendable {
  /// A request that waits.
  struct Request: Sendable {
    let id: Int
    /// The user who asks; `nil` for all without an account or pass.
    let user: String?
    let item: UTF8Key
  }

  /// The waiting requests, oldest first.
  private(set) var waiting: [Request] = []
  private var turns = 0
  /// The last turn of each user since the queue was last empty.
  private var lastTurns: [String?: Int] = [:]

  /// Adds a request.
  mutating func insert(_ request: Request) { waiting.append(request) }

  /// Removes the newest request of the user who has the most, unless `user` has as many with one more.
  ///
  /// - Returns: The removed request; `nil` if `user` would have the most.
  mutating func removeExcess(before user: String?) -> Request? {
    let counts = waiting.reduce(into: [String?: Int]()) { $0[$1.user, default: 0] += 1 }
    guard let most = counts.max(by: { $0.value < $1.value }),
      most.value > counts[user, default: 0] + 1,
      let index = waiting.lastIndex(where: { $0.user == most.key })
    else { return nil }
    return waiting.remove(at: index)
  }

  /// The number of waiting requests of a user.
  func count(of user: String?) -> Int { waiting.count { $0.user == user } }

  /// Returns the item of the next turn; `nil` if no request waits. Its requests stay until `remove`.
  mutating func next() -> UTF8Key? {
    // The first of several who have had no turn, or whose turn was as long ago, is the one who waits for longest.
    guard let next = waiting.min(by: { lastTurn(of: $0.user) < lastTurn(of: $1.user) }) else {
      lastTurns = [:]
      return nil
    }
    turns += 1
    lastTurns[next.user] = turns
    return next.item
  }

  private func lastTurn(of user: String?) -> Int { lastTurns[user, default: 0] }

  /// Removes all users' requests for an item, because its picture is there.
  mutating func remove(_ item: UTF8Key) -> [Request] {
    let answered = waiting.filter { $0.item == item }
    waiting.removeAll { $0.item == item }
    return answered
  }
}

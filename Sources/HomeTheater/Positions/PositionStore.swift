/// Where the places are kept at which people left their films and songs.
package protocol PositionStore: Sendable {
  /// Keeps `seconds` as the place at which `user` left `item`.
  func save(_ seconds: Double, item: String, user: String) async throws
  /// The place at which `user` left `item`, in seconds.
  func position(item: String, user: String) async throws -> Double?
  /// Forgets the place, because the item was played to its end.
  func clear(item: String, user: String) async throws
}

import Devices
import Scenes

/// Everything that the configuration names: rooms, activities and scenes.
extension TheaterSession {
  // MARK: Lists, in the order of the configuration

  /// Returns the rooms that the user may see, with what is on in each.
  public func rooms() async throws(TheaterError) -> [RoomStatus] {
    try await theater.rooms(for: principal)
  }

  /// Returns every activity, and whether the user may begin it.
  public func activities() async throws(TheaterError) -> [OfferedActivity] {
    try await theater.activities(for: principal)
  }

  /// Returns every scene, with its parameters and steps.
  public func scenes() async throws(TheaterError) -> [Scene] {
    try await theater.scenes(for: principal)
  }

  // MARK: Activities

  /// Begins an activity in place of the one that is on in its room.
  ///
  /// - Parameters:
  ///   - activity: Its name in the configuration.
  ///   - item: The title or id of its film or song, or a station, as of `watch(movie:)` and its relatives.
  ///   - room: The room of an activity that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether to ignore the position at which the user left the item.
  /// - Returns: The run of its start scene, which is under way.
  /// - Throws: `notFound` with the nearest name as a hint; `invalid` for a missing or ambiguous item.
  public func begin(
    _ activity: String, item: String? = nil, in room: RoomID? = nil, fromStart: Bool = false
  ) async throws(TheaterError) -> Run {
    let start = theater.plan.activities[activity]?.start
    let categories = item == nil ? [] : theater.categories(ofScene: start)
    try await theater.readCatalogues(of: categories, for: .play, by: principal)
    return try await theater.begin(
      activity, item: item, in: room, fromStart: fromStart, by: principal
    ).run
  }

  /// Ends what is on in a room.
  ///
  /// - Parameter room: `nil` for the first room.
  /// - Returns: The run of its end scene, which is under way.
  /// - Throws: `notNow` if nothing is on.
  public func end(in room: RoomID? = nil) async throws(TheaterError) -> Run {
    try await theater.end(in: room, by: principal)
  }

  // MARK: Scenes

  /// Plans a run of a scene for the present state of the devices. Nothing is sent.
  ///
  /// - Parameters:
  ///   - scene: Its name in the configuration.
  ///   - arguments: The values of its parameters, by name: `["film": "Night Ferry"]`.
  ///   - room: The room of a scene that belongs to none; `nil` for the first one.
  ///   - fromStart: Whether to ignore the position at which the user left the item.
  /// - Throws: `notFound` with the nearest name as a hint; `invalid` for arguments that do not fit.
  public func plan(
    _ scene: String, with arguments: [String: String] = [:], in room: RoomID? = nil,
    fromStart: Bool = false
  ) async throws(TheaterError) -> ScenePlan {
    try await readCatalogues(naming: arguments, of: scene)
    return try await theater.planScene(
      scene, arguments: arguments, in: room, fromStart: fromStart, by: principal)
  }

  /// Begins a run of a scene, whose `changes` can be followed.
  ///
  /// - Parameters: As of `plan`.
  /// - Returns: The run, which is under way.
  /// - Throws: As `plan`.
  public func start(
    _ scene: String, with arguments: [String: String] = [:], in room: RoomID? = nil,
    fromStart: Bool = false
  ) async throws(TheaterError) -> Run {
    try await readCatalogues(naming: arguments, of: scene)
    return try await theater.runScene(
      scene, arguments: arguments, in: room, fromStart: fromStart, by: principal)
  }

  /// Runs a scene to its end.
  ///
  /// - Parameters: As of `plan`.
  /// - Throws: As `plan`, and the failure that stopped the scene.
  @discardableResult
  public func run(
    _ scene: String, with arguments: [String: String] = [:], in room: RoomID? = nil,
    fromStart: Bool = false
  ) async throws(TheaterError) -> RunReport {
    try await result(
      of: try await start(scene, with: arguments, in: room, fromStart: fromStart))
  }

  /// Waits for the catalogues that the arguments of a scene may name an item of.
  private func readCatalogues(
    naming arguments: [String: String], of scene: String
  ) async throws(TheaterError) {
    let categories = arguments.isEmpty ? [] : theater.categories(ofScene: scene)
    try await theater.readCatalogues(of: categories, for: .operate, by: principal)
  }
}

import Devices
import Scenes

/// The theater for one user.
///
/// `HomeTheaterFacade.session(for:)` makes it. It names the requesting principal once, so that no call can
/// forget it. Sessions of several users may act on one theater at the same time; the newest request wins.
///
/// `start`, `begin` and `end` return the run that is under way, which can be followed and cancelled. The other
/// operations that begin or end something return when the last step of their scene is done. They throw
/// - `forbidden` if the user lacks a permission or exceeds a limit,
/// - `deviceFailed` with the device and the step that stopped the scene,
/// - `cancelled` if a newer request took its place.
///
/// A step that failed without stopping the scene, such as the popcorn's, stands in the report.
public struct TheaterSession: Sendable {
  /// The user on whose behalf every operation is done.
  public let principal: Principal
  let theater: HomeTheaterFacade

  init(theater: HomeTheaterFacade, principal: Principal) {
    self.theater = theater
    self.principal = principal
  }

  // MARK: Films, music, radio, popcorn

  /// Begins a film: popcorn, dimmed lights, screen, projector, surround sound, player.
  ///
  /// - Parameters:
  ///   - movie: Its title, its id, or a part of one title only.
  ///   - fromStart: Whether to ignore the position at which the user left it.
  /// - Throws: `notFound` with the nearest title as a hint; `invalid` if several titles contain `movie`.
  @discardableResult
  public func watch(movie: String, fromStart: Bool = false) async throws(TheaterError) -> RunReport
  {
    try await begin(.films, movie, fromStart: fromStart)
  }

  /// Ends the film: lights on, screen up; popcorn popper, projector, amplifier and DVD player off.
  ///
  /// - Throws: `notNow` if no film is on.
  @discardableResult
  public func endMovie() async throws(TheaterError) -> RunReport { try await end(.films) }

  /// Begins a song of the CD player, in stereo. The songs after it follow by themselves.
  ///
  /// - Parameters:
  ///   - song: Its title, its id, or a part of one title only.
  ///   - fromStart: Whether to ignore the position at which the user left it.
  /// - Throws: `notFound` with the nearest title as a hint; `invalid` if several titles contain `song`.
  @discardableResult
  public func listenToCD(song: String, fromStart: Bool = false) async throws(TheaterError)
    -> RunReport
  {
    try await begin(.songs, song, fromStart: fromStart)
  }

  /// Ends the music and opens the tray.
  ///
  /// - Throws: `notNow` if no song is on.
  @discardableResult
  public func endCD() async throws(TheaterError) -> RunReport { try await end(.songs) }

  /// Begins a station of the tuner, in stereo.
  ///
  /// - Parameter station: Its name or a part of no other name, or a frequency: "98.5 FM" in MHz (76 to 108), "810 AM"
  ///   in kHz (520 to 1710).
  /// - Throws: `notFound` with the nearest name as a hint; `invalid` if several names contain `station`, and for a
  ///   frequency out of range.
  @discardableResult
  public func listenToRadio(station: String) async throws(TheaterError) -> RunReport {
    try await begin(.stations, station, fromStart: true)
  }

  /// Ends the radio.
  ///
  /// - Throws: `notNow` if no station is on.
  @discardableResult
  public func endRadio() async throws(TheaterError) -> RunReport { try await end(.stations) }

  /// Makes a load of popcorn. The current item plays on.
  @discardableResult
  public func popcorn() async throws(TheaterError) -> RunReport {
    try await result(of: try await theater.popcorn(by: principal))
  }

  /// Stops every player and turns off every device of a room, or of the house, the lights last. A room leaves
  /// alone what the activity of another room uses.
  ///
  /// - Parameter room: `nil` for the house.
  @discardableResult
  public func turnEverythingOff(in room: RoomID? = nil) async throws(TheaterError) -> RunReport {
    try await result(of: try await theater.turnEverythingOff(in: room, by: principal))
  }

  /// Returns the films, songs or stations that the user may choose, each with the position at which the user left it.
  public func items(_ category: Category) async throws(TheaterError) -> [ListedItem] {
    try await theater.items(category, for: principal)
  }

  /// Returns the picture of a film or song; `nil` if there is none.
  ///
  /// - Parameter item: The id of an item that the user may choose.
  /// - Throws: `notFound` for another item; `deviceFailed` if its player does not answer.
  public func picture(of item: String) async throws(TheaterError) -> ItemPicture? {
    try await theater.picture(of: item, for: principal)
  }

  private func begin(
    _ category: Category, _ title: String, fromStart: Bool
  ) async throws(TheaterError) -> RunReport {
    try await theater.readCatalogues(of: [category], for: .play, by: principal)
    let started = try await theater.begin(
      category, item: title, fromStart: fromStart, by: principal)
    return try await result(of: started.run)
  }

  private func end(_ category: Category) async throws(TheaterError) -> RunReport {
    try await result(of: try await theater.end(category, by: principal))
  }

  func result(of run: Run) async throws(TheaterError) -> RunReport {
    let report = await run.finished()
    switch report.status {
    case .done: return report
    case .running:
      throw TheaterError(.cancelled, "the wait for the scene was cancelled; the scene goes on")
    case .failed, .cancelled:
      throw report.error
        ?? TheaterError(.cancelled, "the run was cancelled, or a newer request replaced it")
    }
  }
}

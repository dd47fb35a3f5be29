import Devices

/// The player and the volume of what is on in a room; a room of `nil` is the first one.
extension TheaterSession {
  /// Pauses the player.
  @discardableResult
  public func pause(in room: RoomID? = nil) async throws(TheaterError) -> Confirmation {
    try await theater.pause(in: room, by: principal)
  }

  /// Resumes the player.
  @discardableResult
  public func resume(in room: RoomID? = nil) async throws(TheaterError) -> Confirmation {
    try await theater.resume(in: room, by: principal)
  }

  /// Goes to the next track.
  @discardableResult
  public func next(in room: RoomID? = nil) async throws(TheaterError) -> Confirmation {
    try await theater.next(in: room, by: principal)
  }

  /// Goes to the previous track.
  @discardableResult
  public func previous(in room: RoomID? = nil) async throws(TheaterError) -> Confirmation {
    try await theater.previous(in: room, by: principal)
  }

  /// Goes to a position in seconds from the start of the item.
  @discardableResult
  public func seek(
    to seconds: Double, in room: RoomID? = nil
  ) async throws(TheaterError) -> Confirmation {
    try await theater.seek(seconds, isRelative: false, in: room, by: principal)
  }

  /// Goes forward by some seconds, or back by a negative number of them.
  @discardableResult
  public func seek(
    by seconds: Double, in room: RoomID? = nil
  ) async throws(TheaterError) -> Confirmation {
    try await theater.seek(seconds, isRelative: true, in: room, by: principal)
  }

  /// Changes the volume of the amplifier.
  @discardableResult
  public func changeVolume(
    _ change: VolumeChange, in room: RoomID? = nil
  ) async throws(TheaterError) -> VolumeOutcome {
    try await theater.changeVolume(change, in: room, by: principal)
  }
}

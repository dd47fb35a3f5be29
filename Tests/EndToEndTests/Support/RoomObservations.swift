import JSON
import TestSupport
import Testing

extension LiveController {
  /// What is on in a room, as `GET /rooms` tells it.
  func status(ofRoom name: String) async -> JSON? {
    let rooms = try? await state("/rooms")["rooms"]?.array
    return rooms?.first { $0["name"]?.string == name }
  }

  /// The activity of a room.
  func activity(in name: String) async -> JSON? { await status(ofRoom: name)?["activity"] }

  /// The state of the player of a room's activity: `playing`.
  func playback(in name: String) async -> String? {
    await status(ofRoom: name)?["playback"]?["state"]?.string
  }

  /// A value of a device's state.
  func value(_ key: String, of device: String) async -> JSON? {
    (try? await self.device(device))?["state"]?[key]?["value"]
  }

  /// Waits until the activity of a room has a status.
  func waitForActivity(
    _ status: String, in name: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let isReached = await eventually {
      await self.activity(in: name)?["status"]?.string == status
    }
    let found = await activity(in: name)
    try #require(
      isReached, "\(String(describing: found))\n\(log)", sourceLocation: location)
  }
}

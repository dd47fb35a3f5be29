import APIClient
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// What plays, and since when.
struct Playing {
  private let activity: JSON?
  private let run: JSON?
  private let position: Double
  private let start = ContinuousClock.now

  init(_ room: LiveController) async throws {
    let status = try await room.json("status")
    activity = status["activity"]?["activity"]
    run = status["activity"]?["itemTitle"]
    position = try #require(status["playback"]?["position"]?.number)
  }

  /// The same activity and song play, and the position has gone on as the time has.
  func expectToGoOn(_ room: LiveController) async throws {
    let status = try await room.json("status")
    let passed = (ContinuousClock.now - start) / .seconds(1)
    #expect(status["activity"]?["activity"] == activity)
    #expect(status["activity"]?["itemTitle"] == run)
    #expect(status["activity"]?["status"] == "running")
    #expect(status["playback"]?["state"] == "playing")
    let now = try #require(status["playback"]?["position"]?.number)
    #expect(now > position)
    #expect(abs(now - position - passed) < 1.5, "\(position) s, \(passed) s later \(now) s")
  }
}

/// The events of devices from now on.
final class DeviceEvents: Sendable {
  private struct Seen {
    var ids: Set<String> = []
    var isOpen = false
  }
  private final class Log: Sendable { let seen = Mutex(Seen()) }
  private let log = Log()
  private let task: Task<Void, any Error>

  /// Listens from when it returns.
  init(_ room: LiveController) async throws {
    let token = room.text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let client = ControllerClient(
      .socket(room.folder.appendingPathComponent("run/theater/theater.sock").path), token: token)
    let log = log
    task = Task {
      _ = try await client.listen { event in
        log.seen.withLock { seen in
          if event.name == "snapshot" { seen.isOpen = true }
          if event.name == "device" { seen.ids.insert(event.json["id"]?.string ?? "?") }
        }
        return true
      }
    }
    #expect(await eventually { log.seen.withLock { $0.isOpen } })
  }

  /// The devices with events, but for some.
  func end(excluding names: Set<String>) async -> Set<String> {
    task.cancel()
    _ = await task.result
    return log.seen.withLock { $0.ids }.subtracting(names)
  }
}

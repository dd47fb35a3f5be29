import APIClient
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// The current item, and the time at which it was read.
struct Playing {
  private let activity: JSON?
  private let title: JSON?
  private let position: Double
  private let start = ContinuousClock.now

  init(_ room: LiveController) async throws {
    let status = try await room.state("/status")
    activity = status["activity"]?["activity"]
    title = status["activity"]?["itemTitle"]
    position = try #require(status["playback"]?["position"]?.number)
  }

  /// Expects that the same activity and item play, and that the position has advanced by the
  /// elapsed time, within 1.5 s.
  func expectToGoOn(_ room: LiveController) async throws {
    let status = try await room.state("/status")
    let passed = (ContinuousClock.now - start) / .seconds(1)
    #expect(status["activity"]?["activity"] == activity)
    #expect(status["activity"]?["itemTitle"] == title)
    #expect(status["activity"]?["status"] == "running")
    #expect(status["playback"]?["state"] == "playing")
    let now = try #require(status["playback"]?["position"]?.number)
    #expect(now > position)
    #expect(abs(now - position - passed) < 1.5, "\(position) s, \(passed) s later \(now) s")
  }
}

/// A recorder of the events of devices.
final class DeviceEvents: Sendable {
  private struct Seen {
    /// The devices as they were before the first event.
    var before: [String: JSON] = [:]
    var ids: Set<String> = []
    var isOpen = false
    /// When the amplifier was last reported to be on, with the input of the CD player.
    var amplifierIsReady: ContinuousClock.Instant?
  }
  private final class Log: Sendable { let seen = Mutex(Seen()) }
  private let log = Log()
  private let task: Task<Void, any Error>

  /// Begins to listen, and returns once the stream is open.
  init(_ room: LiveController) async throws {
    let token = room.text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let client = ControllerClient(
      .socket(room.folder.appendingPathComponent("run/theater/theater.sock").path), token: token)
    let log = log
    for device in try #require(try await room.state("/devices")["devices"]?.array) {
      log.seen.withLock { $0.before[device["id"]?.string ?? "?"] = Self.settings(device) }
    }
    task = Task {
      _ = try await client.listen { event in
        log.seen.withLock { seen in
          if event.name == "snapshot" { seen.isOpen = true }
          guard event.name == "device", let id = event.json["id"]?.string else { return }
          if seen.before[id] != Self.settings(event.json) { seen.ids.insert(id) }
          let state = event.json["state"]
          if id == "amp", event.json["availability"] == "available",
            state?["power"]?["value"] == "on", state?["input"]?["value"] == "cd"
          {
            seen.amplifierIsReady = .now
          }
        }
        return true
      }
    }
    #expect(await eventually { log.seen.withLock { $0.isOpen } })
  }

  /// The availability and state of a device, without the position of a player, which moves.
  private static func settings(_ device: JSON) -> JSON {
    var settings: JSONObject = ["availability": device["availability"] ?? .null]
    for (key, reading) in device["state"]?.object ?? [:] {
      settings[key] = reading["value"]
      guard key == "playback", var playback = reading["value"]?.object else { continue }
      playback["position"] = nil
      settings[key] = .object(playback)
    }
    return .object(settings)
  }

  /// When the amplifier was last reported to be on, with the input of the CD player.
  var amplifierIsReady: ContinuousClock.Instant? { log.seen.withLock { $0.amplifierIsReady } }

  /// Stops listening.
  ///
  /// - Returns: The devices whose availability or state changed, except `names`.
  func end(excluding names: Set<String>) async -> Set<String> {
    task.cancel()
    _ = await task.result
    return log.seen.withLock { $0.ids }.subtracting(names)
  }
}

import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import Platform
import TestSupport
import Testing

/// A stop takes at most 5 s and ends with 0, whatever the theater and its plugins do.
@Suite(.serialized) struct StopTests {
  private static func theater(_ kind: String, more: JSONObject = [:]) throws -> SmallTheater {
    var configuration = more
    configuration["devices"] = [
      "lights": ["role": "lights", "plugin": "Simulated", "options": ["speed": 0]],
      "cd": ["role": "cdPlayer", "plugin": "Stubborn", "options": ["kind": .string(kind)]],
    ]
    let theater = try SmallTheater(more: configuration)
    try theater.addPlugin("Stubborn")
    return theater
  }

  /// The process of the plugin, once it was asked for a scan.
  private func scanned(in theater: SmallTheater) async throws -> pid_t {
    try #require(
      await eventually { theater.text("plugins/Stubborn/scanned").contains("\n") },
      "\(theater.text("log"))")
    let line = theater.text("plugins/Stubborn/scanned").split(separator: "\n").first
    return try #require(line.flatMap { pid_t($0) })
  }

  private func expectStop(
    of theater: SmallTheater, _ signals: Int32..., location: SourceLocation = #_sourceLocation
  ) async {
    let stop =
      signals.count > 1
      ? await theater.stop(SIGTERM, SIGINT, SIGTERM) : await theater.stop(signals.first ?? SIGTERM)
    #expect(stop.status == .exited(0), "\(theater.text("log"))", sourceLocation: location)
    #expect(stop.seconds < 5, "\(theater.text("log"))", sourceLocation: location)
  }

  @Test(
    "with a plugin that leaves the scan open, answers it with a refused line, or does not end",
    arguments: [
      "silent", "invalid", "deep", "long", "late-id", "garbage", "flood", "closed", "stopped",
    ])
  func plugin(kind: String) async throws {
    let theater = try Self.theater(kind)
    #expect(try await theater.start())
    let pid = try await scanned(in: theater)
    await expectStop(of: theater, SIGTERM)
    #expect(await eventually(within: 5) { kill(pid, 0) != 0 })
  }

  @Test(
    "a refused line ends the scan that it answers",
    arguments: ["invalid", "deep", "long", "late-id", "garbage"])
  func refusedLine(kind: String) async throws {
    let theater = try Self.theater(kind)
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    _ = try await scanned(in: theater)
    let clock = ContinuousClock()
    let start = clock.now
    let answer = try await owner.send(.POST, "/api/v1/library/scan", [:])
    #expect(clock.now - start < .seconds(20))
    #expect("\(answer.json)".contains("cannot be read"), "\(answer.status) \(answer.json)")
    await theater.close()
  }

  @Test("while a scan of the library, a scene and an event stream are open, with three signals")
  func busy() async throws {
    let theater = try Self.theater(
      "silent",
      more: [
        "scenes": ["long": ["title": "Long", "steps": [["wait": "10 min"], ["lights": "on"]]]]
      ])
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    let token = try await theater.logIn()
    _ = try await scanned(in: theater)
    let run = try await owner.send(.POST, "/api/v1/scenes/long/runs", [:])
    #expect(run.status < 300, "\(run.json)")
    let waiting = Task {
      async let scan = theater.client(token: token).send(.POST, "/api/v1/library/scan", [:])
      async let events = Program.tool(
        "curl", "-sN", "--max-time", "60", "--unix-socket",
        theater.path("run/theater/theater.sock"), "-H", "Authorization: Bearer \(token)",
        "http://localhost/api/v1/events")
      _ = try? await (scan, events)
    }
    // The scan is asked for behind the one of the start.
    #expect(
      await eventually {
        theater.text("plugins/Stubborn/scanned").split(separator: "\n").count > 1
      })
    await expectStop(of: theater, SIGTERM, SIGINT)
    await waiting.value
  }

  @Test("during the start", arguments: [0, 30, 100])
  func start(milliseconds: Int) async throws {
    let theater = try Self.theater("silent")
    async let started = theater.start()
    // The lock is taken when the signals are listened to.
    #expect(
      await eventually {
        FileManager.default.fileExists(atPath: theater.path("run/theater/theater.lock"))
      })
    try await Task.sleep(for: .milliseconds(milliseconds))
    await expectStop(of: theater, SIGTERM)
    _ = try await started
  }
}

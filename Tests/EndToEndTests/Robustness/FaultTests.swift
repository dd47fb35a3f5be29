import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct FaultTests {
  @Test(
    "E17 · a plugin that is killed during a film restarts with its state restored",
    arguments: ["Simulated", "ALSAAmplifier", "LibavPlayer"])
  func killedPlugin(name: String) async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film, "--from-start")
      let old = try #require(try await room.pid(of: name))
      let recordings = room.recordings.count
      kill(old, SIGKILL)
      #expect(
        await eventually {
          guard let new = try? await room.pid(of: name) else { return false }
          return new != old
        })
      #expect(
        await eventually {
          guard let amp = try? await room.device("amp"), let dvd = try? await room.device("dvd")
          else { return false }
          return amp["state"]?["power"]?["value"] == "on"
            && amp["state"]?["power"]?["provenance"] == "reported"
            && amp["state"]?["input"]?["value"] == "dvd"
            && dvd["state"]?["playback"]?["value"]?["state"] == "playing"
        }, "not restored: \(room.log)")
      // The sound goes on.
      let heardBefore = room.newestRecording?.seconds ?? 0
      #expect(
        await eventually {
          room.recordings.count > recordings || (room.newestRecording?.seconds ?? 0) > heardBefore
        })
      try await room.expect("stop")
    }
  }

  @Test("F1 · the plugins end within seconds after the controller was killed")
  func killedController() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      var pids: [pid_t] = []
      for name in ["Simulated", "ALSAAmplifier", "LibavPlayer"] {
        pids.append(try #require(try await room.pid(of: name)))
      }
      await room.crash()
      for pid in pids {
        #expect(await eventually(within: 10) { !isAlive(pid) }, "\(pid) is still there")
      }
    }
  }

  @Test("F1 E10 · SIGTERM leaves nothing running and keeps the position of the film")
  func terminated() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film, "--from-start")
      let plugin = try #require(try await room.pid(of: "Simulated"))
      try await room.expect("seek", "0:20")
      #expect(
        await eventually {
          let position = (try? await room.state("/status"))?["playback"]?["position"]?.number
          return (position ?? 0) > 21.5
        })
      kill(room.pid, SIGTERM)
      #expect(await eventually { room.hasEnded })
      #expect(await eventually { !isAlive(plugin) })
      try room.start()
      try #require(await eventually { (try? await room.theater("status"))?.status == 0 })
      try await room.waitForDevices()
      #expect(try await room.expect("watch", film).contains("going on at 0:"))
    }
  }

  @Test("F6 · an invalid configuration starts nothing and lists every error with its path")
  func wrongConfiguration() async throws {
    let arrange = { (configuration: inout Configuration, _: URL) in
      configuration.set(
        "lights", at: ["devices"], ["role": "lihgts", "plugin": "Simulated"])
      configuration.set("projector", at: ["devices"], ["role": "projector", "plugni": "Simulated"])
    }
    let room = try await LiveController(arrange: arrange)
    #expect(await eventually { room.hasEnded })
    #expect(room.console.isEmpty)
    for part in ["$.devices.lights.role", "\"lights\"", "$.devices.projector", "plugin"] {
      #expect(room.log.contains(part), "\(room.log)")
    }
    await room.close()
  }

  @Test("F5 · a database of a newer version is refused with what to do")
  func newerDatabase() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      kill(room.pid, SIGTERM)
      #expect(await eventually { room.hasEnded })
      let database = try #require(
        room.files(below: "state").first { $0.hasSuffix(".sqlite") })
      let outcome = try await Program.tool(
        "sqlite3", database,
        "INSERT INTO grdb_migrations VALUES ('from a later version'); PRAGMA user_version = 999;")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let again = try await room.serveAgain()
      #expect(again.status == 1)
      #expect(again.errors.contains("newer"), "\(again.errors)")
    }
  }

  @Test("F5 · a port in use is named in the error")
  func portInUse() async throws {
    try await withLiveController { room in
      _ = try await room.setupCode()
      let port = room.console.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1 ?? ""
      let other = try await LiveController()
      _ = try await other.setupCode()
      kill(other.pid, SIGTERM)
      #expect(await eventually { other.hasEnded })
      let again = try await other.serveAgain("--port", String(port))
      #expect(again.status == 1)
      #expect(again.errors.contains(port), "\(again.errors)")
      await other.close()
    }
  }

  @Test(
    "F5 · a host that is not an address of this machine is refused with what to do",
    arguments: ["999.1.1.1", "192.0.2.1"])
  func foreignHost(host: String) async throws {
    try await withLiveController { room in
      _ = try await room.setupCode()
      kill(room.pid, SIGTERM)
      #expect(await eventually { room.hasEnded })
      let again = try await room.serveAgain("--host", host)
      #expect(again.status == 1)
      #expect(again.errors.contains("\(host) is not an address of this machine"), "\(again.errors)")
      #expect(again.errors.contains("ip address"))
    }
  }

  @Test("F6 · a missing configuration is named in the error")
  func missingConfiguration() async throws {
    try await withLiveController { room in
      let outcome = try await room.theater("config", "check", "nowhere.json")
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("nowhere.json"))
    }
  }

  @Test("F1 · a plugin with an unreadable manifest does not stop the others")
  func unreadableManifest() async throws {
    let arrange = { (_: inout Configuration, folder: URL) in
      let place = folder.appendingPathComponent("plugins/Broken")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("{ \"id\": ".utf8).write(to: place.appendingPathComponent("manifest.json"))
    }
    try await withLiveController(arrange: arrange) { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film, "--from-start")
      #expect(try await room.expect("plugins").contains("Broken"))
    }
  }

  private func isAlive(_ pid: pid_t) -> Bool {
    guard kill(pid, 0) == 0 else { return false }
    // A child that has ended but was not waited for is dead too.
    let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return status.map { !$0.contains(") Z ") } ?? false
  }
}

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct FaultTests {
  @Test(
    "E17 · a plugin killed in the middle of a film comes back, with what died with it",
    arguments: ["Simulated", "ALSAAmplifier", "LibavPlayer"])
  func killedPlugin(name: String) async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
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
      // And it is heard again.
      let heardBefore = room.newestRecording?.seconds ?? 0
      #expect(
        await eventually {
          room.recordings.count > recordings || (room.newestRecording?.seconds ?? 0) > heardBefore
        })
      try await room.expect("stop")
    }
  }

  @Test("F1 · after the controller is killed its plugins are gone within seconds")
  func killedController() async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
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

  @Test("F1 · SIGTERM leaves nothing running and keeps the place in the film")
  func terminated() async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film, "--from-start")
      let pids = try #require(try await room.pid(of: "Simulated"))
      #expect(
        await eventually {
          let position = (try? await room.json("status"))?["playback"]?["position"]?.number
          return (position ?? 0) > 1.5
        })
      kill(room.pid, SIGTERM)
      #expect(await eventually { !isAlive(room.pid) || room.hasEnded })
      #expect(await eventually { !isAlive(pids) })
      let database = room.folder.appendingPathComponent("state")
      let files = FileManager.default.enumerator(atPath: database.path)?.allObjects ?? []
      #expect(files.contains { "\($0)".hasSuffix(".sqlite") } || !files.isEmpty)
    }
  }

  @Test("F6 · a wrong configuration never starts half: every error with line, column and path")
  func wrongConfiguration() async throws {
    let arrange = { (configuration: inout Configuration, _: URL) in
      configuration.set(
        "lights", at: ["devices"], ["role": "lihgts", "plugin": "Simulated"])
      configuration.set("projector", at: ["devices"], ["role": "projector", "plugni": "Simulated"])
    }
    let room = try await LivingRoom(arrange: arrange)
    #expect(await eventually { room.hasEnded })
    let said = room.console + room.log
    #expect(said.contains("$.devices.lights.role"), "\(said)")
    #expect(said.contains("\"lights\""))
    #expect(said.contains("$.devices.projector"))
    #expect(said.contains("plugin"))
    await room.close()
  }

  @Test("F5 · a database from a newer version is left alone, with what to do")
  func newerDatabase() async throws {
    try await withLivingRoom { room in
      try await room.moveIn()
      kill(room.pid, SIGTERM)
      #expect(await eventually { room.hasEnded })
      let database = try #require(
        room.files(below: "state").first { $0.hasSuffix(".sqlite") }
          ?? room.files(below: "data").first { $0.hasSuffix(".sqlite") })
      let outcome = try await Program.tool(
        "sqlite3", database,
        "INSERT INTO grdb_migrations VALUES ('from a later version'); PRAGMA user_version = 999;")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let again = try await room.serveAgain()
      #expect(again.status == 1)
      #expect((again.output + again.errors).contains("newer"), "\(again.output)\(again.errors)")
    }
  }

  @Test("F5 · a port that is in use is named, with what to do")
  func portInUse() async throws {
    try await withLivingRoom { room in
      _ = await room.setupCode()
      let port = room.console.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1 ?? ""
      let other = try await LivingRoom()
      _ = await other.setupCode()
      kill(other.pid, SIGTERM)
      #expect(await eventually { other.hasEnded })
      let again = try await other.serveAgain("--port", String(port))
      #expect(again.status == 1)
      #expect((again.output + again.errors).contains(port), "\(again.output)\(again.errors)")
      await other.close()
    }
  }

  @Test(
    "F5 · a host that is no address of this machine is named, with what to do",
    arguments: ["999.1.1.1", "192.0.2.1"])
  func foreignHost(host: String) async throws {
    try await withLivingRoom { room in
      _ = await room.setupCode()
      kill(room.pid, SIGTERM)
      #expect(await eventually { room.hasEnded })
      let again = try await room.serveAgain("--host", host)
      #expect(again.status == 1)
      #expect(again.errors.contains("\(host) is no address of this machine"), "\(again.errors)")
      #expect(again.errors.contains("ip address"))
    }
  }

  @Test("F6 · a configuration that is not there is said so, with what to do")
  func missingConfiguration() async throws {
    try await withLivingRoom { room in
      let outcome = try await room.theater("config", "check", "nowhere.json")
      #expect(outcome.status == 1)
      #expect((outcome.output + outcome.errors).contains("nowhere.json"))
    }
  }

  @Test("F1 · a plugin that cannot be read does not keep the others from running")
  func unreadableManifest() async throws {
    let arrange = { (_: inout Configuration, folder: URL) in
      let place = folder.appendingPathComponent("plugins/Broken")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("{ \"id\": ".utf8).write(to: place.appendingPathComponent("manifest.json"))
    }
    try await withLivingRoom(arrange: arrange) { room in
      try await room.moveIn()
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

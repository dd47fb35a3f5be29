import Foundation
import JSON
import Platform
import PluginTestSupport
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)), RealTheater.isInstalled)
struct RealFailureTests {
  private let real: RealTheater

  init() async throws { real = try await RealTheater() }

  @Test(
    "E12 · a film fails without its disc and waits for its display, and its end restores the room")
  func failures() async throws {
    let folder = try TemporaryFolder()
    let image = try folder.file("discs/Night.iso")
    let original = try RealTheater.dvd.get().path(of: RealTheater.item)
    try FileManager.default.copyItem(atPath: original, toPath: image)
    try await real.withRoom(discs: folder.path(of: "discs")) { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      try FileManager.default.removeItem(atPath: image)
      // mpv has read ahead, and still holds the image.
      kill(try #require(try await real.mpv(in: room)), SIGKILL)
      try await real.expectFailure("it cannot be played", in: room)
      #expect(room.log.contains("mpv ended unexpectedly"))
      // The plugin of mpv still runs.
      let log = try JSON(parsing: try await room.get("/devices/dvd/log"))
      #expect(log["plugin"] == "MpvPlayer" && log["status"] == "running", "\(log)")

      try FileManager.default.copyItem(atPath: original, toPath: image)
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      real.display.end()
      // The player waits for the display, and the controller ends the activity after its `whenFailed`.
      await real.expectEnd(hasDisplay: false, in: room)
      #expect(try await room.expect("status").contains("it did not play for 30 s"))
    }
  }

  @Test("F4 F6 · a film goes on unheard without the sound server, and is heard when it is back")
  func silence() async throws {
    try await real.withRoom { room in
      try await room.expect("watch", RealTheater.film, "--from-start")
      try await real.expectFilm(from: 0, in: room)
      real.speakers.end()
      #expect(
        await eventually { room.warnings.contains { $0.contains("] amp: NO SOUND") } },
        "\(room.log)")
      let then = await real.position(in: room)
      #expect(await eventually { await real.position(in: room) > then + 1 }, "\(room.log)")
      #expect(real.display.shows(RealTheater.red))
      try await real.speakers.start()
      try await real.expectFilm(from: then + 1, in: room)
    }
  }
}

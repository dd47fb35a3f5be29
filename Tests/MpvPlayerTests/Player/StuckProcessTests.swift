import Devices
import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// An mpv that cannot be ended, as while it waits for a dead share, and a display that is gone.
@Suite("MpvPlayer: what does not come back", .realTime, .timeLimit(.minutes(3)))
struct StuckProcessTests {
  @Test(
    "F1 · plays and lists local films while a share is dead, also after a restart",
    .enabled(if: DeadShare.isInstalled, "needs FUSE and the package python3-fusepy"))
  func deadShare() async throws {
    let folder = try TemporaryFolder()
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=640x360:d=60", "-f", "lavfi", "-i", "sine=440:d=60",
      "-c:v", "mpeg2video", "-qscale:v", "2", "-c:a", "flac", try folder.file("remote/long.mkv"),
    ])
    try FileManager.default.createDirectory(
      atPath: folder.path(of: "share"), withIntermediateDirectories: true)
    let share = try DeadShare(of: folder.path(of: "remote"), at: folder.path(of: "share"))
    defer { share.end() }
    let options: JSONObject = [
      "folders": [.string(share.path), .string(try TestFilms.make().path)]
    ]
    let player = try await PlayerBench(.dvdPlayer, options)
    try await player.play("share/long.mkv")
    try share.set(isDead: true)
    try await player.wait("it waits for the share") { $0.playback?.status == .opening }
    let clock = ContinuousClock()
    func isQuick(_ what: Comment, within limit: Duration, _ body: () async throws -> Void)
      async throws
    {
      let start = clock.now
      try await body()
      let time = clock.now - start
      #expect(time < limit, "\(what): \(time)")
    }
    try await isQuick("another film", within: .seconds(5)) {
      try await player.play("films/red.mkv")
    }
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    try await isQuick("stop", within: .seconds(5)) { try await player.perform("stop") }
    try await isQuick("scan", within: .seconds(20)) {
      let items = try await player.scan().map(\.id)
      #expect(items == ["films/blue.mkv", "films/red.mkv"])
    }
    try await isQuick("the film of the share", within: .seconds(5)) {
      let refusal = await player.refusal(of: ["play": ["item": "share/long.mkv"]])
      #expect(refusal?.contains("does not answer") == true, "\(refusal ?? "it plays")")
    }
    try await isQuick("start", within: .seconds(8)) {
      let other = try await PlayerBench(.dvdPlayer, options)
      try await other.play("films/blue.mkv")
      await other.end()
    }
    try share.set(isDead: false)
    try await player.wait("nothing is left behind") { $0.processes.count <= 1 }
    try await player.play("share/long.mkv")
    #expect(player.playback?.status == .playing)
    await player.end()
  }

  @Test("F1 · a film waits for a display that is gone, and goes on when it is back")
  func display() async throws {
    let folder = try TemporaryFolder()
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=64x36:d=60", "-f", "lavfi", "-i", "sine=440:d=60",
      "-c:a", "flac", try folder.file("films/long.mkv"),
    ])
    let first = try RunningProgram("Xvfb", ["-displayfd", "1", "-nolisten", "tcp"])
    let number = try first.line()
    let player = try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(folder.path(of: "films"))], "videoOutput": "x11",
        "display": .string(":\(number)"),
      ])
    try await player.play("films/long.mkv", from: 20)
    first.end()
    try await player.wait("it waits for the display") {
      $0.playback?.status == .opening && $0.playback?.reason?.contains("display") == true
    }
    let second = try RunningProgram("Xvfb", [":\(number)", "-displayfd", "1", "-nolisten", "tcp"])
    defer { second.end() }
    _ = try second.line()
    try await player.wait("it plays again") { $0.playback?.status == .playing }
    #expect((19..<30).contains(player.playback?.position ?? 0))
    await player.end()
  }
}

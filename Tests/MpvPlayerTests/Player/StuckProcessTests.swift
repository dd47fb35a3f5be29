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
  /// The folders of a share and of the test films.
  private static func options(_ share: DeadShare) throws -> JSONObject {
    ["folders": [.string(share.path), .string(try TestFilms.make().path)]]
  }

  /// Begins to play `share/long.mkv`, a film of a minute.
  private static func playFromShare() async throws -> (DeadShare, PlayerBench) {
    let share = try DeadShare { folder in
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "testsrc=s=640x360:d=60", "-f", "lavfi", "-i", "sine=660:d=60",
        "-c:v", "mpeg2video", "-qscale:v", "2", "-c:a", "flac", "\(folder)/long.mkv",
      ])
    }
    let player = try await PlayerBench(.dvdPlayer, options(share))
    try await player.play("share/long.mkv")
    return (share, player)
  }

  /// Checks that something takes less than `limit`.
  private static func expectQuick(
    _ what: Comment, within limit: Duration = .seconds(5), _ body: () async throws -> Void
  ) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    let time = clock.now - start
    #expect(time < limit, "\(what): \(time)")
  }

  /// A program that traces a thread of a process, and stops it with SIGSTOP. The kernel then hides the end of a killed
  /// process from its parent, like that of a process that waits for a dead share.
  private static let tracer = """
    import ctypes, os, signal, sys
    process = int(sys.argv[1])
    result = ctypes.CDLL(None, use_errno=True).ptrace(0x4206, process, 0, 0)
    os.kill(process, signal.SIGSTOP)
    print("traced" if result == 0 else "refused", flush=True)
    sys.stdin.read()
    """

  /// Whether a process may trace one that is not its child.
  private static let canTrace =
    geteuid() == 0
    || FileManager.default.contents(atPath: "/proc/sys/kernel/yama/ptrace_scope")
      != Data("1\n".utf8)

  @Test(
    "leaves an mpv behind that answers, but does not stop and does not end, and plays in another",
    .enabled(if: canTrace, "needs the permission to trace other processes"))
  func leftBehind() async throws {
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(try TestFilms.make().path)]])
    try await player.play("films/blue.mkv")
    let process = try #require(player.processes.first)
    // mpv's thread that plays stops, and the one that answers goes on.
    let tracer = try RunningProgram("python3", ["-c", Self.tracer, "\(process)"])
    try #require(try tracer.line() == "traced")
    try await Self.expectQuick("stop") { try await player.perform("stop") }
    try await player.wait("it says so") {
      $0.attribute("problem")?.string?.contains("process \(process)") == true
    }
    try await Self.expectQuick("another film") { try await player.play("films/red.mkv") }
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    tracer.end()
    try await player.wait("the problem is over") { $0.attribute("problem") == .null }
    await player.end()
  }

  @Test(
    "plays and lists local films while a share is dead, also after a restart",
    .enabled(if: DeadShare.isInstalled, DeadShare.reason))
  func deadShare() async throws {
    let (share, player) = try await Self.playFromShare()
    defer { share.end() }
    try share.set(isDead: true)
    try await player.wait("it waits for the share") { $0.playback?.status == .opening }
    try await Self.expectQuick("another film") {
      try await player.play("films/red.mkv")
    }
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    try await Self.expectQuick("stop") { try await player.perform("stop") }
    try await Self.expectQuick("scan", within: .seconds(20)) {
      let items = try await player.scan().map(\.id)
      #expect(items == ["films/blue.mkv", "films/red.mkv"])
    }
    try await Self.expectQuick("the film of the share") {
      let refusal = await player.refusal(of: ["play": ["item": "share/long.mkv"]])
      #expect(refusal?.contains("does not answer") == true, "\(refusal ?? "it plays")")
    }
    try await Self.expectQuick("start", within: .seconds(8)) {
      let other = try await PlayerBench(.dvdPlayer, Self.options(share))
      try await other.play("films/blue.mkv")
      await other.end()
    }
    try share.set(isDead: false)
    try await player.wait("nothing is left behind") { $0.processes.count <= 1 }
    try await player.play("share/long.mkv")
    #expect(player.playback?.status == .playing)
    await player.end()
  }

  @Test(
    "stop leaves an mpv behind that waits for a dead share, says so, and another film plays",
    .enabled(if: DeadShare.isInstalled, DeadShare.reason))
  func stopOnDeadShare() async throws {
    let (share, player) = try await Self.playFromShare()
    defer { share.end() }
    let process = try #require(player.processes.first)
    try share.set(isDead: true)
    try await player.wait("it waits for the share") { $0.playback?.status == .opening }
    try await Self.expectQuick("stop") { try await player.perform("stop") }
    #expect(player.playback?.status == .stopped)
    try await player.wait("it says so") {
      $0.attribute("problem")?.string?.contains("process \(process)") == true
    }
    try await Self.expectQuick("another film") { try await player.play("films/red.mkv") }
    player.sink.reset()
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    // The process that was left behind still holds its end of the cable.
    try await player.wait("the sound of the new film", within: 2) { $0.sink.waves > 200 }
    #expect(abs(player.sink.frequency - 440) < 5)
    #expect(player.attribute("problem")?.string?.contains("process \(process)") == true)
    #expect(kill(process, 0) == 0, "it is left behind")
    try share.set(isDead: false)
    try await player.wait("the problem is over") { $0.attribute("problem") == .null }
    #expect(kill(process, 0) != 0, "it is collected")
    try await player.play("share/long.mkv")
    #expect(player.playback?.status == .playing)
    await player.end()
  }

  @Test(
    "another film plays at once although its share died only a moment ago",
    .enabled(if: DeadShare.isInstalled, DeadShare.reason), arguments: [false, true])
  func unnoticedDeadShare(isStopped: Bool) async throws {
    let (share, player) = try await Self.playFromShare()
    defer { share.end() }
    let process = try #require(player.processes.first)
    try share.set(isDead: true)
    if isStopped { try await Self.expectQuick("stop") { try await player.perform("stop") } }
    try await Self.expectQuick("another film") { try await player.play("films/red.mkv") }
    player.sink.reset()
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    try await player.wait("its sound", within: 2) { $0.sink.waves > 200 }
    #expect(abs(player.sink.frequency - 440) < 5)
    try await player.wait("it says so") {
      $0.attribute("problem")?.string?.contains("process \(process)") == true
    }
    try share.set(isDead: false)
    try await player.wait("the problem is over") { $0.attribute("problem") == .null }
    await player.end()
  }

  @Test("a film waits for a display that is gone, and goes on when it is back")
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

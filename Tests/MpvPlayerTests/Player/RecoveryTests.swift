import Devices
import Foundation
import JSON
import Platform
import PluginKit
import TestSupport
import Testing

@testable import MpvPlayer

/// Recovery after mpv crashes, hangs, closes its connection or sends garbage.
@Suite("MpvPlayer: recovery", .realTime, .timeLimit(.minutes(3)))
struct RecoveryTests {
  @Test(
    "F1 · resumes the film after a crash or a hang of mpv",
    arguments: [SIGKILL, SIGSTOP])
  func goesOn(signal: Int32) async throws {
    let films = try TestFilms.make()
    let player = try await PlayerBench(.dvdPlayer, ["folders": [.string(films.path)]])
    try await player.play("films/red.mkv", from: 0.3)
    try await player.wait("it is heard") { $0.sink.frames > 9_600 }
    let process = try #require(player.processes.first)
    let count = player.playbacks.count
    kill(process, signal)
    try await player.wait("it plays again") { player in
      player.playbacks.dropFirst(count).contains { $0.status == .playing }
    }
    let again = try #require(player.playbacks.dropFirst(count).first { $0.status == .playing })
    #expect((0.3...1.4).contains(again.position), "\(again)")
    #expect(player.processes != [process])
    player.sink.reset()
    try await player.wait("it is heard again") { $0.sink.frames > 9_600 }
    await player.end()
    #expect(player.processes.isEmpty)
  }

  @Test("F1 · keeps a film paused after a crash")
  func paused() async throws {
    let films = try TestFilms.make()
    let player = try await PlayerBench(.dvdPlayer, ["folders": [.string(films.path)]])
    try await player.play("films/red.mkv", from: 1)
    try await player.perform("pause")
    let count = player.playbacks.count
    kill(try #require(player.processes.first), SIGKILL)
    try await player.wait("it is open again") { player in
      player.playbacks.count > count && player.playback?.status == .paused
    }
    #expect(abs((player.playback?.position ?? 0) - 1) < 0.4)
    try await player.perform("play")
    try await player.wait("it ends") { $0.playback?.status == .ended }
    await player.end()
  }

  @Test("F1 · resumes the film when mpv hangs right after a pause")
  func hangAfterPause() async throws {
    let films = try TestFilms.make()
    let player = try await PlayerBench(.dvdPlayer, ["folders": [.string(films.path)]])
    try await player.play("films/red.mkv", from: 0.3)
    try await player.perform("pause")
    try await player.perform("play")
    let process = try #require(player.processes.first)
    let count = player.playbacks.count
    kill(process, SIGSTOP)
    try await player.wait("it plays again") { player in
      player.playbacks.dropFirst(count).contains { $0.status == .playing }
    }
    #expect(player.processes != [process])
    await player.end()
  }

  @Test("F1 · a stream that did not begin in time is closed, so that it does not play later")
  func lateStream() async throws {
    let server = try SilentServer()
    defer { server.end() }
    // 25 s of the player's clock last 5 s of real time; mpv itself gives up after 10 s.
    let player = try await PlayerBench(
      .dvdPlayer, ["streams": [["name": "Late", "url": .string("\(server.address)/late.mkv")]]],
      clock: FastClock(factor: 5))
    let refusal = await player.refusal(of: ["play": ["item": "stream/Late"]])
    #expect(refusal?.contains("within 25 s") == true, "\(refusal ?? "it plays")")
    #expect(player.playback?.status == .failed)
    try server.waitForClose(within: 2)
    await player.end()
  }

  @Test("F1 · does not take a film that is still being opened again for the next one")
  func playWhileResuming() async throws {
    let films = try TestFilms.make()
    let mpv = try LateMpv()
    // The clock stands still, so that no wait for the withheld answer ends.
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(films.path)]], program: mpv.program, clock: ManualClock())
    try await player.play("films/red.mkv")
    #expect(mpv.positionRequests == 1)
    kill(try #require(player.processes.first), SIGKILL)
    try await player.wait("the film is open again") { _ in mpv.positionRequests == 2 }
    try await player.play("films/blue.mkv")
    #expect(player.playback?.item == "films/blue.mkv" && player.playback?.status == .playing)
    let reports = player.playbacks.filter { $0.item == "films/blue.mkv" }
    #expect(reports.map(\.status) == [.opening, .playing])
    await player.end()
  }

  /// Plays a film from 30 s, and returns when it is being opened again after a crash of mpv.
  private func reopening(_ mpv: LateMpv) async throws -> PlayerBench {
    let films = try TestFilms.make()
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(films.path)]], program: mpv.program, clock: ManualClock())
    try await player.play("films/red.mkv", from: 30)
    kill(try #require(player.processes.first), SIGKILL)
    try await player.wait("the film is being opened again") {
      $0.playback?.status == .opening && mpv.positionRequests == 2
    }
    return player
  }

  @Test(
    "F1 · a play while the film is opened again after a crash goes on at its position",
    arguments: [["play"], ["pause", "play"]] as [[JSON]])
  func resumeWhileReopening(commands: [JSON]) async throws {
    let mpv = try LateMpv()
    let player = try await reopening(mpv)
    for command in commands { try await player.perform(command) }
    #expect(player.playback?.item == "films/red.mkv" && player.playback?.status == .playing)
    #expect((player.playback?.position ?? 0) >= 29)
    #expect(!mpv.isPaused)
    await player.end()
  }

  @Test("F1 · a pause while the film is opened again after a crash pauses it at its position")
  func pauseWhileReopening() async throws {
    let mpv = try LateMpv()
    let player = try await reopening(mpv)
    let count = player.playbacks.count
    try await player.perform("pause")
    // mpv answers now, and the film is open again.
    try await player.perform("twoChannelAudio")
    try await player.wait("it is paused") { $0.playback?.status == .paused }
    #expect(abs((player.playback?.position ?? 0) - 30) < 1)
    #expect(!player.playbacks.dropFirst(count).contains { $0.status == .playing })
    #expect(mpv.isPaused)
    try await player.play("films/blue.mkv")
    #expect(player.playback?.status == .playing && !mpv.isPaused)
    await player.end()
  }

  @Test("F1 E10 · a pause at the end of a song pauses the next one at its beginning")
  func pauseAtEndOfSong() async throws {
    let folder = try TemporaryFolder()
    for name in ["1", "2"] { try folder.write("music/\(name).flac", [0]) }
    let mpv = try LateMpv()
    let player = try await PlayerBench(
      .cdPlayer, ["folders": [.string(folder.path(of: "music"))]], program: mpv.program,
      clock: ManualClock())
    try await player.play("music/1.flac")
    try await player.perform("pause")
    let count = player.playbacks.count
    kill(try #require(player.processes.first), SIGUSR1)
    try await player.wait("the next song is paused") {
      $0.playback?.item == "music/2.flac" && $0.playback?.status == .paused
    }
    #expect(player.playback?.position == 0)
    #expect(!player.playbacks.dropFirst(count).contains { $0.status == .playing })
    #expect(mpv.isPaused)
    await player.end()
  }

  @Test(
    "F1 F4 · resumes after the sound server of its audio device crashed, and fails without one",
    .enabled(if: SoundServer.isInstalled, "needs the packages pulseaudio and pulseaudio-utils"))
  func soundServer() async throws {
    let server = try await SoundServer()
    let folder = try TemporaryFolder()
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=64x36:d=60", "-f", "lavfi", "-i", "sine=440:d=60",
      "-c:a", "flac", try folder.file("films/long.mkv"),
    ])
    let alsa = "</usr/share/alsa/alsa.conf>\n" + server.definition(of: "speakers")
    let player = try await PlayerBench(
      .dvdPlayer,
      ["folders": [.string(folder.path(of: "films"))], "audioDevice": "speakers"],
      variables: ["ALSA_CONFIG_PATH": try folder.write("asound.conf", Array(alsa.utf8))])
    try await player.play("films/long.mkv")
    let (process, count) = (try #require(player.processes.first), player.playbacks.count)
    server.stop()
    try await server.start()
    try await player.wait("it plays in a new process") { player in
      player.processes.first.map { $0 != process } == true
        && player.playbacks.dropFirst(count).contains { $0.status == .playing }
    }
    server.stop()
    try await player.wait("it fails") { $0.playback?.status == .failed }
    #expect(
      player.playback?.reason?.contains("audio device \"speakers\" could not be opened") == true,
      "\(player.playback?.reason ?? "")")
    #expect(player.log.contains { $0.contains("mpv stands still, because its output hangs") })
    await player.end()
  }

  /// Makes a player with a fake mpv that has this fault (see Tests/Fixtures/fake_mpv.py).
  private func faulty(_ fault: String, trace: String = "/dev/null") async throws -> PlayerBench {
    let films = try TestFilms.make()
    return try await PlayerBench(
      .dvdPlayer, ["folders": [.string(films.path)]],
      program: Program.project.appending(path: "Tests/Fixtures/fake_mpv.py").path,
      variables: ["FAULT": fault, "TRACE": trace])
  }

  @Test("F1 · reports no change that mpv refuses, and ends an mpv that does not stop")
  func refusals() async throws {
    let player = try await faulty("refuses")
    try await player.play("films/red.mkv")
    let pause = await player.refusal(of: "pause")
    #expect(pause == "mpv did not pause: it refused: error accessing property")
    #expect(player.playback?.status == .playing)
    let channels = await player.refusal(of: "twoChannelAudio")
    #expect(channels?.contains("mpv did not change the channels") == true)
    #expect(player[.audio] == "surround")
    try await player.perform("stop")
    #expect(player.playback?.status == .stopped)
    #expect(player.processes.isEmpty)
    await player.end()
  }

  @Test("F1 · a film that is stopped while mpv is started again stays stopped")
  func stopWhileRestarting() async throws {
    let folder = try TemporaryFolder()
    let trace = folder.path(of: "commands")
    let player = try await faulty("held", trace: trace)
    try await player.play("films/red.mkv")
    let process = try #require(player.processes.first)
    kill(process, SIGKILL)
    try await player.wait("mpv is started again") {
      $0.processes.first.map { $0 != process } == true
    }
    try await player.perform("stop")
    for _ in 1...3 { try await player.perform("twoChannelAudio") }
    let commands = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(commands.count { $0 == "stop" } == 1)
    #expect(commands.count { $0 == "loadfile" } == 1, "only the first process loads it")
    #expect(player.playback?.status == .stopped)
    await player.end()
  }

  @Test(
    "F1 · fails after three restarts when mpv always ends, closes its connection or sends garbage",
    arguments: ["crash", "close", "garbage"])
  func givesUp(fault: String) async throws {
    let player = try await faulty(fault)
    let refusal = await player.refusal(of: ["play": ["item": "films/red.mkv"]])
    #expect(refusal?.contains("3 times") == true, "\(refusal ?? "it plays")")
    #expect(player.playback?.status == .failed)
    await player.end()
    #expect(player.processes.isEmpty)
  }

  @Test("F1 · ignores malformed messages of mpv")
  func oddMessages() async throws {
    let player = try await faulty("odd")
    try await player.play("films/red.mkv")
    #expect(player.playback?.status == .playing)
    #expect(player.playback?.duration == nil, "it was no number")
    try await player.perform("pause")
    try await player.perform("stop")
    await player.end()
    #expect(player.processes.isEmpty)
  }

  @Test("E10 · reports playing and ended for a film that is over before mpv names its output")
  func endsEarly() async throws {
    let player = try await faulty("over")
    try await player.play("films/red.mkv", from: 1.9)
    try await player.wait("it ends") { $0.playback?.status == .ended }
    #expect(player.playbacks.contains { $0.status == .playing })
    #expect(!player.playbacks.contains { $0.status == .failed })
    await player.end()
  }

  /// A setup with a fake mpv that never answers and does not end.
  private var deaf: MpvSetup {
    var setup = MpvSetup()
    setup.program = Program.project.appending(path: "Tests/Fixtures/fake_mpv.py").path
    setup.module = "/none"
    setup.variables["FAULT"] = "deaf"
    return setup
  }

  @Test("F1 · kills an mpv that does not quit, within the limit")
  func quits() async throws {
    let clock = ManualClock()
    let process = try deaf.start(
      try MpvOptions([:]), device: "null", configuration: nil, clock: clock)
    let quit = Task { await process.quit(within: .milliseconds(700), clock: clock) }
    let isLimited = await eventually(within: 10) { clock.sleeperCount == 2 }
    #expect(isLimited, "the end is limited only after the answer")
    clock.advance(by: .milliseconds(700))
    if !isLimited { process.kill() }
    await quit.value
  }

  @Test("F1 · the self-check fails when mpv does not answer within 4 s, ends, or is not there")
  func selfCheck() async {
    func message(_ setup: MpvSetup, _ clock: any TheaterClock = SystemClock()) async -> String {
      await MpvPlayer.check(setup, clock: clock).json["message"]?.string ?? "passed"
    }
    #expect(await message(deaf, FastClock(factor: 100)).hasSuffix("it did not answer within 4 s"))
    var old = deaf
    old.program = "/bin/false"
    #expect(await message(old).hasSuffix("it ended"))
    old.program = "/nonexistent/mpv"
    #expect(await message(old).contains("cannot be started"))
    old.program = "mpv"
    #expect(await message(old) == "passed")
    old.module = nil
    #expect(await message(old).contains("ALSA module"))
  }

  @Test("F1 · refuses to open without mpv")
  func noProgram() async throws {
    await #expect(throws: (any Error).self) {
      _ = try await PlayerBench(program: "/nonexistent/mpv")
    }
  }
}

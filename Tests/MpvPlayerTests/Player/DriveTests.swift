import Devices
import Foundation
import JSON
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MpvPlayer

/// The tray of a drive, and the playback of its disc.
@Suite("MpvPlayer: drive", .realTime, .timeLimit(.minutes(3)))
struct DriveTests {
  /// The folder with the image of a DVD, which mpv plays as the disc of the drive.
  private static let image = Result {
    let folder = try TemporaryFolder()
    try TestFilms.makeDVD(in: folder)
    return folder
  }

  private func player(
    _ drive: FakeDrive, clock: any TheaterClock = SystemClock()
  ) async throws -> PlayerBench {
    let folder = try Self.image.get()
    return try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(try TestFilms.make().path)],
        "drive": .string(folder.path(of: "discs/Night.iso")),
      ], drives: drive.kernel, clock: clock)
  }

  @Test("F1 · finds the tray open, closes it to play the disc, and waits until the disc turns")
  func closes() async throws {
    let drive = FakeDrive { $0.answers = [DriveKernel.openTray] }
    let player = try await player(drive)
    try await player.wait("the tray is told") { $0[.tray] == "open" }
    try await player.perform("play")
    #expect(player.playback?.item == "disc" && player.playback?.status == .playing)
    #expect(player.trays.suffix(3) == ["open", "moving", "closed"])
    #expect(drive.requests == [.closeTray])
    await player.end()
  }

  @Test("E10 · plays an audio CD in the drive, song by song")
  func audioCD() async throws {
    let folder = try TemporaryFolder()
    // 44,100 Hz, 16 bits, two channels, as on a disc.
    for (index, tone) in [440, 880].enumerated() {
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "sine=\(tone):r=44100:d=4", "-ac", "2", "-f", "s16le",
        try folder.file("\(index)"),
      ])
    }
    let sound = try ["0", "1"].flatMap { name in
      try [UInt8](Data(contentsOf: folder.url.appending(path: name)))
    }
    try folder.write("disc.bin", sound)
    let index = """
      FILE "disc.bin" BINARY
        TRACK 01 AUDIO
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          INDEX 01 00:04:00
      """
    let disc = try folder.write("disc.cue", Array(index.utf8))
    let player = try await PlayerBench(.cdPlayer, ["drive": .string(disc)])
    #expect(try await player.scan().map(\.title) == ["Audio CD in the drive"])
    try await player.perform("play")
    #expect(player.playback?.item == "disc" && player.playback?.status == .playing)
    #expect(abs((player.playback?.duration ?? 0) - 8) < 0.1)
    #expect(player.attribute("title") == "Audio CD" && player.attribute("chapters") == 2)
    #expect(player.attribute("chapterTitle") == "Song 1")
    try await player.wait("the first song is heard") { $0.sink.frames > 22_050 }
    #expect(abs(player.sink.frequency - 440) < 20, "\(player.sink.frequency)")
    try await player.perform("next")
    #expect(abs((player.playback?.position ?? 0) - 4) < 0.2)
    try await player.wait("the second song is told") { $0.attribute("chapterTitle") == "Song 2" }
    player.sink.reset()
    try await player.wait("the second song is heard") { $0.sink.frames > 22_050 }
    #expect(abs(player.sink.frequency - 880) < 40, "\(player.sink.frequency)")
    #expect(await player.refusal(of: "next") == "this is the last song of the disc")
    try await player.perform("previous")
    #expect((player.playback?.position ?? 9) < 0.2)
    try await player.perform(["seek": 7.8])
    try await player.wait("it ends") { $0.playback?.status == .ended }
    await player.end()
  }

  @Test("F1 · unlocks the door and ejects when the disc is free")
  func ejects() async throws {
    let drive = FakeDrive {
      $0.isLocked = true
      $0.busyEjects = 3
    }
    let player = try await player(drive)
    try await player.play("disc")
    try await player.perform("eject")
    #expect(player.playback?.status == .stopped)
    #expect(player.trays.suffix(2) == ["moving", "open"])
    #expect(drive.requests == Array(repeating: [.unlockDoor, .eject], count: 4).flatMap { $0 })
    await player.end()
  }

  @Test("F1 · refuses to eject a disc that another program holds for 2 s, and says so")
  func held() async throws {
    let drive = FakeDrive { $0.busyEjects = 1000 }
    let player = try await player(drive)
    let refusal = await player.refusal(of: "eject")
    #expect(refusal?.contains("Night.iso did not open: device or resource busy") == true)
    #expect(player.trays.suffix(2) == ["moving", "closed"])
    #expect((10...25).contains(drive.requests.count { $0 == .eject }))
    await player.end()
  }

  @Test(
    "F1 · says why a disc does not play: there is none, or the tray cannot be closed",
    arguments: [(1, "there is no disc in the drive"), (DriveKernel.openTray, "the tray is open")])
  func noDisc(answer: Int32, reason: String) async throws {
    let drive = FakeDrive {
      $0.answers = [answer]
      $0.hasMotor = false
    }
    let player = try await player(drive)
    let refusal = await player.refusal(of: ["play": ["item": "disc"]])
    #expect(refusal?.contains(reason) == true, "\(refusal ?? "")")
    #expect(player[.tray] == (answer == DriveKernel.openTray ? "open" : "closed"))
    // Films of folders play without a disc.
    try await player.play("films/blue.mkv")
    #expect(player.playback?.status == .playing)
    await player.end()
  }

  @Test("F1 · waits 15 s in total for a disc that stays unreadable, and then says so")
  func unreadable() async throws {
    let clock = FastClock(factor: 10)
    let drive = FakeDrive {
      $0.answers = [DriveKernel.openTray]
      $0.isReadable = false
    }
    let player = try await player(drive, clock: clock)
    try await player.wait("the tray is told") { $0[.tray] == "open" }
    let start = clock.now()
    let refusal = await player.refusal(of: ["play": ["item": "disc"]])
    let time = clock.now() - start
    #expect(refusal?.contains("the disc is not readable") == true, "\(refusal ?? "it plays")")
    #expect(time >= .seconds(15) && time < .seconds(25), "\(time)")
    #expect(player.trays.suffix(3) == ["open", "moving", "closed"])
    await player.end()
  }

  @Test(
    "F1 · says that this user may not open the drive, and how to permit it",
    arguments: [EACCES, EPERM])
  func forbidden(error: Int32) async throws {
    let drive = FakeDrive { $0.error = error }
    let player = try await player(drive)
    let command: JSON = ["play": ["item": "disc"]]
    let refusal = await player.refusal(of: command)
    #expect(refusal?.contains("this user may not open the drive") == true, "\(refusal ?? "")")
    let hint = await player.hint(of: command)
    #expect(hint?.contains("usermod -aG cdrom") == true, "\(hint ?? "")")
    let hintOfEject = await player.hint(of: "eject")
    #expect(hintOfEject == hint)
    // Films of folders play without the drive.
    try await player.perform("play")
    #expect(player.playback?.item == "films/blue.mkv")
    await player.end()
  }

  @Test("F1 · a player with only a drive says that this user may not open it")
  func forbiddenAlone() async throws {
    let drive = FakeDrive { $0.error = EACCES }
    let player = try await PlayerBench(
      .cdPlayer, ["drive": .string(try Self.image.get().path(of: "discs/Night.iso"))],
      drives: drive.kernel)
    let refusal = await player.refusal(of: "play")
    #expect(refusal?.contains("this user may not open the drive") == true, "\(refusal ?? "")")
    await player.end()
  }

  @Test("F1 · a drive that answers late delays neither other commands nor the controller")
  func slow() async throws {
    let drive = FakeDrive()
    let player = try await player(drive)
    drive.state.withLock { $0.isHeld = true }
    async let items = player.scan()
    try await player.play("films/red.mkv")
    #expect(player.playback?.status == .playing)
    try await player.perform("pause")
    drive.state.withLock { $0.isHeld = false }
    #expect(try await items.contains { $0.id == "disc" })
    await player.end()
  }
}

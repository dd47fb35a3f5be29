import Devices
import Foundation
import Glibc
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LibavPlayer

/// A disk operation that blocks until it is released, as on a share that has stopped answering.
private final class StuckOperation: Sendable {
  private let mailbox = Mailbox<Void>()

  /// Begins to block `disk` for the folder at `root`, and waits until it is overdue.
  init(_ disk: DiskCalls, on root: String) async {
    let mailbox = mailbox
    do throws(MediaFailure) {
      try await disk.run(at: root) { () throws(MediaFailure) in mailbox.wait() }
    } catch {
      // It is overdue.
    }
  }

  func release() { mailbox.post(()) }
}

@Suite("Shares that do not answer", .realTime)
struct DeadShareTests {
  @Test("E9 · with one dead folder the player opens, plays and lists the songs of the other")
  func deadFolder() async throws {
    let parent = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded("live/d/1.flac", [], in: parent)
    _ = try await Tone(frames: 22_050).encoded("dead/d/1.flac", [], in: parent)
    let (dead, live) = (parent.path + "/dead", parent.path + "/live")
    let disk = DiskCalls(limit: .milliseconds(1_000))
    let stuck = await StuckOperation(disk, on: dead)
    let library = MediaLibrary(disk: disk) { (folder, known) throws(MediaFailure) in
      try FolderScan(folder, known: known)
    }
    let clock = ManualClock()
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try FolderCDPlayer(context: context, library: library, clock: clock)
        }
      ])
    let controller = try await TestController(
      plugin, role: .cdPlayer, options: ["folders": [.string(dead), .string(live)]])
    try await controller.perform("on")
    try await controller.play("live/d/1.flac")
    #expect(controller.playback?.item == "live/d/1.flac")
    #expect(try await controller.scan(nil).map(\.id) == ["live/d/1.flac"])
    try await controller.wait("the problem") {
      $0.attribute("problem")?.string?.contains(dead + ": its disk or share does not answer")
        == true
    }
    try await controller.perform("stop")
    try await controller.perform("play")
    #expect(controller.playback?.item == "live/d/1.flac")
    try await controller.perform("stop")
    stuck.release()
    try #require(
      await eventually {
        clock.advance(by: .seconds(30))
        return controller.attribute("problem") == .null
      })
    #expect(try await controller.scan(nil).count == 2)
  }

  @Test("a song on a dead share holds up no other song, and few threads are left behind")
  func stuckThread() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100).encoded("d/1.flac", [], in: folder)
    let live = PlayableSong(item: "d/1.flac", path: path)
    let engine = try PlaybackEngine { [$0] }
    defer { engine.close() }
    // Opening a pipe without a writer blocks as a dead share does.
    let pipes = (0..<6).map { folder.path + "/pipe\($0)" }
    for pipe in pipes { try await run("mkfifo", [pipe]) }
    for pipe in pipes.prefix(3) {
      let opening = engine.open(PlayableSong(item: "dead", path: pipe), seconds: 0)
      try await Task.sleep(for: .milliseconds(50))
      opening.cancel()
      let result = await opening.value()
      #expect(throws: MediaFailure.self) { try result.get() }
      let place = try await engine.open(live, seconds: 0).value().get()
      #expect(place.song == live)
    }
    for pipe in pipes.dropFirst(3) {
      engine.open(PlayableSong(item: "dead", path: pipe), seconds: 0).cancel()
      try await Task.sleep(for: .milliseconds(1_500))
    }
    let result = await engine.open(live, seconds: 0).value()
    let failure = #expect(throws: MediaFailure.self) { try result.get() }
    #expect(failure?.detail.contains("does not answer") == true)
    // The shares answer again.
    for pipe in pipes {
      let writer = Glibc.open(pipe, O_RDWR | O_NONBLOCK)
      defer { Glibc.close(writer) }
      try await Task.sleep(for: .milliseconds(100))
    }
    try #require(
      await eventually { (try? await engine.open(live, seconds: 0).value().get()) != nil })
  }

  @Test("A scan whose walk gets on is not ended, and one that says nothing is")
  func walk() async throws {
    let tools = try TemporaryFolder()
    let folder = try MediaFolder(tools.path)
    for (script, isEnded) in [
      (#"for i in 1 2 3 4; do echo '{"walking":true}'; sleep 0.7; done"#, false), ("sleep 3", true),
    ] {
      let text = try tools.write(
        "script",
        Array(
          """
          #!/bin/sh
          \(script)
          echo '{"known":[],"skipped":[],"count":0}'
          echo '{"end":true}'

          """.utf8))
      try await run("install", ["-m", "755", text, tools.file("fake")])
      let process = ScanProcess(program: tools.path + "/fake", patienceWithFolder: 1_500)
      let result = await SystemThread.run(name: "scan") {
        Result { () throws(MediaFailure) in try process.scan(folder, known: [:]) }
      }
      #expect((try? result.get()) == nil ? isEnded : !isEnded)
    }
  }
}

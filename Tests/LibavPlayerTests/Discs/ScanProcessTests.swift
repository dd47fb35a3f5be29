import Foundation
import MediaFolders
import Platform
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Scanning in a process of its own")
struct ScanProcessTests {
  /// The plugin's program, which is built beside the tests.
  private let program = Bundle.main.bundlePath + "/LibavPlayer"

  @Test("Finds the same as a scan in this process, and reports skipped files")
  func same() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 11_025).encoded(
      "d/one \"quoted\" ü.flac", ["-metadata", "title=A \"title\""], in: folder)
    try folder.write("d/bad.mp3", Array(repeating: 1, count: 3_000))
    let media = try MediaFolder(folder.path)
    let here = try FolderScan(media)
    let there = try ScanProcess(program: program).scan(media, known: [:])
    #expect(there == here)
    let again = try ScanProcess(program: program).scan(media, known: here.stamps)
    #expect(again.songs.isEmpty && again.skipped.isEmpty)
    #expect(again.present.count == 2)
  }

  /// A program that does its work as `script` says, with the folder as `$2`.
  private func fake(_ script: String, in folder: TemporaryFolder) async throws -> ScanProcess {
    let text = try folder.write("script", Array("#!/bin/sh\n\(script)\n".utf8))
    // Written by another process: one that is forked here meanwhile would hold the file open.
    try await run("install", ["-m", "755", text, folder.file("fake")])
    return ScanProcess(program: folder.path + "/fake", patience: 20_000)
  }

  @Test(
    "A file that brings the scan down, or holds it up for ever, is left out and the rest is listed",
    arguments: ["kill -9 $$", "exit 7", "exec sleep 100"])
  func badFile(end: String) async throws {
    let folder = try TemporaryFolder()
    let tools = try TemporaryFolder()
    _ = try await Tone(frames: 11_025).encoded("d/a.flac", [], in: folder)
    _ = try await Tone(frames: 11_025).encoded("d/b.flac", [], in: folder)
    let media = try MediaFolder(folder.path)
    let stamp = try #require(FolderScan(media).stamps["d/a.flac"])
    // The first process ends over one file; the next is the real one.
    let lines = [
      #"{"known":[],"skipped":[],"count":0}"#, #"{"opening":["d/a.flac","\#(stamp)"]}"#,
    ]
    let once = tools.path + "/once"
    let process = try await fake(
      "[ -e \(once) ] && exec \(program) \"$@\"\n: > \(once)\n"
        + lines.map { "echo '\($0)'\n" }.joined() + "exec 2>&-\n\(end)", in: tools)
    // On a thread of its own: it waits longer than other tests' tasks may.
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try process.scan(media, known: [:])
    }
    #expect(scan.songs.map(\.id) == ["d/b.flac"])
    #expect(scan.skipped.failures.map(\.subject) == ["d/a.flac"])
    #expect(scan.skipped.failures.first?.detail.contains("reading it failed") == true)
    #expect(Set(scan.present.map(\.path)) == ["d/a.flac", "d/b.flac"])
  }

  @Test("A scan that crashes or cannot start is a failure with the folder's name")
  func crash() throws {
    let folder = try TemporaryFolder()
    let media = try MediaFolder(folder.path)
    for program in ["/bin/false", "/nowhere/at all", "/bin/echo"] {
      let failure = #expect(throws: MediaFailure.self) {
        try ScanProcess(program: program).scan(media, known: [:])
      }
      #expect(failure?.subject == media.root)
    }
  }

  @Test("The self-check says in one line that libav is there")
  func selfCheck() throws {
    let outcome = try Program.runBlocking(program, ["--self-check"])
    #expect(outcome.output == "{\"ok\":true}\n")
    #expect(outcome.status == 0)
  }

  @Test("A player that waits holds no libav in its memory")
  func idle() async throws {
    let plugin = try RunningProgram(program, [])
    plugin.send(
      #"{"jsonrpc":"2.0","id":1,"method":"open","params":{"device":"cd","role":"cdPlayer"}}"#)
    #expect(try !plugin.line().isEmpty)
    let maps = try String(contentsOfFile: "/proc/\(plugin.id)/maps", encoding: .utf8)
    #expect(maps.contains("LibavPlayer"))
    #expect(!maps.contains("libav"), "loaded before anything plays")
    plugin.endInput()
    #expect(await plugin.waitForEnd())
    #expect(plugin.status == .exited(0))
  }
}

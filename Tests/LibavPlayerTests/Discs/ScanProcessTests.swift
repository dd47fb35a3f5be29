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

  /// Makes a scan whose program is the shell script `script`; `$2` is the folder to scan.
  private func fake(_ script: String, in folder: TemporaryFolder) async throws -> ScanProcess {
    let text = try folder.write("script", Array("#!/bin/sh\n\(script)\n".utf8))
    // `install` writes the program: a process that another test forks meanwhile would inherit the
    // open file, and a file that is open for writing cannot be executed (ETXTBSY).
    try await run("install", ["-m", "755", text, folder.file("fake")])
    return ScanProcess(program: folder.path + "/fake", patience: 20_000)
  }

  @Test(
    "A file that crashes or hangs the scan is skipped and the rest is listed",
    arguments: ["kill -9 $$", "exit 7", "exec sleep 100"])
  func badFile(end: String) async throws {
    let folder = try TemporaryFolder()
    let tools = try TemporaryFolder()
    _ = try await Tone(frames: 11_025).encoded("d/a.flac", [], in: folder)
    _ = try await Tone(frames: 11_025).encoded("d/b.flac", [], in: folder)
    let media = try MediaFolder(folder.path)
    let stamp = try #require(FolderScan(media).stamps["d/a.flac"])
    // The first process fails while it opens a.flac; the next one is the real program.
    let lines = [
      #"{"known":[],"skipped":[],"count":0}"#, #"{"opening":["d/a.flac","\#(stamp)"]}"#,
    ]
    let once = tools.path + "/once"
    let process = try await fake(
      "[ -e \(once) ] && exec \(program) \"$@\"\n: > \(once)\n"
        + lines.map { "echo '\($0)'\n" }.joined() + "exec 2>&-\n\(end)", in: tools)
    // `scan` blocks for up to 20 s, which would stop a thread that other tests' tasks need.
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try process.scan(media, known: [:])
    }
    #expect(scan.songs.map(\.id) == ["d/b.flac"])
    #expect(scan.skipped.failures.map(\.subject) == ["d/a.flac"])
    #expect(scan.skipped.failures.first?.detail.contains("reading it failed") == true)
    #expect(Set(scan.present.map(\.path)) == ["d/a.flac", "d/b.flac"])
  }

  /// Makes a program that scans a folder of 30 files named 1 to 30, and ends while it opens the next file
  /// that is not known. Each process leaves out the same folder.
  private func failingScan(in tools: TemporaryFolder) async throws -> ScanProcess {
    let left = #"{"kind":"outside","subject":"deep","detail":"too deep","hint":"none"}"#
    return try await fake(
      """
      known=$(tr '[' '\n' | tr -cd '0-9\n' | grep -v '^$' | wc -l)
      list=$(seq -s, $known | sed 's/[0-9][0-9]*/["&","s"]/g')
      [ $known -gt 0 ] || list=
      echo '{"known":['"$list"'],"skipped":[\(left)],"count":1}'
      echo '{"opening":["'$((known + 1))'","s"]}'
      exit 7
      """, in: tools)
  }

  @Test("names a folder once that each of several processes left out, and says that files are left")
  func restarts() async throws {
    let folder = try TemporaryFolder()
    let tools = try TemporaryFolder()
    let process = try await failingScan(in: tools)
    let media = try MediaFolder(folder.path)
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try process.scan(media, known: [:])
    }
    let files = (1...ScanProcess.mostRestarts + 1).map(String.init)
    #expect(scan.present.map(\.path) == files)
    #expect(scan.skipped.failures.count { $0.subject == "deep" } == 1)
    #expect(scan.skipped.failures.filter { $0.kind == .corrupt }.map(\.subject) == files)
    #expect(
      scan.skipped.failures.last?.detail
        == "the rest of its files was not read: \(files.count) files crashed or hung the scan")
    #expect(scan.skipped.failures.last?.subject == media.root)
  }

  @Test("starts no further process when the time of the scan is over")
  func timeIsOver() async throws {
    let folder = try TemporaryFolder()
    let tools = try TemporaryFolder()
    var process = try await failingScan(in: tools)
    process.time = 0
    let (media, late) = (try MediaFolder(folder.path), process)
    let scan = try await SystemThread.run(name: "scan") { () throws(MediaFailure) in
      try late.scan(media, known: [:])
    }
    #expect(scan.present.map(\.path) == ["1"])
    #expect(scan.skipped.failures.last?.detail.contains("the time of the scan was over") == true)
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

  @Test("The self-check prints one line of JSON when libav can be loaded")
  func selfCheck() throws {
    let outcome = try Program.runBlocking(program, ["--self-check"])
    #expect(outcome.output == "{\"ok\":true}\n")
    #expect(outcome.status == 0)
  }

  @Test("A player that has played nothing has not loaded libav")
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

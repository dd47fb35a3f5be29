import Foundation
import Testing

@testable import LibavPlayer

@Suite("Scanning in a process of its own")
struct ScanProcessTests {
  /// The plugin's program, which is built beside the tests.
  private let program = Bundle.main.bundlePath + "/LibavPlayer"

  @Test("It finds what a scan here finds, and says what it left out")
  func same() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 11_025).encoded(
      "d/one \"quoted\" ü.flac", ["-metadata", "title=A \"title\""], in: folder)
    try folder.write("d/bad.mp3", Array(repeating: 1, count: 3_000))
    let media = try MediaFolder(folder.path)
    let here = try FolderScan(media)
    let there = try ScanProcess(program: program).scan(media, since: nil)
    #expect(there.songs == here.songs)
    #expect(there.present == here.present)
    #expect(there.skipped == here.skipped)
    #expect(there.newest == here.newest)
    #expect(try ScanProcess(program: program).scan(media, since: here.newest).songs.isEmpty)
  }

  @Test("A scan that crashes or cannot start is a failure with the folder's name")
  func crash() throws {
    let folder = try TemporaryFolder()
    let media = try MediaFolder(folder.path)
    for program in ["/bin/false", "/nowhere/at all", "/bin/echo"] {
      let failure = #expect(throws: MediaFailure.self) {
        try ScanProcess(program: program).scan(media, since: nil)
      }
      #expect(failure?.subject == media.root)
    }
  }

  @Test("The self-check says in one line that libav is there")
  func selfCheck() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--self-check"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: text, as: UTF8.self) == "{\"ok\":true}\n")
    #expect(process.terminationStatus == 0)
  }

  @Test("A player that waits holds no libav in its memory")
  func idle() async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line =
      #"{"jsonrpc":"2.0","id":1,"method":"open","params":{"device":"cd","role":"cdPlayer"}}"#
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    let maps = try String(
      contentsOfFile: "/proc/\(process.processIdentifier)/maps", encoding: .utf8)
    #expect(maps.contains("LibavPlayer"))
    #expect(!maps.contains("libav"), "loaded before anything plays")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}

import JSON
import PluginTestSupport
import TestSupport
import Testing

@testable import PluginKit

/// The contract is not Swift's: the other end is a program in Python's standard library.
@Suite("Cable: a peer in Python", .timeLimit(.minutes(5)))
struct CablePythonTests {
  @Test("F4 · a source in Python plays into the Swift sink, pauses and loses no frame")
  func pythonSource() throws {
    let folder = try TemporaryFolder()
    let sink = try CableSink(path: folder.path + "/s", token: tokenA, heard: true)
    defer { sink.close() }
    let peer = try CablePeer("source", folder.path + "/s", tokenA, "30000", "10000")
    let speaker = TestSpeaker(sink)
    try speaker.play("the end") { speaker.ended }
    let said = try peer.line()
    let before = try #require(speaker.flushedAt.first)
    #expect(said["resumedFrom"]?.integer == before / 4)
    #expect(said["sent"] == 30_000)
    #expect(said["drained"] == true)
    #expect(numbers(speaker.heard) == Array(0..<30_000))
  }

  @Test("F4 · the Swift source plays into a sink in Python, to the last frame")
  func pythonSink() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let peer = try CablePeer("sink", path, tokenA)
    #expect(try peer.line()["listening"] == true)
    let source = try CableSource(clock: ManualCableClock())
    try source.connect(path: path, token: tokenA)
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(source, section: section, frames: 0..<100_000)
    try waitUntil("half of it") { decoder.next > 50_000 }
    source.pause()
    source.resume()
    try waitUntil("all is written") { decoder.isDone }
    source.end(section: section)
    #expect(await source.events.first { $0 == .drained(section: section) } != nil)
    source.close()
    let said = try peer.line()
    #expect(said["frames"] == 100_000)
    #expect(said["whole"] == true)
    #expect(said["flushes"] == 1)
  }

  @Test("a sink in Python that does not listen for a while hears the film where it is then")
  func pythonSinkUnheard() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let peer = try CablePeer("sink", path, tokenA, "20000")
    #expect(try peer.line()["listening"] == true)
    let clock = ManualCableClock()
    let source = try CableSource(clock: clock)
    try source.connect(path: path, token: tokenA)
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(source, section: section, frames: 0..<10_000_000)
    let before = try #require(try peer.line()["unheardAfter"]?.integer)
    try waitUntil("unheard") { !source.isHeard }
    try clock.advance(milliseconds: 3_000, source, decoder)
    let there = source.position.frames
    #expect(there >= before - 8_820 + 132_300)
    peer.proceed()
    try waitUntil("heard again") { source.isHeard && source.position.frames > there + 10_000 }
    source.close()
    let said = try peer.line()
    #expect(said["rising"] == true)
    #expect(said["whole"] == false)
    #expect((said["last"]?.integer ?? 0) > there)
  }

  @Test("F5 · a sink in Python refuses a wrong token, and the source says why")
  func pythonRefuses() throws {
    let folder = try TemporaryFolder()
    let peer = try CablePeer("sink", folder.path + "/s", tokenA)
    #expect(try peer.line()["listening"] == true)
    let source = try CableSource()
    defer { source.close() }
    let error = #expect(throws: CableError.self) {
      try source.connect(path: folder.path + "/s", token: tokenB)
    }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("wrong token") == true)
  }
}

import PluginTestSupport
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable: source to sink", .timeLimit(.minutes(5)))
struct CableLoopbackTests {
  @Test("F4 · every frame arrives once and in order, and drained follows the last")
  func everyFrame() async throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<30_000)
    try bench.speaker.play("30 000 frames") { bench.speaker.heard.count == 120_000 }
    try waitUntil("the decoder is done") { decoder.isDone }
    bench.source.end(section: section)
    try bench.speaker.play("end") { bench.speaker.ended }
    #expect(numbers(bench.speaker.heard) == Array(0..<30_000))
    #expect(bench.speaker.formats == [.compactDisc])
    #expect(await bench.source.events.first { $0 == .drained(section: section) } != nil)
    #expect(bench.source.position == CablePosition(section: section, frames: 30_000))
  }

  @Test("F4 · an amplifier that reads nothing is given 100 ms of sound, no more")
  func ringHoldsATenth() throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<100_000)
    try waitUntil("the ring is full") {
      bench.speaker.read(0)
      return bench.sink.tap.available == 4_410 && decoder.next >= 44_100
    }
    // A ring of a tenth of a second and a lead of one.
    #expect(decoder.next <= 4_410 + 44_100)
    #expect(!decoder.isDone)
  }

  @Test("F4 · pause loses no frame and tells which was the last heard")
  func pause() throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    _ = try NumberedDecoder(bench.source, section: section, frames: 0..<40_000)
    try bench.speaker.play("10 000 frames") { bench.speaker.heard.count >= 40_000 }
    for unheard in [1_234, 0, 3_000] {
      bench.speaker.delay = unheard
      let flushes = bench.speaker.flushes
      let paused = try Background { [source = bench.source] in source.pause() }
      try bench.speaker.play("flush", bytes: 0) { bench.speaker.flushes == flushes + 1 }
      let heard = bench.speaker.heard.count / 4 - unheard
      try waitUntil("pause returns") { paused.isDone }
      #expect(paused.result == CablePosition(section: section, frames: heard))
      #expect(bench.source.position == paused.result)
      #expect(bench.speaker.read() == .empty, "a paused source is silent")
      bench.speaker.heard.removeLast(4 * unheard)
      bench.speaker.delay = 0
      bench.source.resume()
      try bench.speaker.play("more") { bench.speaker.heard.count / 4 >= heard + 5_000 }
    }
    try bench.speaker.play("the rest") { bench.speaker.heard.count >= 160_000 }
    #expect(numbers(bench.speaker.heard) == Array(0..<40_000))
  }

  @Test("F4 · a pause after the end was written still loses no frame, and drained comes")
  func pauseNearTheEnd() async throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<3_000)
    try waitUntil("all is written") { decoder.isDone }
    bench.source.end(section: section)
    bench.speaker.read(0)
    bench.speaker.read(400)
    let paused = try Background { [source = bench.source] in source.pause() }
    try bench.speaker.play("flush", bytes: 0) { bench.speaker.flushes == 1 }
    try waitUntil("pause returns") { paused.isDone }
    bench.source.resume()
    try bench.speaker.play("end") { bench.speaker.ended }
    #expect(numbers(bench.speaker.heard) == Array(0..<3_000))
    #expect(await bench.source.events.first { $0 == .drained(section: section) } != nil)
  }

  @Test("F4 · a seek drops what was not heard, and stale writes of the decoder with it")
  func seek() throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<1_000_000)
    try bench.speaker.play("some sound") { bench.speaker.heard.count >= 40_000 }
    let call = try Background { [source = bench.source] in source.flush() }
    try bench.speaker.play("flush", bytes: 0) { bench.speaker.flushes == 1 }
    let before = bench.speaker.heard.count / 4
    try waitUntil("flush returns") { call.isDone }
    let flushed = try #require(call.result)
    #expect(flushed.heard == CablePosition(section: section, frames: before))
    #expect(flushed.section != section)
    try waitUntil("the old decoder's write returns") { decoder.isDone }
    #expect(numbered(0..<10).withUnsafeBytes { bench.source.write($0, section: section) } == 0)
    bench.speaker.heard = []
    _ = try NumberedDecoder(bench.source, section: flushed.section, frames: 500_000..<510_000)
    try bench.speaker.play("the new place") { bench.speaker.heard.count == 40_000 }
    #expect(numbers(bench.speaker.heard) == Array(500_000..<510_000))
  }

  @Test("F4 · a change of format loses no frame and comes at its exact frame")
  func formatChange() throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let surround = try #require(CableFormat(rate: 48_000, channels: 6, sample: .s16))
    let writer = try Background { [source = bench.source] in
      let first = source.setFormat(.compactDisc, after: 0) ?? 0
      _ = numbered(0..<7_001).withUnsafeBytes { source.write($0, section: first) }
      let second = source.setFormat(surround, after: first) ?? 0
      _ = [UInt8](repeating: 7, count: 12 * 9_003).withUnsafeBytes {
        source.write($0, section: second)
      }
      source.end(section: second)
      return true
    }
    try bench.speaker.play("end") { bench.speaker.ended }
    #expect(writer.isDone)
    #expect(bench.speaker.formats == [.compactDisc, surround])
    #expect(numbers(Array(bench.speaker.heard.prefix(28_004))) == Array(0..<7_001))
    #expect(bench.speaker.heard.dropFirst(28_004).allSatisfy { $0 == 7 })
    #expect(bench.speaker.heard.count == 28_004 + 12 * 9_003)
  }

  @Test("F4 · the position is what was heard: frames given to the device less its delay")
  func position() throws {
    let clock = ManualCableClock()
    let bench = try CableBench(clock: clock)
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    _ = try NumberedDecoder(bench.source, section: section, frames: 0..<4_410)
    bench.speaker.delay = 500
    try bench.speaker.play("all") { bench.speaker.heard.count == 4 * 4_410 }
    try waitUntil("the report comes") { bench.source.position.frames == 3_910 }
    clock.advance(milliseconds: 10)
    #expect(bench.source.position.frames == 3_910 + 441, "interpolated")
    clock.advance(milliseconds: 1_000)
    #expect(bench.source.position.frames == 4_410, "never beyond what was sent")
  }
}

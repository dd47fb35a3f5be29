import PluginTestSupport
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable source: unheard", .timeLimit(.minutes(5)))
struct CableUnheardTests {
  let clock = ManualCableClock()

  /// A source that plays numbered frames without an end.
  private func endless(_ source: CableSource) throws -> (UInt32, NumberedDecoder) {
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    return (section, try NumberedDecoder(source, section: section, frames: 0..<10_000_000))
  }

  @Test("without a cable the decoder is paced by the clock")
  func noCable() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let (section, decoder) = try endless(source)
    for second in 1...3 {
      try clock.advance(milliseconds: 1_000, source, decoder)
      #expect(decoder.next <= 44_100 + second * 44_100)
      #expect(source.position == CablePosition(section: section, frames: second * 44_100))
    }
  }

  @Test("an input that is not selected goes on unheard, and is heard at once where it is")
  func unselected() async throws {
    let bench = try CableBench(clock: clock)
    defer { bench.close() }
    let (section, decoder) = try endless(bench.source)
    try bench.speaker.play("half a second") { bench.speaker.heard.count >= 80_000 }
    bench.sink.setHeard(false)
    #expect(await bench.source.events.first { $0 == .heard(false) } != nil)
    let left = bench.source.position.frames
    try bench.speaker.play("the ring is dropped") { bench.speaker.flushes == 1 }
    try clock.advance(milliseconds: 2_000, bench.source, decoder)
    #expect(bench.speaker.read() == .empty)
    #expect(bench.source.position == CablePosition(section: section, frames: left + 88_200))
    bench.speaker.heard = []
    bench.sink.setHeard(true)
    try bench.speaker.play("sound") { bench.speaker.heard.count > 4_000 }
    #expect(numbers(bench.speaker.heard).first == left + 88_200)
    #expect(bench.source.isHeard)
  }

  @Test("a sink that hangs is left after half a second, and the film catches up")
  func hangs() throws {
    let bench = try CableBench(clock: clock)
    defer { bench.close() }
    let (_, decoder) = try endless(bench.source)
    try waitUntil("ring and lead are full") {
      bench.speaker.read(0)
      return bench.sink.tap.available == 4_410 && decoder.next >= 8_820
    }
    #expect(bench.source.isHeard)
    clock.advance(milliseconds: 499)
    #expect(bench.source.position.frames == 0)
    #expect(bench.source.isHeard)
    clock.advance(milliseconds: 1)
    try waitUntil("the film catches up") { bench.source.position.frames == 22_050 }
    #expect(!bench.source.isHeard)
    try clock.advance(milliseconds: 500, bench.source, decoder)
    #expect(bench.source.position.frames == 44_100)
    // The device comes back: the frames in the ring are dropped, and the film is heard at its current position.
    try bench.speaker.play("flush") { bench.speaker.flushes == 1 }
    try bench.speaker.play("sound") { bench.speaker.fresh.count > 4_000 }
    #expect(numbers(bench.speaker.fresh).first == 44_100)
  }

  @Test("the end is reached by the clock while the input is not heard")
  func drainedByClock() async throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(source, section: section, frames: 0..<4_410)
    try waitUntil("all is written") { decoder.isDone }
    source.end(section: section)
    clock.advance(milliseconds: 99)
    #expect(source.position.frames < 4_410)
    clock.advance(milliseconds: 2)
    #expect(await source.events.first { $0 == .drained(section: section) } != nil)
  }

  @Test("pause stands still without a cable too")
  func pausedWithoutCable() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let (section, decoder) = try endless(source)
    try clock.advance(milliseconds: 100, source, decoder)
    #expect(source.pause() == CablePosition(section: section, frames: 4_410))
    clock.advance(milliseconds: 5_000)
    #expect(source.position.frames == 4_410)
    source.resume()
    try clock.advance(milliseconds: 100, source, decoder)
    #expect(source.position.frames == 8_820)
  }

  @Test("a decoder that stalls stops the clock until it writes again")
  func decoderStalls() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    #expect(numbered(0..<441).withUnsafeBytes { source.write($0, section: section) } == 441)
    clock.advance(milliseconds: 60_000)
    #expect(source.position.frames == 441)
    #expect(numbered(441..<882).withUnsafeBytes { source.write($0, section: section) } == 441)
    #expect(source.position.frames == 441)
    clock.advance(milliseconds: 5)
    #expect((661...662).contains(source.position.frames))
  }
}

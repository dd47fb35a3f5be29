import Testing

@testable import PluginKit

@Suite("Cable, source to sink")
struct CableLoopbackTests {
  @Test("F4 · every frame arrives once and in order, and drained follows the last")
  func everyFrame() async throws {
    let bench = try CableBench()
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<30_000)
    try bench.speaker.play("30 000 frames") { bench.speaker.heard.count == 120_000 }
    try eventually("the decoder is done") { decoder.isDone }
    bench.source.end(section: section)
    try bench.speaker.play("end") { bench.speaker.ended }
    #expect(numbers(bench.speaker.heard) == Array(0..<30_000))
    #expect(bench.speaker.formats == [.compactDisc])
    for await event in bench.source.events {
      if case .drained(let drained) = event {
        #expect(drained == section)
        break
      }
    }
    #expect(bench.source.position == CablePosition(section: section, frames: 30_000))
  }

  @Test("F4 · pause loses no frame and tells which was the last heard")
  func pause() throws {
    let bench = try CableBench()
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    _ = try NumberedDecoder(bench.source, section: section, frames: 0..<40_000)
    try bench.speaker.play("10 000 frames") { bench.speaker.heard.count >= 40_000 }
    bench.speaker.delay = 1_234
    let paused = try PauseCall(bench.source)
    try bench.speaker.play("flush") { bench.speaker.flushes == 1 }
    let heard = bench.speaker.heard.count / 4 - 1_234
    try eventually("pause returns") { paused.result != nil }
    #expect(paused.result == CablePosition(section: section, frames: heard))
    bench.speaker.heard.removeLast(4 * 1_234)
    bench.speaker.delay = 0
    bench.source.resume()
    try bench.speaker.play("the rest") { bench.speaker.heard.count >= 160_000 }
    #expect(numbers(bench.speaker.heard) == Array(0..<40_000))
  }
}

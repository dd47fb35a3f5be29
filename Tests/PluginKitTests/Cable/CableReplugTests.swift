import Glibc
import Platform
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable: replugging", .timeLimit(.minutes(5)))
struct CableReplugTests {
  @Test("a new cable while it plays loses no frame that the amplifier did not hear")
  func replaced() throws {
    let bench = try CableBench(clock: ManualCableClock())
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<200_000)
    try bench.speaker.play("some sound") { bench.speaker.heard.count >= 40_000 }
    // A report comes when the ring is empty, and at two thirds.
    while bench.speaker.read() != .empty {}
    try waitUntil("the report comes") {
      bench.source.position.frames == bench.speaker.heard.count / 4
    }
    try bench.sink.expect(token: tokenB)
    try bench.source.connect(path: bench.path, token: tokenB)
    // The frames in the ring are dropped, and sent again over the new cable.
    #expect(bench.speaker.read() == .flush)
    try bench.speaker.play("the rest") { bench.speaker.heard.count >= 800_000 }
    #expect(numbers(bench.speaker.heard) == Array(0..<200_000))
    #expect(decoder.isDone)
  }

  @Test("an amplifier that restarts gets the film at its current position")
  func amplifierRestarts() async throws {
    let clock = ManualCableClock()
    let bench = try CableBench(clock: clock)
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<1_000_000)
    try bench.speaker.play("some sound") { bench.speaker.heard.count >= 40_000 }
    bench.sink.close()
    #expect(await bench.source.events.first { $0 == .heard(false) } != nil)
    let left = bench.source.position.frames
    try clock.advance(milliseconds: 3_000, bench.source, decoder)
    let sink = try CableSink(path: bench.path, token: tokenB, heard: true)
    defer { sink.close() }
    let speaker = TestSpeaker(sink)
    try bench.source.connect(path: bench.path, token: tokenB)
    try speaker.play("sound") { speaker.heard.count > 4_000 }
    #expect(numbers(speaker.heard).first == left + 3 * 44_100)
  }

  @Test("a player that restarts takes the amplifier's next token")
  func playerRestarts() throws {
    let bench = try CableBench()
    defer { bench.close() }
    _ = bench.source.setFormat(.compactDisc, after: 0).map { section in
      numbered(0..<2_000).withUnsafeBytes { bench.source.write($0, section: section) }
    }
    try bench.speaker.play("sound") { bench.speaker.heard.count == 8_000 }
    bench.source.close()
    try bench.speaker.play("flush") { bench.speaker.flushes == 1 }
    try bench.sink.expect(token: tokenB)
    let second = try CableSource()
    defer { second.close() }
    try second.connect(path: bench.path, token: tokenB)
    let section = try #require(second.setFormat(.compactDisc, after: 0))
    bench.speaker.heard = []
    _ = try NumberedDecoder(second, section: section, frames: 7_000..<9_000)
    try bench.speaker.play("sound") { bench.speaker.heard.count == 8_000 }
    #expect(numbers(bench.speaker.heard) == Array(7_000..<9_000))
  }

  @Test("closing a sink removes its socket, but not the one of its successor")
  func socketFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let first = try CableSink(path: path, token: tokenA)
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let second = try CableSink(path: path, token: tokenB)
    first.close()
    #expect(access(path, F_OK) == 0)
    let source = try CableSource()
    try source.connect(path: path, token: tokenB)
    source.close()
    second.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test("F4 · pauses after each failed accept, and then accepts the waiting source")
  func failedAccept() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let attempts = Mutex<[Int64]>([])
    let (_, events) = AsyncStream.makeStream(of: CableSinkEvent.self)
    let core = try CableSinkCore(
      path: path, token: CableToken(tokenA), ring: 100_000_000, heard: true, events: events
    ) { listener in
      let count = attempts.withLock { attempts in
        attempts.append(MonotonicClock.now)
        return attempts.count
      }
      // As if the process had no free descriptor at first.
      return count < 4 ? nil : CableDescriptor.accept(listener)
    }
    try SystemThread.startForCable { core.run() }
    defer { core.close() }
    _ = try RawPeer(to: path, token: tokenA)
    let times = attempts.withLock { $0 }
    #expect(times.count == 4)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later - earlier >= CableSinkCore.acceptPause)
    }
  }

  @Test("F4 · an input that is not heard notices the end of each of 70 sources")
  func unheardSources() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let sink = try CableSink(path: path, token: tokenA)
    defer { sink.close() }
    var events = sink.events.makeAsyncIterator()
    // More than the queue of markers holds; no audio thread takes any.
    for _ in 1...70 {
      try sink.expect(token: tokenA)
      do {
        let peer = try RawPeer(to: path, token: tokenA)
        peer.send(.format(epoch: 1, .compactDisc))
      }
      let plugged = await events.next()
      #expect(plugged == .plugged)
      guard case .unplugged = await events.next() else {
        Issue.record("the end of a source was not noticed")
        return
      }
    }
    #expect(sink.tap.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == .empty)
  }

  @Test("write returns when the source closes, connected or not", arguments: [true, false])
  func closing(connected: Bool) throws {
    let folder = try TemporaryFolder()
    let sink = try CableSink(path: folder.path + "/s", token: tokenA, heard: true)
    defer { sink.close() }
    let source = try CableSource(clock: ManualCableClock())
    if connected { try source.connect(path: folder.path + "/s", token: tokenA) }
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(source, section: section, frames: 0..<1_000_000)
    try waitUntil("the decoder waits") { decoder.next >= 8_000 }
    source.close()
    try waitUntil("write returns") { decoder.isDone }
    #expect(numbered(0..<1).withUnsafeBytes { source.write($0, section: section) } == 0)
    #expect(source.setFormat(.compactDisc, after: section) == nil)
    #expect(throws: CableError.self) { try source.connect(path: "/nowhere", token: tokenA) }
  }
}

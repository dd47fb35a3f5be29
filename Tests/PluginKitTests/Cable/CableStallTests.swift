import Glibc
import Platform
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable: ends that are held up", .timeLimit(.minutes(5)))
struct CableStallTests {
  private let clock = HeldUpClock()

  /// Returns a source with an endless decoder, and the sink's end of its cable.
  private func connect(_ source: CableSource) throws -> (peer: RawPeer, decoder: NumberedDecoder) {
    let sink = try RawSink()
    let peer = try sink.accept(source)
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(source, section: section, frames: 0..<10_000_000)
    #expect(try peer.next() == .format(epoch: 1, .compactDisc))
    return (peer, decoder)
  }

  /// Gives the first epoch credit for 100 ms, and reads that much sound.
  private func receive(from peer: RawPeer) throws {
    peer.send(.credit(epoch: 1, limit: 4_410, heard: true))
    var frames = 0
    while frames < 4_410 {
      guard case .data(epoch: 1, let bytes, _) = try peer.next() else { break }
      frames += bytes / 4
    }
    try #require(frames == 4_410)
  }

  /// Calls `body` with an amplifier that has stalled with a full ring, while the film goes on by the clock.
  private func withStalledAmplifier(_ body: (CableBench) throws -> Void) throws {
    let bench = try CableBench(clock: clock)
    defer { bench.close() }
    let section = try #require(bench.source.setFormat(.compactDisc, after: 0))
    let decoder = try NumberedDecoder(bench.source, section: section, frames: 0..<10_000_000)
    try waitUntil("ring and lead are full") {
      bench.speaker.read(0)
      return bench.sink.tap.available == 4_410 && decoder.next >= 44_100
    }
    clock.advance(milliseconds: 500)
    try waitUntil("the amplifier is given up") { !bench.source.isHeard }
    try body(bench)
  }

  @Test("a seek drops the sound that a stalled amplifier still holds")
  func seek() throws {
    try withStalledAmplifier { bench in
      // Nobody else moves the clock: the seek must not wait for the amplifier.
      let section = bench.source.flush().section
      try bench.speaker.play("flush", bytes: 0) { bench.speaker.flushes >= 1 }
      #expect(bench.speaker.heard.isEmpty)
      _ = try NumberedDecoder(bench.source, section: section, frames: 500_000..<510_000)
      try bench.speaker.play("the new place") { bench.speaker.fresh.count >= 20_000 }
      #expect(numbers(bench.speaker.heard).allSatisfy { $0 >= 500_000 })
    }
  }

  @Test("a pause drops the sound that a stalled amplifier still holds, and loses no frame")
  func pause() throws {
    try withStalledAmplifier { bench in
      let paused = bench.source.pause()
      #expect(paused.frames == 22_050, "half a second, by the clock")
      try bench.speaker.play("flush", bytes: 0) { bench.speaker.flushes >= 1 }
      while bench.speaker.read() != .empty {}
      #expect(bench.speaker.heard.isEmpty, "a paused source is silent")
      bench.source.resume()
      try bench.speaker.play("sound again") { bench.speaker.fresh.count >= 20_000 }
      #expect(numbers(bench.speaker.heard).first == 22_050)
    }
  }

  @Test("a sink that never gives credit is given up, though nobody asks for the position")
  func silentSink() async throws {
    // The machine's clock: each step of a test's clock wakes the thread that has to wake by itself here.
    let source = try CableSource()
    defer { source.close() }
    let (peer, decoder) = try connect(source)
    try #require(await eventually { !source.isHeard })
    try #require(await eventually { decoder.next > 44_100 })
    withExtendedLifetime(peer) {}
  }

  @Test("credit that came while the source was held up counts")
  func lateCredit() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let (peer, decoder) = try connect(source)
    try receive(from: peer)
    clock.atNextReading { [clock] in
      peer.send(.credit(epoch: 1, limit: 8_820, heard: true))
      clock.advance(milliseconds: 500)
    }
    _ = source.position
    #expect(source.isHeard)
    guard case .data(epoch: 1, _, _) = try peer.next() else {
      Issue.record("the film does not go on where it was")
      return
    }
    withExtendedLifetime(decoder) {}
  }

  @Test("the answer to a flush that came while the source was held up counts")
  func lateAnswer() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let (peer, decoder) = try connect(source)
    try receive(from: peer)
    let flush = try Background { source.flush() }
    #expect(try peer.next() == .flush(epoch: 2))
    clock.atNextReading { [clock] in
      peer.send(.flushed(epoch: 2, frames: 137, of: 1))
      clock.advance(milliseconds: 300)
    }
    _ = source.position
    try waitUntil("flush returns") { flush.isDone }
    #expect(flush.result?.heard.frames == 137)
    withExtendedLifetime(decoder) {}
  }

  @Test("a sink that reads again after a stall gets whole messages")
  func halfMessage() throws {
    let source = try CableSource(clock: clock)
    defer { source.close() }
    let (peer, decoder) = try connect(source)
    // More credit than the socket holds, for a sink that reads nothing.
    peer.send(.credit(epoch: 1, limit: .max, heard: true))
    try waitUntil("the lead is full") { decoder.next >= 44_100 }
    try waitUntil("the socket is full, and the sink is given up") {
      clock.advance(milliseconds: 500)
      return !source.isHeard
    }
    _ = source.flush()
    #expect(try peer.find { $0 == .flush(epoch: 2) } != nil)
  }

  @Test("a token that came while the amplifier was held up is not late")
  func lateToken() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "s")
    let state = Mutex<(accepted: Int64?, isHeldUp: Bool, isSent: Bool)>((nil, false, false))
    let (_, events) = AsyncStream.makeStream(of: CableSinkEvent.self)
    let core = try CableSinkCore(
      path: path, token: CableToken(tokenA), ring: 100_000_000, heard: true, events: events
    ) { listener in
      let first = state.withLock { state in
        state.isHeldUp = state.accepted != nil
        return state.accepted
      }
      // With the second connection the thread is held up until the first one's time has passed.
      while let first, MonotonicClock.now < first + 2_100_000_000 || !state.withLock({ $0.isSent })
      {
        usleep(1000)
      }
      state.withLock { $0.accepted = MonotonicClock.now }
      return CableDescriptor.accept(listener)
    }
    let first = RawPeer(descriptor: try CableDescriptor.connect(to: path))
    let second = RawPeer(descriptor: try CableDescriptor.connect(to: path))
    try SystemThread.startForCable { core.run() }
    defer { core.close() }
    try waitUntil("the amplifier is held up") { state.withLock { $0.isHeldUp } }
    first.send(.hello(version: 1, token: tokenA))
    state.withLock { $0.isSent = true }
    #expect(try first.next() == .credit(epoch: 0, limit: 0, heard: true))
    withExtendedLifetime(second) {}
  }
}

/// A clock that stands still until a test moves it, and that lets the test do something while a thread reads it,
/// as if that thread were held up there.
private final class HeldUpClock: CableClock {
  private let clock = ManualCableClock()
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  /// Calls `body` in the next reading, before the time is read.
  func atNextReading(_ body: @escaping @Sendable () -> Void) { action.withLock { $0 = body } }

  func advance(milliseconds: Int64) { clock.advance(milliseconds: milliseconds) }

  var now: Int64 {
    action.withLock { $0.take() }?()
    return clock.now
  }
  func timeout(until deadline: Int64) -> Int32 { clock.timeout(until: deadline) }
  func onStep(_ wake: @escaping @Sendable () -> Void) { clock.onStep(wake) }
}

import Glibc
import PluginTestSupport
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable source: hostile sinks", .timeLimit(.minutes(5)))
final class CableHostileSinkTests {
  let clock = ManualCableClock()
  let source: CableSource
  let sink: RawSink

  init() throws {
    source = try CableSource(clock: clock)
    sink = try RawSink()
  }

  deinit { source.close() }

  /// Starts a decoder with more sound than a test reads.
  private func endless() throws -> (section: UInt32, decoder: NumberedDecoder) {
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    return (section, try NumberedDecoder(source, section: section, frames: 0..<10_000_000))
  }

  /// Connects the source with an endless decoder, and reads the format that it sends first.
  private func connect() throws -> (peer: RawPeer, section: UInt32) {
    let peer = try sink.accept(source)
    let section = try endless().section
    #expect(try peer.next() == .format(epoch: 1, .compactDisc))
    return (peer, section)
  }

  /// Connects as `connect` does, gives credit for 100 ms, and returns when sound has come.
  private func connectAndReceive() throws -> (peer: RawPeer, section: UInt32) {
    let (peer, section) = try connect()
    try receive(from: peer)
    return (peer, section)
  }

  /// Gives the source credit for 100 ms of its first epoch, and reads until sound comes.
  private func receive(from peer: RawPeer) throws {
    peer.send(.credit(epoch: 1, limit: 4_410, heard: true))
    _ = try peer.find { if case .data = $0 { true } else { false } }
  }

  @Test("F4 · the source sends what credit allows and not one frame more")
  func exactCredit() throws {
    let peer = try connect().peer
    var got = 0
    for limit in [1, 100, 4_410, 20_000] {
      peer.send(.credit(epoch: 1, limit: UInt64(limit), heard: true))
      while got < limit {
        guard case .data(epoch: 1, let bytes, _) = try peer.next() else {
          Issue.record("no sound")
          return
        }
        got += bytes / 4
      }
      #expect(got == limit)
    }
    // Credit below the present limit, or for another epoch, allows no more frames.
    peer.send(.credit(epoch: 1, limit: 5, heard: true), .credit(epoch: 7, limit: 99, heard: true))
    peer.send(.credit(epoch: 1, limit: 20_001, heard: true))
    #expect(try peer.next() == .data(epoch: 1, bytes: 4))
  }

  @Test("F4 · after a pause the source resends from the frame that the sink names")
  func namesTheFrame() throws {
    let (peer, section) = try connectAndReceive()
    let pause = try Background { [source] in source.pause() }
    _ = try peer.find { $0 == .flush(epoch: 2) }
    peer.send(.flushed(epoch: 2, frames: 137, of: 1))
    try waitUntil("pause returns") { pause.isDone }
    #expect(pause.result == CablePosition(section: section, frames: 137))
    source.resume()
    peer.send(.credit(epoch: 2, limit: 1, heard: true))
    #expect(try peer.next() == .data(epoch: 2, bytes: 4))
    peer.send(.heard(epoch: 2, frames: 1, delay: 0, time: 0))
    try waitUntil("heard") { source.position.frames == 138 }
  }

  @Test("F4 · a flush that is never answered takes 300 ms at most")
  func silentFlush() throws {
    let peer = try connectAndReceive().peer
    let flush = try Background { [source] in source.flush() }
    _ = try peer.find { $0 == .flush(epoch: 2) }
    clock.advance(milliseconds: 299)
    #expect(!flush.isDone)
    clock.advance(milliseconds: 1)
    try waitUntil("flush returns") { flush.isDone }
  }

  @Test("F4 · a flush while the sink holds no sound sends nothing, but begins a section")
  func needlessFlush() throws {
    let peer = try connectAndReceive().peer
    let flush = try Background { [source] in source.flush() }
    _ = try peer.find { $0 == .flush(epoch: 2) }
    peer.send(.flushed(epoch: 2, frames: 137, of: 1))
    try waitUntil("flush returns") { flush.isDone }
    let first = source.section
    let second = source.flush().section
    #expect(second != first)
    #expect(source.position == CablePosition(section: second, frames: 0))
    let stale = source.write(UnsafeRawBufferPointer(start: nil, count: 0), section: first)
    #expect(stale == 0)
    let decoder = try NumberedDecoder(source, section: second, frames: 0..<100)
    peer.send(.credit(epoch: 2, limit: 10, heard: true))
    #expect(try peer.next() == .data(epoch: 2, bytes: 40))
    withExtendedLifetime(decoder) {}
  }

  @Test(
    "F4 · a source unplugs a sink that breaks the protocol or closes, and goes on by its own clock")
  func violations() async throws {
    let (_, decoder) = try endless()
    let huge = UInt64.max
    let wrong: [[UInt8]] = [
      // An unknown kind.
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      // Payloads of 4 GiB and of 257 bytes.
      [17, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
      [17, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0],
      CableMessage.flush(epoch: 1).encoded,
      CableMessage.hello(version: 1, token: tokenA).encoded,
      CableMessage.heard(epoch: 1, frames: 4_411, delay: 0, time: 0).encoded,
      CableMessage.heard(epoch: 1, frames: huge >> 8, delay: .max, time: huge).encoded,
      CableMessage.close(reason: "I do not like it").encoded,
      Array(CableMessage.credit(epoch: 1, limit: 9, heard: true).encoded.dropLast()),
    ]
    for bytes in wrong {
      do {
        let peer = try sink.accept(source)
        _ = try peer.find { $0 == .format(epoch: 1, .compactDisc) }
        try receive(from: peer)
        peer.send(bytes)
        // The last entry is an incomplete message. Its sender closes the connection here, without
        // waiting for a reason.
        if bytes != wrong.last { #expect(try peer.closingReason() != nil, "\(bytes)") }
      }
      try waitUntil("unplugged") { !source.isHeard }
      let before = source.position.frames
      try clock.advance(milliseconds: 100, source, decoder)
      #expect(source.position.frames == before + 4_410)
    }
  }

  @Test("F4 · extreme numbers of a sink do no harm")
  func extremes() throws {
    let (peer, section) = try connect()
    peer.send(
      .heard(epoch: 1, frames: 0, delay: .max, time: .max),
      .heard(epoch: 0, frames: .max, delay: 0, time: 0),
      .heard(epoch: .max, frames: .max, delay: .max, time: .max),
      .flushed(epoch: 1, frames: .max, of: 1), .flushed(epoch: .max, frames: .max, of: .max),
      .drained(epoch: 1), .drained(epoch: .max),
      .credit(epoch: 1, limit: .max, heard: true))
    var got = 0
    while got < 100_000 {
      guard case .data(epoch: 1, let bytes, _) = try peer.next() else { break }
      got += bytes / 4
    }
    #expect(got >= 100_000)
    let pause = try Background { [source] in source.pause() }
    _ = try peer.find { $0 == .flush(epoch: 2) }
    peer.send(.flushed(epoch: 2, frames: .max, of: 1))
    try waitUntil("pause returns") { pause.isDone }
    #expect(pause.result?.section == section)
    source.resume()
    #expect(source.isHeard)
  }

  @Test("F4 · a sink that gives all credit at once and reads late gets everything")
  func lateReader() throws {
    let peer = try sink.accept(source)
    let (_, decoder) = try endless()
    #expect(try peer.next() == .format(epoch: 1, .compactDisc))
    peer.send(.credit(epoch: 1, limit: .max, heard: true))
    try waitUntil("the queue is full") { decoder.next >= 44_100 }
    // Until the decoder writes no more, because the socket is full too; earlier, the sink would only be less late.
    var before = -1
    while decoder.next != before {
      before = decoder.next
      usleep(50_000)
    }
    var got = 0
    while got < 400_000, case .data(epoch: 1, let bytes, _) = try peer.next() { got += bytes / 4 }
    #expect(got >= 400_000)
  }

  @Test("an unheard source sends nothing; when heard again, it flushes and sends the present sound")
  func unheardOnTheWire() throws {
    let peer = try sink.accept(source, heard: false)
    let (_, decoder) = try endless()
    try clock.advance(milliseconds: 1_000, source, decoder)
    peer.send(.credit(epoch: 0, limit: 0, heard: true))
    #expect(try peer.next() == .format(epoch: 1, .compactDisc))
    peer.send(.credit(epoch: 1, limit: 10, heard: true))
    #expect(try peer.next() == .data(epoch: 1, bytes: 40))
    peer.send(.heard(epoch: 1, frames: 10, delay: 0, time: 0))
    try waitUntil("heard") { source.position.frames == 44_110 }
    peer.send(.credit(epoch: 1, limit: 10, heard: false))
    try waitUntil("unheard") { !source.isHeard }
    try clock.advance(milliseconds: 500, source, decoder)
    peer.send(.credit(epoch: 1, limit: 10, heard: true))
    #expect(try peer.next() == .flush(epoch: 2))
    peer.send(.credit(epoch: 2, limit: 1, heard: true))
    #expect(try peer.next() == .data(epoch: 2, bytes: 4))
    peer.send(.heard(epoch: 2, frames: 1, delay: 0, time: 0))
    try waitUntil("heard") { source.position.frames == 44_110 + 22_050 + 1 }
  }

  @Test("F4 · gives up a sink that accepts the connection and never answers")
  func nobodyHome() throws {
    let error = #expect(throws: CableError.self) {
      try source.connect(path: sink.path, token: tokenA)
    }
    #expect(error?.code == .timeout)
    let missing = #expect(throws: CableError.self) {
      try source.connect(path: sink.folder.path + "/none", token: tokenA)
    }
    #expect(missing?.message.contains("none") == true)
  }
}

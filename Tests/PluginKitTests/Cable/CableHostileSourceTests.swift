import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable sink: hostile sources", .timeLimit(.minutes(5)))
struct CableHostileSourceTests {
  let folder: TemporaryFolder
  let sink: CableSink
  var path: String { folder.path + "/s" }

  init() throws {
    folder = try TemporaryFolder()
    sink = try CableSink(path: folder.path + "/s", token: tokenA, heard: true)
  }

  /// Expects that the sink still serves a correct source.
  private func expectStillServes(token: String = tokenB) throws {
    try sink.expect(token: token)
    let source = try CableSource()
    defer { source.close() }
    try source.connect(path: path, token: token)
    let section = try #require(source.setFormat(.compactDisc, after: 0))
    #expect(numbered(0..<100).withUnsafeBytes { source.write($0, section: section) } == 100)
    let speaker = TestSpeaker(sink)
    try speaker.play("sound") { speaker.heard.suffix(400) == numbered(0..<100)[...] }
  }

  @Test("F5 · a wrong token is refused with a reason, and does not spend the right one")
  func wrongToken() throws {
    defer { sink.close() }
    let other = try RawPeer(to: path)
    other.send(.hello(version: 1, token: tokenB))
    #expect(try other.closingReason()?.contains("token") == true)
    let source = try CableSource()
    defer { source.close() }
    let error = #expect(throws: CableError.self) { try source.connect(path: path, token: tokenB) }
    #expect(error?.code == .refused)
    try source.connect(path: path, token: tokenA)
  }

  @Test("F5 · a token is accepted once, even while its source is still plugged in")
  func usedToken() throws {
    defer { sink.close() }
    let first = try RawPeer(to: path, token: tokenA)
    let second = try RawPeer(to: path)
    second.send(.hello(version: 1, token: tokenA))
    #expect(try second.closingReason()?.contains("used") == true)
    first.send(.format(epoch: 1, .compactDisc))
    #expect(try first.credit(epoch: 1) == 4_410)
    try expectStillServes()
    #expect(try first.closingReason()?.contains("Another source") == true)
  }

  @Test(
    "F5 · a token that is not 256 bits in lower-case hexadecimal is an error",
    arguments: ["", "abc", String(repeating: "A", count: 64), String(repeating: "g", count: 64)])
  func malformedToken(token: String) {
    defer { sink.close() }
    #expect(throws: CableError.self) { try sink.expect(token: token) }
    let source = try? CableSource()
    #expect(throws: CableError.self) { try source?.connect(path: path, token: token) }
    source?.close()
  }

  @Test("F5 · a connection that sends something else first, or another version, is refused")
  func notHello() throws {
    defer { sink.close() }
    let openings: [[UInt8]] = [
      CableMessage.format(epoch: 1, .compactDisc).encoded,
      CableMessage.hello(version: 2, token: tokenA).encoded,
      CableMessage.hello(version: 1, token: tokenA).encoded + [0],
      CableMessage.data(epoch: 0, bytes: 60_000).encoded,
      Array("GET / HTTP/1.1\r\n\r\n".utf8),
    ]
    for opening in openings {
      let other = try RawPeer(to: path)
      other.send(opening)
      #expect(try other.closingReason() != nil)
    }
    try expectStillServes(token: tokenA)
  }

  @Test("F4 · every breach of the protocol closes the cable, with a reason")
  func violations() throws {
    defer { sink.close() }
    let format = CableMessage.format(epoch: 1, .compactDisc)
    let sound = CableMessage.data(epoch: 1, bytes: 4).encoded + [0, 0, 0, 0]
    let broken: [(String, [UInt8])] = [
      ("sound without a format", CableMessage.data(epoch: 0, bytes: 4).encoded + [0, 0, 0, 0]),
      ("flush without a format", CableMessage.flush(epoch: 1).encoded),
      ("end without a format", CableMessage.end(epoch: 0).encoded),
      ("an epoch too far", CableMessage.format(epoch: 2, .compactDisc).encoded),
      ("an epoch twice", format.encoded + format.encoded),
      (
        "sound of another epoch",
        format.encoded + CableMessage.data(epoch: 2, bytes: 4).encoded
          + [0, 0, 0, 0]
      ),
      ("half a frame", format.encoded + CableMessage.data(epoch: 1, bytes: 3).encoded + [0, 0, 0]),
      ("no frame", format.encoded + CableMessage.data(epoch: 1, bytes: 0).encoded),
      ("sound before credit", format.encoded + sound),
      (
        "end twice",
        format.encoded + CableMessage.end(epoch: 1).encoded
          + CableMessage.end(epoch: 1).encoded
      ),
      ("a message of sinks", CableMessage.drained(epoch: 0).encoded),
      ("hello again", CableMessage.hello(version: 1, token: tokenA).encoded),
      ("an unknown kind", [99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      ("a payload too long", [3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]),
    ]
    for (name, bytes) in broken {
      try sink.expect(token: tokenA)
      let peer = try RawPeer(to: path, token: tokenA)
      peer.send(bytes)
      #expect(try peer.closingReason() != nil, "\(name)")
    }
    try expectStillServes()
  }

  @Test("F4 · one frame beyond the credit closes the cable; the credit itself does not")
  func beyondCredit() throws {
    defer { sink.close() }
    let peer = try RawPeer(to: path, token: tokenA)
    peer.send(.format(epoch: 1, .compactDisc))
    let credit = Int(try peer.credit(epoch: 1))
    #expect(credit == 4_410)
    peer.send(frames: 0..<credit, epoch: 1)
    peer.send(frames: credit..<(credit + 1), epoch: 1)
    #expect(try peer.closingReason()?.contains("credit") == true)
    try expectStillServes()
  }

  @Test("F4 · a source that dies within a message is silenced, and the sink accepts the next one")
  func diesHalfway() throws {
    defer { sink.close() }
    do {
      let peer = try RawPeer(to: path, token: tokenA)
      peer.send(.format(epoch: 1, .compactDisc))
      _ = try peer.credit(epoch: 1)
      peer.send(frames: 0..<1_000, epoch: 1)
      peer.send(Array(CableMessage.data(epoch: 1, bytes: 400).encoded + [1, 2, 3]))
    }
    let speaker = TestSpeaker(sink)
    try speaker.play("the ring is dropped") { speaker.flushes == 1 }
    while speaker.read() != .empty {}
    #expect(speaker.fresh.isEmpty)
    try expectStillServes()
  }

  @Test(
    "F4 · a flood of flushes and formats waits for the audio thread, and only the last counts")
  func floodOfEpochs() throws {
    defer { sink.close() }
    let peer = try RawPeer(to: path, token: tokenA)
    peer.send(.format(epoch: 1, .compactDisc))
    _ = try peer.credit(epoch: 1)
    let surround = try #require(CableFormat(rate: 48_000, channels: 6, sample: .s16))
    let flood = try Background {
      (UInt32(2)...400).allSatisfy { epoch in
        peer.send(
          epoch % 3 == 0
            ? .format(epoch: epoch, epoch % 2 == 0 ? surround : .compactDisc)
            : .flush(epoch: epoch))
      }
    }
    let speaker = TestSpeaker(sink)
    let end = try Background { try? peer.credit(epoch: 400) }
    try speaker.play("the last epoch") { end.isDone && flood.isDone }
    #expect(flood.result == true)
    peer.send(frames: 0..<3, epoch: 400)
    try speaker.play("its sound") { speaker.heard.count == 12 }
    #expect(speaker.formats.last == .compactDisc)
  }

  @Test("F4 · a source that never reads does not stop the sink")
  func neverReads() throws {
    defer { sink.close() }
    let peer = try RawPeer(to: path, token: tokenA)
    peer.send(.format(epoch: 1, .compactDisc))
    let speaker = TestSpeaker(sink)
    let flood = try Background {
      (UInt32(2)...50_000).allSatisfy { peer.send(.flush(epoch: $0)) }
    }
    try speaker.play("the flood is over") { flood.isDone }
    try expectStillServes()
  }
}

import Platform
import Synchronization
import Testing

@testable import PluginKit

@Suite("Cable: the parts of a sink's connection, without a socket")
struct CableSinkPartsTests {
  private static let stereo = CableFormat.compactDisc

  /// Returns whether the closure throws the error `violation`.
  private func violates(_ body: () throws(CableError) -> Void) -> Bool {
    do throws(CableError) {
      try body()
      return false
    } catch {
      return error.code == .violation
    }
  }

  @Test("an epoch accepts whole frames within its credit, and nothing before a format")
  func accepts() throws {
    var epoch = CableEpoch()
    #expect(violates { () throws(CableError) in _ = try epoch.accept(4, of: 0) })
    #expect(violates { () throws(CableError) in _ = try epoch.flush(1) })
    #expect(violates { () throws(CableError) in try epoch.begin(2, Self.stereo) })
    try epoch.begin(1, Self.stereo)
    let isExtended = epoch.credit.extend(by: 2, of: 8, isRingEmpty: true)
    #expect(isExtended)
    #expect(violates { () throws(CableError) in _ = try epoch.accept(3, of: 1) })
    #expect(violates { () throws(CableError) in _ = try epoch.accept(12, of: 1) })
    #expect(violates { () throws(CableError) in _ = try epoch.accept(4, of: 0) })
    #expect(try epoch.accept(8, of: 1) == Self.stereo)
    #expect(violates { () throws(CableError) in _ = try epoch.accept(4, of: 1) })
  }

  @Test("an epoch ends once; a flush begins the next one without credit")
  func ends() throws {
    var epoch = CableEpoch()
    try epoch.begin(1, Self.stereo)
    _ = epoch.credit.extend(by: 8, of: 8, isRingEmpty: true)
    #expect(try epoch.end(1) == Self.stereo)
    #expect(violates { () throws(CableError) in _ = try epoch.end(1) })
    #expect(violates { () throws(CableError) in _ = try epoch.accept(4, of: 1) })
    #expect(try epoch.flush(2) == Self.stereo)
    #expect(!epoch.hasEnded && epoch.number == 2 && epoch.credit.limit == 0)
  }

  @Test("credit grows by a quarter of the ring, or when the source and the ring have run out")
  func credit() throws {
    var credit = CableCredit()
    let isFirst = credit.extend(by: 4, of: 100, isRingEmpty: true)
    #expect(isFirst)
    try credit.use(2)
    let isSmall = credit.extend(by: 20, of: 100, isRingEmpty: true)
    #expect(!isSmall && credit.limit == 4)
    try credit.use(2)
    let isHeld = credit.extend(by: 20, of: 100, isRingEmpty: false)
    #expect(!isHeld)
    let isStarved = credit.extend(by: 20, of: 100, isRingEmpty: true)
    #expect(isStarved && credit.limit == 24)
    let isQuarter = credit.extend(by: 45, of: 100, isRingEmpty: false)
    #expect(isQuarter && credit.limit == 49)
  }

  @Test("the time of the ring's sound counts each format, and nothing that is skipped")
  func spans() throws {
    let six = try #require(CableFormat(rate: 48_000, channels: 6, sample: .s16))
    var spans = CableSpans(from: 0)
    spans.begin(Self.stereo, at: 0)
    let second = UInt64(44_100 * 4)
    spans.begin(six, at: second)
    let end = second + 48_000 * 12
    #expect(spans.nanoseconds(from: 0, to: end) == 2_000_000_000)
    #expect(spans.nanoseconds(from: second / 2, to: end) == 1_500_000_000)
    spans.skip(to: second)
    #expect(spans.nanoseconds(from: 0, to: end) == 1_000_000_000)
    spans.restart(Self.stereo, at: end)
    #expect(spans.nanoseconds(from: 0, to: end) == 0)
  }

  @Test("playback ignores reports of other connections, of before a flush, and repeated ones")
  func playback() {
    var playback = CablePlayback(serial: 7)
    func report(_ generation: UInt64, frames: UInt64 = 10) -> CableReport {
      CableReport(generation: generation, frames: frames, delay: 4, time: 1)
    }
    func isNews(_ report: CableReport) -> Bool { playback.adopt(report) != nil }
    let first = playback.generation(of: 1)
    #expect(!isNews(report(first + 1 << 32)) && !isNews(report(1)))
    #expect(playback.flushed(epoch: 2) == .flushed(epoch: 2, frames: 0, of: 0))
    #expect(isNews(report(first)) && !isNews(report(first)))
    #expect(playback.flushed(epoch: 2) == .flushed(epoch: 2, frames: 6, of: 1))
    #expect(playback.flushed(epoch: 2, frames: 3, of: 1) == .flushed(epoch: 2, frames: 0, of: 0))
    playback.flush(first + 1)
    #expect(!isNews(report(first, frames: 11)) && isNews(report(first + 1)))
    let drained = (1...2).map { _ in playback.adopt(drained: first, of: first) }
    #expect(drained == [true, false])
  }

  @Test("a writer puts one marker before a generation, and drops sound without filling the queue")
  func writer() throws {
    let (io, audio) = (try WakeupDescriptor(), try WakeupDescriptor())
    let ring = UnsafeMutablePointer<CableRing>.allocate(capacity: 1)
    ring.initialize(
      to: CableRing(capacity: 64, signalNanoseconds: 1, ioEvent: io, audioEvent: audio))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
      io.close()
      audio.close()
    }
    var writer = CableRingWriter(ring)
    for _ in 0..<(2 * CableRing.markerCount) { writer.dropSound(nil) }
    #expect(ring.pointee.markerTail.load(ordering: .relaxed) == 0)
    let isWritten = [UInt8](repeating: 1, count: 32).withUnsafeBytes { bytes in
      (1...3).map { _ in
        writer.write(bytes, Self.stereo, generation: 5, startsRecording: false)
      }
    }
    #expect(isWritten == [true, true, false], "the ring holds 64 bytes")
    #expect(ring.pointee.markerTail.load(ordering: .relaxed) == 1)
    #expect(writer.freeFrames(of: Self.stereo, atMost: 100) == 0)
    for _ in 0..<CableRing.markerCount { writer.dropSound(Self.stereo) }
    #expect(writer.owesSilence, "nobody reads the markers")
  }
}

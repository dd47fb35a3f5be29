import Glibc
import Platform
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PluginKit

let tokenA = String(repeating: "a", count: 64)
let tokenB = String(repeating: "b1", count: 32)

/// Numbered frames: 16-bit stereo, left the low and right the high 16 bits of the number.
func numbered(_ range: Range<Int>) -> [UInt8] {
  range.flatMap { frame in
    [
      UInt8(truncatingIfNeeded: frame), UInt8(truncatingIfNeeded: frame >> 8),
      UInt8(truncatingIfNeeded: frame >> 16), UInt8(truncatingIfNeeded: frame >> 24),
    ]
  }
}

/// Returns the numbers of numbered frames.
func numbers(_ bytes: [UInt8]) -> [Int] {
  stride(from: 0, to: bytes.count, by: 4).map { at -> Int in
    bytes[at..<(at + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// A decoder: a thread that writes numbered frames from `start` until it is stopped.
final class NumberedDecoder: Sendable {
  private let state = Mutex<(next: Int, done: Bool)>((0, false))

  var next: Int { state.withLock { $0.next } }
  var isDone: Bool { state.withLock { $0.done } }

  init(_ source: CableSource, section: UInt32, frames: Range<Int>, chunk: Int = 441) throws {
    try SystemThread.startForCable { [self] in
      var next = frames.lowerBound
      while next < frames.upperBound {
        let end = min(next + chunk, frames.upperBound)
        let taken = numbered(next..<end).withUnsafeBytes { source.write($0, section: section) }
        next += taken
        state.withLock { $0.next = next }
        if taken < chunk, next < frames.upperBound { break }
      }
      state.withLock { $0.done = true }
    }
  }
}

extension ManualCableClock {
  /// Advances the clock by `milliseconds`, a multiple of 50, while no sink hears the source.
  ///
  /// Waits before each step of 50 ms until the decoder is more than 50 ms ahead of the position, so
  /// that the source does not run out of sound.
  func advance(milliseconds: Int, _ source: CableSource, _ decoder: NumberedDecoder) throws {
    for _ in 0..<(milliseconds / 50) {
      try waitUntil("the decoder is ahead") { decoder.next - source.position.frames > 2_205 }
      advance(milliseconds: 50)
    }
  }
}

/// An amplifier without a device. It keeps what it reads, and reports `delay` frames as unheard.
final class TestSpeaker {
  let sink: CableSink
  var heard: [UInt8] = []
  var formats: [CableFormat] = []
  /// The number of heard bytes at each flush.
  var flushedAt: [Int] = []
  var flushes: Int { flushedAt.count }
  /// The bytes after the last flush.
  var fresh: [UInt8] = []
  var ended = false
  /// The number of frames that are read but not heard yet, as the amplifier reports it.
  var delay = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  init(_ sink: CableSink) { self.sink = sink }
  deinit { buffer.deallocate() }

  /// Reads once, at most `bytes`; returns the result.
  @discardableResult func read(_ bytes: Int = 4_000) -> CableRead {
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes])
    let read = sink.tap.read(into: part)
    switch read {
    case .frames(let frames):
      let size = (formats.last ?? .compactDisc).frameBytes
      heard.append(contentsOf: part[..<(frames * size)])
      fresh.append(contentsOf: part[..<(frames * size)])
      sink.tap.report(delay: delay)
    case .format(let format): formats.append(format)
    case .flush:
      flushedAt.append(heard.count)
      fresh = []
      sink.tap.confirmFlush(unheard: delay)
    case .end:
      ended = true
      sink.tap.confirmDrained()
    case .empty: break
    }
    return read
  }

  /// Reads at most `bytes` at a time (0: events alone) until `condition` holds.
  func play(
    _ what: Comment, bytes: Int = 4_000, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () -> Bool
  ) throws {
    try waitUntil(what, sourceLocation: sourceLocation) {
      while !condition() {
        if read(bytes) == .empty { return condition() }
      }
      return true
    }
  }
}

/// A source and a sink on one cable.
struct CableBench {
  let folder: TemporaryFolder
  let sink: CableSink
  let source: CableSource
  let speaker: TestSpeaker
  var path: String { folder.path + "/s" }

  init(heard: Bool = true, clock: any CableClock = MonotonicClock()) throws {
    folder = try TemporaryFolder()
    // A test that is held up for 100 ms confirms its flushes all the same.
    sink = try CableSink(
      path: folder.path + "/s", token: tokenA, heard: heard, confirmationTime: 60_000_000_000)
    source = try CableSource(clock: clock)
    speaker = TestSpeaker(sink)
    try source.connect(path: folder.path + "/s", token: tokenA)
  }

  func close() {
    source.close()
    sink.close()
  }
}

/// Runs a call on a thread of its own, while the test plays the other end.
final class Background<Result: Sendable>: Sendable {
  private let state = Mutex<Result?>(nil)
  var result: Result? { state.withLock { $0 } }
  var isDone: Bool { result != nil }

  init(_ call: @escaping @Sendable () -> Result) throws {
    try SystemThread.startForCable { [self] in
      let result = call()
      state.withLock { $0 = result }
    }
  }
}

import Foundation
import Synchronization

@testable import ALSAAmplifier

/// A source at the other end of an input: keeps 100 ms ahead, as a cable does.
struct TestCable: @unchecked Sendable {
  // Safe: the channel is made for two threads, and a test feeds it from one at a time.
  let channel: UnsafeMutablePointer<InputChannel>
  let index: Int
  let engine: SoundEngine

  /// A new input of `engine`.
  init?(_ engine: SoundEngine) {
    guard let (index, channel) = engine.addInput() else { return nil }
    self.channel = channel
    self.index = index
    self.engine = engine
  }

  /// Says which format follows.
  func setFormat(_ format: StreamFormat) { _ = channel.pointee.mark(.format(format)) }

  /// Sends raw frames as the ring has room; `false` when nobody took them for `patience` seconds.
  func send(_ bytes: [UInt8], ahead: Int, patience: Double = 5) async -> Bool {
    await onThread {
      var sent = 0
      while sent < bytes.count {
        let room = ahead - channel.pointee.ring.readable
        if room > 0 {
          sent += bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return 0 }
            return channel.pointee.ring.write(base + sent, count: min(room, bytes.count - sent))
          }
          engine.wake()
        } else if !wait(patience) {
          return false
        }
      }
      return true
    }
  }

  /// Says that all was sent and waits until it was heard; `false` after `patience` seconds.
  func finish(patience: Double = 10) async -> Bool {
    await onThread {
      let drains = channel.pointee.drains.load(ordering: .acquiring)
      guard channel.pointee.mark(.end) else { return false }
      engine.wake()
      while channel.pointee.drains.load(ordering: .acquiring) == drains {
        if !wait(patience) { return false }
      }
      return true
    }
  }

  /// Throws away what is on its way and waits until it is silent.
  func flush(patience: Double = 5) async -> Bool {
    await onThread {
      channel.pointee.flush()
      engine.wake()
      while channel.pointee.flushesDone.load(ordering: .acquiring)
        != channel.pointee.flushesAsked.load(ordering: .acquiring)
      {
        if !wait(patience) { return false }
      }
      return true
    }
  }

  private func wait(_ seconds: Double) -> Bool {
    var entry = pollfd(
      fd: channel.pointee.cableBell.listening, events: Int16(POLLIN), revents: 0)
    let woken = poll(&entry, 1, Int32(seconds * 1000))
    channel.pointee.cableBell.silence()
    return woken > 0
  }

  private func onThread(_ work: @escaping @Sendable () -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let thread = NativeThread("source") { continuation.resume(returning: work()) }
      if thread == nil { continuation.resume(returning: false) }
    }
  }
}

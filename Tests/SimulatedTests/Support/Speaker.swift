import Devices
import Glibc
import JSON
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

/// The amplifier's end of a cable in a test. Records the received sound.
final class Speaker: Sendable {
  let sink: CableSink
  let socket: CableSocket
  private let heard = Mutex(RecordedSound())
  private let folder: TemporaryFolder

  struct RecordedSound {
    var format: CableFormat?
    /// Each channel's samples since the last format or flush, −1 to 1.
    var channels: [[Double]] = []
    /// The number of received frames, over all formats and flushes.
    var total = 0
    var flushes = 0
    var ends = 0
    var isStopped = false
  }

  init() throws {
    folder = try TemporaryFolder()
    socket = CableSocket(path: folder.path(of: "s"), token: Self.token())
    sink = try CableSink(path: socket.path, token: socket.token, heard: true)
    SystemThread.start(name: "speaker") { self.run() }
  }

  private static func token() -> String {
    String((0..<64).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  }

  func close() {
    heard.withLock { $0.isStopped = true }
    sink.close()
  }

  var now: RecordedSound { heard.withLock { $0 } }

  /// Waits until the recorded sound satisfies `condition`.
  ///
  /// - Throws: `Unexpected` after 60 s, with `what` as the expectation.
  func wait(_ what: String, for condition: (RecordedSound) -> Bool) async throws -> RecordedSound {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let heard = now
      if condition(heard) { return heard }
      guard ContinuousClock.now < deadline else {
        throw Unexpected(
          what: "never heard: \(what); \(heard.frames) frames of \(heard.channels.count) channels, "
            + "\(heard.flushes) flushes, \(heard.ends) ends")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 6 * 2 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while !now.isStopped {
      switch sink.tap.read(into: buffer) {
      case .frames(let frames): record(frames, buffer)
      case .format(let format):
        heard.withLock {
          $0.format = format
          $0.channels = Array(repeating: [], count: format.channels)
        }
      case .flush:
        heard.withLock { heard in
          heard.flushes += 1
          heard.channels = heard.channels.map { _ in [] }
        }
        sink.tap.confirmFlush(unheard: 0)
      case .end:
        heard.withLock { $0.ends += 1 }
        sink.tap.confirmDrained()
      case .empty: usleep(2000)
      }
    }
  }

  /// Records frames, about ten times faster than real time or more: tests wait for frames, not for
  /// seconds. The pause keeps a film from ending before the test has looked at it.
  private func record(_ frames: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    heard.withLock { heard in
      guard let format = heard.format, format.sample == .s16 else { return }
      heard.total += frames
      for frame in 0..<frames {
        for channel in 0..<format.channels {
          let offset = (frame * format.channels + channel) * 2
          let sample = buffer.loadUnaligned(fromByteOffset: offset, as: Int16.self)
          heard.channels[channel].append(Double(Int16(littleEndian: sample)) / 32_768)
        }
      }
    }
    sink.tap.report(delay: 0)
    usleep(2000)
  }
}

extension Speaker.RecordedSound {
  /// The amplitude of one frequency in Hz in the last `count` samples of a channel, 0 to 1, by the
  /// algorithm of Goertzel (1958); 0 when there are fewer samples.
  func amplitude(of frequency: Double, in channel: Int, last count: Int = 4800) -> Double {
    guard let format, channels.indices.contains(channel) else { return 0 }
    let samples = channels[channel].suffix(count)
    guard samples.count == count else { return 0 }
    let turn = 2 * cos(2 * Double.pi * frequency / Double(format.rate))
    var (last, beforeLast) = (0.0, 0.0)
    for sample in samples { (last, beforeLast) = (sample + turn * last - beforeLast, last) }
    let power = last * last + beforeLast * beforeLast - turn * last * beforeLast
    return 2 * max(0, power).squareRoot() / Double(count)
  }

  /// The root mean square of a channel's last `count` samples, 0 to 1.
  func level(in channel: Int, last count: Int = 4800) -> Double {
    guard channels.indices.contains(channel) else { return 0 }
    let samples = channels[channel].suffix(count)
    return (samples.reduce(0) { $0 + $1 * $1 } / Double(max(1, samples.count))).squareRoot()
  }

  var frames: Int { channels.first?.count ?? 0 }
}

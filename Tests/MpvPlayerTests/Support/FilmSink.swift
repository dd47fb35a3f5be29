import Devices
import Foundation
import Platform
import PluginKit
import Synchronization
import TestSupport

/// The amplifier's end of a cable. It plays in real time, and counts and measures the frames.
final class FilmSink: Sendable {
  fileprivate struct State {
    var formats: [CableFormat] = []
    var frames = 0
    /// The number of frames that were measured.
    var measured = 0
    /// The changes of sign in the first channel: two for each wave.
    var crossings = 0
    var last: Float = 0
    /// The first half second of each channel.
    var samples: [[Float]] = []
    /// When the last frame will have been played, in nanoseconds of the monotonic clock.
    var playedAt: Int64 = 0
  }

  private let folder: TemporaryFolder
  private let sink: CableSink
  private let path: String
  private let state = Mutex(State())

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path(of: "sink")
    sink = try CableSink(path: path, token: Self.token(), heard: true)
    SystemThread.start(name: "film sink") { [weak self, sink] in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 16)
      defer { buffer.deallocate() }
      while let self { self.read(sink, buffer) }
    }
  }

  deinit { sink.close() }

  /// Returns a socket with a new token, which is valid for one connection.
  func nextSocket() throws -> CableSocket {
    let token = Self.token()
    try sink.expect(token: token)
    return CableSocket(path: path, token: token)
  }

  /// The received formats, in order.
  var formats: [CableFormat] { state.withLock { $0.formats } }
  /// The number of frames that were received since the last `reset`.
  var frames: Int { state.withLock { $0.frames } }
  /// The number of whole waves that were heard in the first channel since the last `reset`.
  var waves: Int { state.withLock { $0.crossings / 2 } }
  /// The frequency in Hz of the tone that was heard in the first channel since the last `reset`.
  var frequency: Double {
    state.withLock { state in
      let rate = Double(state.formats.last?.rate ?? 0)
      return state.measured == 0 ? 0 : Double(state.crossings) / 2 * rate / Double(state.measured)
    }
  }
  /// Returns the amplitude of a tone in each channel, in the first half second since the last `reset` in the last
  /// format; nil before its end.
  func amplitudes(of hertz: Double) -> [Double]? {
    let (samples, rate) = state.withLock { ($0.samples, Double($0.formats.last?.rate ?? 1)) }
    guard !samples.isEmpty, samples.allSatisfy({ Double($0.count) >= rate / 2 }) else { return nil }
    return samples.map { samples in
      let (real, imaginary) = samples.indices.reduce((0.0, 0.0)) { sum, index in
        let phase = 2 * Double.pi * hertz * Double(index) / rate
        let value = Double(samples[index])
        return (sum.0 + value * cos(phase), sum.1 + value * sin(phase))
      }
      return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
    }
  }
  /// Sets all counts to 0 and keeps only the last format.
  func reset() {
    state.withLock { state in
      (state.frames, state.measured, state.crossings, state.samples) = (0, 0, 0, [])
      state.formats = state.formats.suffix(1)
    }
  }

  private static func token() -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<64).map { _ in digits.randomElement() ?? "0" })
  }

  private func read(_ sink: CableSink, _ buffer: UnsafeMutableRawBufferPointer) {
    switch sink.tap.read(into: buffer) {
    case .frames(let count): play(count, buffer)
    case .empty:
      var entry = pollfd(fd: sink.audioEvent, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 20)
      sink.clearAudioEvent()
    case .format(let format):
      state.withLock { state in
        state.formats.append(format)
        state.samples = []
      }
    case .flush:
      state.withLock { $0.playedAt = 0 }
      sink.tap.confirmFlush(unheard: 0)
    case .end: sink.tap.confirmDrained()
    }
  }

  /// Plays frames like a sound card with a buffer of 20 ms.
  private func play(_ count: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    let now = MonotonicClock.now
    let (wait, delay) = state.withLock { state -> (Int64, Int) in
      guard let format = state.formats.last else { return (0, 0) }
      state.frames += count
      state.measure(buffer, count, format)
      let time = Int64(count) * 1_000_000_000 / Int64(format.rate)
      state.playedAt = max(state.playedAt, now) + time
      let ahead = state.playedAt - now
      return (ahead - 20_000_000, Int(ahead * Int64(format.rate) / 1_000_000_000))
    }
    sink.tap.report(delay: delay)
    if wait > 0 { usleep(UInt32(wait / 1000)) }
  }
}

extension FilmSink.State {
  fileprivate mutating func measure(
    _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, _ format: CableFormat
  ) {
    let channels = Int(format.channels)
    if samples.count != channels { samples = Array(repeating: [], count: channels) }
    for frame in 0..<count {
      let offset = frame * format.frameBytes
      func sample(_ channel: Int) -> Float {
        let offset = offset + channel * (format.frameBytes / channels)
        return switch format.sample {
        case .s16:
          Float(buffer.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 32_768
        case .f32: buffer.loadUnaligned(fromByteOffset: offset, as: Float.self)
        default:
          Float(buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648
        }
      }
      if samples[0].count < Int(format.rate) / 2 {
        for channel in 0..<channels { samples[channel].append(sample(channel)) }
      }
      let value = sample(0)
      measured += 1
      if value != 0, (value < 0) != (last < 0) { crossings += 1 }
      if value != 0 { last = value }
    }
  }
}

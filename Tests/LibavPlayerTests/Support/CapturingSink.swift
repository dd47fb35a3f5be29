import Devices
import Foundation
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

/// The amplifier's end of a cable: reads as fast as the player sends, up to a limit, and keeps all
/// that it read. It stops reading at the limit, so no test depends on the speed of the machine.
final class CapturingSink: Sendable {
  /// The sound between two changes of format.
  struct Stretch: Sendable {
    var format: CableFormat
    var bytes: [UInt8] = []

    /// The number of frames.
    var frames: Int { bytes.count / format.frameBytes }

    /// Returns the samples of one channel, −1…1.
    func channel(_ index: Int) -> [Float] {
      let sample = format.sample == .s16 ? 2 : 4
      return bytes.withUnsafeBytes { raw in
        (0..<frames).map { frame in
          let offset = frame * format.frameBytes + index * sample
          switch format.sample {
          case .s16: return Float(raw.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 32768
          case .f32: return raw.loadUnaligned(fromByteOffset: offset, as: Float.self)
          default:
            return Float(raw.loadUnaligned(fromByteOffset: offset, as: Int32.self))
              / 2_147_483_648
          }
        }
      }
    }
  }

  private struct State {
    var stretches: [Stretch] = []
    var flushes = 0
    var firstSound: UInt64?
    /// The number of frames after which the sink stops reading.
    var limit = Int.max
    var frames = 0
  }
  /// The socket for the player.
  let socket: CableSocket
  private let folder: TemporaryFolder
  private let sink: CableSink
  private let state = Mutex(State())

  /// Creates a sink that reads `limit` frames.
  init(heard: Bool = true, limit: Int = .max) throws {
    folder = try TemporaryFolder()
    let digits = Array("0123456789abcdef")
    let token = String((0..<64).map { _ in digits.randomElement() ?? "0" })
    socket = CableSocket(path: folder.path + "/sink", token: token)
    state.withLock { $0.limit = limit }
    sink = try CableSink(path: socket.path, token: token, heard: heard)
    SystemThread.start(name: "sink") { [weak self, sink] in
      // A device confirms silence within 100 ms; on a full machine this thread should too.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 16)
      defer { buffer.deallocate() }
      while let self { self.read(sink, buffer) }
    }
  }

  deinit { sink.close() }

  /// Selects or leaves this input.
  func setHeard(_ heard: Bool) { sink.setHeard(heard) }

  /// Continues to read until it has `limit` frames in all.
  func continueReading(to limit: Int = .max) { state.withLock { $0.limit = limit } }

  /// The sound that was read, with a new stretch at each format message.
  var stretches: [Stretch] { state.withLock { $0.stretches } }
  /// The number of flushes that the player requested.
  var flushes: Int { state.withLock { $0.flushes } }
  /// The time of the first frame that is not silence, in monotonic nanoseconds.
  var firstSound: UInt64? { state.withLock { $0.firstSound } }
  /// Frames heard so far.
  var frames: Int { state.withLock { $0.stretches.reduce(0) { $0 + $1.frames } } }
  /// Discards the sound that was read; the format stays.
  func discardSound() {
    state.withLock { state in
      state.stretches = state.stretches.last.map { [Stretch(format: $0.format)] } ?? []
      state.firstSound = nil
      state.frames = 0
    }
  }

  /// Waits until `condition` is true; fails after a minute.
  func wait(
    _ what: Comment, location: SourceLocation = #_sourceLocation,
    until condition: (CapturingSink) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition(self) {
      try #require(ContinuousClock.now < deadline, what, sourceLocation: location)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func read(_ sink: CableSink, _ buffer: UnsafeMutableRawBufferPointer) {
    let isFull = state.withLock { $0.frames >= $0.limit }
    // Without room `read` returns events only.
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(isFull ? 0 : buffer.count)])
    switch sink.tap.read(into: room) {
    case .frames(let count): append(count, buffer)
    case .empty:
      var entry = pollfd(fd: sink.audioEvent, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, isFull ? 2 : 50)
      sink.clearAudioEvent()
    case .format(let format): state.withLock { $0.stretches.append(Stretch(format: format)) }
    case .flush:
      state.withLock { $0.flushes += 1 }
      sink.tap.confirmFlush(unheard: 0)
    case .end: sink.tap.confirmDrained()
    }
  }

  private func append(_ count: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    state.withLock { state in
      guard let last = state.stretches.indices.last else { return }
      let format = state.stretches[last].format
      let bytes = buffer[..<(count * format.frameBytes)]
      if state.firstSound == nil, bytes.contains(where: { $0 != 0 }) {
        state.firstSound = DispatchTime.now().uptimeNanoseconds
      }
      state.stretches[last].bytes += bytes
      state.frames += count
    }
    sink.tap.report(delay: 0)
  }
}

import Devices
import Foundation
import PluginKit
import PluginProtocol
import Synchronization
import Testing

/// The amplifier's end of a cable: hears as fast as the player sends, and remembers all of it.
final class Ear: Sendable {
  /// What came in one format, without a break.
  struct Stretch: Sendable {
    var format: CableFormat
    var bytes: [UInt8] = []

    /// Frames of it.
    var frames: Int { bytes.count / format.frameBytes }

    /// One channel as −1…1.
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
    var ends = 0
    var firstSound: UInt64?
    var isClosed = false
    var isPaced = false
  }
  /// What the player is told to plug into.
  let socket: CableSocket
  private let folder: TemporaryFolder
  private let sink: CableSink
  private let state = Mutex(State())

  /// An ear that listens; a paced one hears in real time, through a device that holds nothing back.
  init(heard: Bool = true, paced: Bool = false) throws {
    folder = try TemporaryFolder()
    let digits = Array("0123456789abcdef")
    let token = String((0..<64).map { _ in digits.randomElement() ?? "0" })
    socket = CableSocket(path: folder.path + "/ear", token: token)
    state.withLock { $0.isPaced = paced }
    sink = try CableSink(path: socket.path, token: token, heard: heard)
    PosixThread.start(name: "ear") { [weak self, sink] in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 16)
      defer { buffer.deallocate() }
      while let self, self.listen(sink, buffer) {}
    }
  }

  deinit { sink.close() }

  /// Selects or leaves this input.
  func setHeard(_ heard: Bool) { sink.setHeard(heard) }

  /// From now on hears as fast as the player sends.
  func hurry() { state.withLock { $0.isPaced = false } }

  /// All that was heard, from change of format to change of format.
  var stretches: [Stretch] { state.withLock { $0.stretches } }
  /// How often silence was asked for.
  var flushes: Int { state.withLock { $0.flushes } }
  /// When the first frame that is not silence came, in monotonic nanoseconds.
  var firstSound: UInt64? { state.withLock { $0.firstSound } }
  /// Frames heard so far.
  var frames: Int { state.withLock { $0.stretches.reduce(0) { $0 + $1.frames } } }
  /// Forgets what was heard; the format stays.
  func forget() {
    state.withLock { state in
      state.stretches = state.stretches.last.map { [Stretch(format: $0.format)] } ?? []
      state.firstSound = nil
    }
  }

  /// Waits until something was heard; fails after 20 s.
  func wait(
    _ what: Comment, location: SourceLocation = #_sourceLocation, until condition: (Ear) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition(self) {
      try #require(ContinuousClock.now < deadline, what, sourceLocation: location)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func listen(_ sink: CableSink, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    switch sink.tap.read(into: buffer) {
    case .frames(let count): hear(count, buffer)
    case .empty:
      var entry = pollfd(fd: sink.audioEvent, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 50)
      sink.clearAudioEvent()
    case .format(let format): state.withLock { $0.stretches.append(Stretch(format: format)) }
    case .flush:
      state.withLock { $0.flushes += 1 }
      sink.tap.confirmFlush(unheard: 0)
    case .end:
      state.withLock { $0.ends += 1 }
      sink.tap.confirmDrained()
    }
    return !state.withLock { $0.isClosed }
  }

  private func hear(_ count: Int, _ buffer: UnsafeMutableRawBufferPointer) {
    let pause = state.withLock { state -> Int in
      guard let last = state.stretches.indices.last else { return 0 }
      let format = state.stretches[last].format
      let bytes = buffer[..<(count * format.frameBytes)]
      if state.firstSound == nil, bytes.contains(where: { $0 != 0 }) {
        state.firstSound = DispatchTime.now().uptimeNanoseconds
      }
      state.stretches[last].bytes += bytes
      return state.isPaced ? count * 1_000_000 / format.rate : 0
    }
    if pause > 0 { usleep(UInt32(pause)) }
    sink.tap.report(delay: 0)
  }
}

import Devices
import Glibc
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport

/// The amplifier's end of a cable, which takes sound in real time, and counts how often none is there.
final class PacedSink: Sendable {
  /// The sound that is taken at a time, in nanoseconds.
  private static let period: Int64 = 20_000_000

  let socket: CableSocket
  private let folder: TemporaryFolder
  private let sink: CableSink
  private let state = Mutex((frames: 0, breaks: 0, isSilent: true))

  init() throws {
    folder = try TemporaryFolder()
    let digits = Array("0123456789abcdef")
    let token = String((0..<64).map { _ in digits.randomElement() ?? "0" })
    socket = CableSocket(path: folder.path + "/sink", token: token)
    sink = try CableSink(path: socket.path, token: token, heard: true)
    SystemThread.start(name: "sink") { [weak self, sink] in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      defer { buffer.deallocate() }
      var next = MonotonicClock.now
      while let self {
        self.take(sink, buffer)
        next = max(next + Self.period, MonotonicClock.now - 2 * Self.period)
        usleep(UInt32(clamping: max(0, next - MonotonicClock.now) / 1_000))
      }
    }
  }

  deinit { sink.close() }

  /// The number of frames that were taken.
  var frames: Int { state.withLock { $0.frames } }
  /// How often the sound ended after it had begun.
  var breaks: Int { state.withLock { $0.breaks } }

  private func take(_ sink: CableSink, _ buffer: UnsafeMutableRawBufferPointer) {
    var taken = 0
    while true {
      let format = sink.tap.format
      let wanted = (format?.frames(inNanoseconds: Self.period) ?? 0) - taken
      if format != nil, wanted <= 0 { break }
      let bytes = wanted * (format?.frameBytes ?? 0)
      switch sink.tap.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes])) {
      case .frames(let count): taken += count
      case .format: continue
      case .flush: sink.tap.confirmFlush(unheard: 0)
      case .end: sink.tap.confirmDrained()
      case .empty:
        return record(taken)
      }
    }
    record(taken)
  }

  private func record(_ frames: Int) {
    sink.tap.report(delay: 0)
    state.withLock { state in
      state.frames += frames
      if frames == 0, !state.isSilent { state.breaks += 1 }
      state.isSilent = frames == 0
    }
  }
}

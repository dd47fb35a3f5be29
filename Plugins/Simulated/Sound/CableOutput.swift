import Devices
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The sound that a player asks for.
struct SoundRequest: Sendable {
  /// Rises with each new beginning: another film, a seek.
  let epoch: Int
  let signal: Signal
  /// The position at which it begins or is paused, in seconds.
  let position: Double
  let isPaused: Bool
}

/// Keeps the sound on a player's cable equal to the requested sound.
actor CableOutput {
  /// The sound on the cable: one epoch, from `start` seconds on, at `rate` frames a second.
  private struct CurrentSound {
    let epoch: Int
    let section: UInt32
    let start: Double
    let rate: Int
  }

  private let executor = ThreadExecutor(name: "cable output")
  private let source: CableSource
  private let writer: SignalWriter
  private let request: @Sendable () -> SoundRequest?
  private let current = Mutex<CurrentSound?>(nil)
  private var signal: Signal?
  private var isPaused = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter request: Returns the sound to play now; `nil` is silence.
  init(_ request: @escaping @Sendable () -> SoundRequest?) throws(DeviceError) {
    self.request = request
    do {
      source = try CableSource()
    } catch {
      throw DeviceError(.failed, error.message)
    }
    writer = SignalWriter(source)
  }

  /// Plugs the cable in, or another in its place; the current sound goes on through it.
  func plug(into socket: CableSocket) throws(DeviceError) {
    do {
      try source.connect(path: socket.path, token: socket.token)
    } catch {
      throw DeviceError(
        .failed, error.message, hint: "Is the amplifier's plugin running? The next plug mends it.")
    }
    update()
  }

  /// Changes the sound to the requested one.
  func update() {
    guard let request = request() else { return stop() }
    if request.epoch != current.withLock({ $0?.epoch }) || request.signal != signal {
      begin(request)
    }
    if request.isPaused != isPaused {
      isPaused = request.isPaused
      if isPaused { source.pause() } else { source.resume() }
    }
  }

  /// Returns the heard position in an epoch, in seconds; `nil` while another one is heard.
  nonisolated func heardPosition(inEpoch epoch: Int) -> Double? {
    guard let current = current.withLock({ $0 }), current.epoch == epoch else { return nil }
    let position = source.position
    guard position.section == current.section else { return nil }
    return current.start + Double(position.frames) / Double(current.rate)
  }

  /// An event of the output.
  enum Event: Sendable {
    /// The last frame of this epoch was heard.
    case drained(epoch: Int)
    /// The cable is gone, with the reason; the clock tells the position until the next one.
    case unplugged(String)
  }

  /// Calls `body` with each event, until the output is closed.
  nonisolated func forEachEvent(_ body: @Sendable (Event) async -> Void) async {
    for await event in source.events {
      switch event {
      case .drained(let section):
        guard let current = current.withLock({ $0 }), current.section == section else { continue }
        await body(.drained(epoch: current.epoch))
      case .unplugged(let error): await body(.unplugged(error.message))
      case .plugged, .heard: continue
      }
    }
  }

  /// Ends the sound, the cable and the thread.
  func close() {
    stop()
    source.close()
    writer.stop()
    executor.stop()
  }

  private func stop() {
    guard current.withLock({ $0 }) != nil else { return }
    current.withLock { $0 = nil }
    signal = nil
    _ = source.flush()
    if isPaused { source.resume() }
    isPaused = false
  }

  private func begin(_ request: SoundRequest) {
    guard let section = beginSection(in: request.signal.format) else { return }
    signal = request.signal
    current.withLock {
      $0 = CurrentSound(
        epoch: request.epoch, section: section, start: request.position,
        rate: request.signal.format.rate)
    }
    writer.write(request.signal, from: request.position, section: section)
  }

  /// Drops the sound and begins a section; nil if a newer one has begun.
  private func beginSection(in format: CableFormat) -> UInt32? {
    let section = source.flush().section
    return signal?.format == format ? section : source.setFormat(format, after: section)
  }
}

import Devices
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// What a player wants to be heard.
struct SoundWish: Sendable {
  /// Rises with each new beginning: another film, a seek.
  let take: Int
  let signal: Signal
  /// Where it begins or stands, in seconds.
  let position: Double
  let isPaused: Bool
}

/// A player's sound on its cable. It asks what is wanted and makes it so; a thread of its own
/// writes, held back by the amplifier's credit.
actor CableOutput {
  private struct Take {
    let number: Int
    let section: UInt32
    let start: Double
    let rate: Int
  }

  private let executor = ThreadExecutor(name: "cable output")
  private let source: CableSource
  private let wish: @Sendable () -> SoundWish?
  private let take = Mutex<Take?>(nil)
  private var signal: Signal?
  private var isPaused = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - wish: What is wanted at this moment; `nil` is silence.
  init(_ wish: @escaping @Sendable () -> SoundWish?) throws(DeviceError) {
    self.wish = wish
    do {
      source = try CableSource()
    } catch {
      throw DeviceError(.failed, error.message)
    }
  }

  /// Plugs the cable in, or another in its place; what is playing goes on through it.
  func plug(into socket: CableSocket) throws(DeviceError) {
    do {
      try source.connect(path: socket.path, token: socket.token)
    } catch {
      throw DeviceError(
        .failed, error.message, hint: "Is the amplifier's plugin running? The next plug mends it.")
    }
    update()
  }

  /// Makes what is heard what is wanted.
  func update() {
    guard let wish = wish() else { return stop() }
    if wish.take != take.withLock({ $0?.number }) || wish.signal != signal { begin(wish) }
    if wish.isPaused != isPaused {
      isPaused = wish.isPaused
      if isPaused { source.pause() } else { source.resume() }
    }
  }

  /// Where `take` is heard, in seconds; `nil` while it is not.
  nonisolated func heard(take number: Int) -> Double? {
    guard let take = take.withLock({ $0 }), take.number == number else { return nil }
    let position = source.position
    guard position.section == take.section else { return nil }
    return take.start + Double(position.frames) / Double(take.rate)
  }

  /// What an owner of the output wants to know.
  enum Event: Sendable {
    /// The last frame of this take was heard.
    case drained(take: Int)
    /// The cable is gone, with the reason; the clock plays until the next one.
    case unplugged(String)
  }

  /// Calls `body` with what happens, until the output is closed.
  nonisolated func forEachEvent(_ body: @Sendable (Event) async -> Void) async {
    for await event in source.events {
      switch event {
      case .drained(let section):
        guard let take = take.withLock({ $0 }), take.section == section else { continue }
        await body(.drained(take: take.number))
      case .unplugged(let error): await body(.unplugged(error.message))
      case .plugged, .heard: continue
      }
    }
  }

  /// Silence for good.
  func close() {
    stop()
    source.close()
    executor.stop()
  }

  private func stop() {
    guard take.withLock({ $0 }) != nil else { return }
    take.withLock { $0 = nil }
    signal = nil
    _ = source.flush()
    if isPaused { source.resume() }
    isPaused = false
  }

  private func begin(_ wish: SoundWish) {
    guard let section = section(of: wish.signal.format) else { return }
    signal = wish.signal
    take.withLock {
      $0 = Take(
        number: wish.take, section: section, start: wish.position, rate: wish.signal.format.rate)
    }
    let source = source
    let generator = SignalGenerator(wish.signal, from: wish.position)
    // Half a second ahead of what is heard: what people wait for goes first.
    SystemThread.start(name: "signal", priority: .nice(5)) {
      Self.write(generator, to: source, section: section)
    }
  }

  /// A new section, with nothing of the one before left to hear.
  private func section(of format: CableFormat) -> UInt32? {
    let section = source.flush().section
    return signal?.format == format ? section : source.setFormat(format, after: section)
  }

  /// Writes until the signal or the section ends.
  private static func write(_ generator: SignalGenerator, to source: CableSource, section: UInt32) {
    var generator = generator
    while let taken = generator.next({ bytes, frames in
      source.write(bytes, section: section) == frames
    }) {
      guard taken else { return }
    }
    source.end(section: section)
  }
}

import Platform
import PluginKit

/// A thread that writes a player's sound on its cable, held back by the amplifier's credit: one sound
/// after another, for the life of the player.
///
/// Safe: all state is touched inside the monitor alone.
final class SignalWriter: @unchecked Sendable {
  private struct Work {
    let signal: Signal
    /// In seconds.
    let start: Double
    let section: UInt32
  }

  private let source: CableSource
  private let monitor = Monitor()
  private var next: Work?
  private var isRunning = false
  private var isStopped = false

  init(_ source: CableSource) { self.source = source }

  /// Writes this sound in a section of the source. A sound that is being written ends with its section.
  ///
  /// - Parameter start: Where the sound begins, in seconds.
  func write(_ signal: Signal, from start: Double, section: UInt32) {
    let isFirst = monitor.withLock {
      next = Work(signal: signal, start: start, section: section)
      monitor.wakeAll()
      defer { isRunning = true }
      return !isRunning
    }
    guard isFirst else { return }
    // The cable is half a second ahead: threads that people wait for go first.
    SystemThread.start(name: "signal", priority: .nice(5)) { self.run() }
  }

  /// Ends the thread.
  func stop() {
    monitor.withLock {
      isStopped = true
      monitor.wakeAll()
    }
  }

  private func run() {
    while let work = waitForWork() { write(work) }
  }

  private func waitForWork() -> Work? {
    monitor.withLock {
      while next == nil, !isStopped { monitor.wait() }
      defer { next = nil }
      return isStopped ? nil : next
    }
  }

  /// Writes until the signal or the section ends.
  private func write(_ work: Work) {
    var generator = SignalGenerator(work.signal, from: work.start)
    while let isWritten = generator.next({ bytes, frames in
      source.write(bytes, section: work.section) == frames
    }) {
      guard isWritten else { return }
    }
    source.end(section: work.section)
  }
}

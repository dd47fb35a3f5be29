import CLinux
import Glibc
import PluginKit
import PluginProtocol
import Synchronization

/// The ear of a simulated amplifier: a thread that takes sound from a cable at the pace of life,
/// as a sound card would, and measures it.
final class Listener: Sendable {
  private struct Wanted {
    var sink: CableSink?
    var isStopped = false
  }

  /// Sound that the simulated card holds, in nanoseconds.
  private static let buffer: Int64 = 40_000_000
  private static let reportInterval: Int64 = 1_000_000_000

  private let wanted = Mutex(Wanted())
  private let wakeUp = linux_eventfd()
  private let report: @Sendable (LevelMeter.Levels?) -> Void

  /// - Parameter report: Told once a second what is heard, and `nil` when nothing is any more.
  init(report: @escaping @Sendable (LevelMeter.Levels?) -> Void) {
    self.report = report
    PosixThread.start(name: "listener") { self.run() }
  }

  deinit { close(wakeUp) }

  /// Hears this cable from now on, or none.
  func listen(to sink: CableSink?) {
    wanted.withLock { $0.sink = sink }
    wake()
  }

  /// Ends the thread.
  func stop() {
    wanted.withLock { $0 = Wanted(isStopped: true) }
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  // MARK: The thread

  private func run() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { bytes.deallocate() }
    var ear = Ear()
    while true {
      let wanted = wanted.withLock { $0 }
      if wanted.isStopped { return }
      if ear.sink !== wanted.sink {
        ear.silence(report)
        ear = Ear(wanted.sink)
      }
      if let sink = ear.sink { hear(sink, &ear, bytes) } else { wait(for: nil, -1) }
    }
  }

  /// Takes one thing from the cable, or waits until there is one or the card has room.
  private func hear(_ sink: CableSink, _ ear: inout Ear, _ bytes: UnsafeMutableRawBufferPointer) {
    let now = MonotonicCableClock().now
    if ear.ahead(now) > Self.buffer {
      return wait(for: sink, Int32((ear.ahead(now) - Self.buffer) / 1_000_000 + 1))
    }
    switch sink.tap.read(into: bytes) {
    case .frames(let frames):
      ear.take(frames, UnsafeRawBufferPointer(bytes), now)
      sink.tap.report(delay: ear.unheardFrames(now))
      ear.report(now, every: Self.reportInterval, to: report)
    case .format(let format): ear.begin(format)
    case .flush:
      sink.tap.confirmFlush(unheard: ear.unheardFrames(now))
      ear.drop(now)
    case .end:
      let rest = ear.ahead(now)
      // The time that a card would take to play out: there is nothing to wait for but time.
      if rest > 0 { usleep(UInt32(rest / 1000)) }
      sink.tap.confirmDrained()
    case .empty:
      ear.silence(report, after: Self.reportInterval, now)
      wait(for: sink, ear.isSilent ? -1 : 500)
    }
  }

  private func wait(for sink: CableSink?, _ milliseconds: Int32) {
    var events = [
      pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sink?.audioEvent ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&events, nfds_t(events.count), milliseconds) > 0 else { return }
    if events[0].revents != 0 {
      var count: UInt64 = 0
      _ = read(wakeUp, &count, 8)
    }
    if events[1].revents != 0 { sink?.clearAudioEvent() }
  }
}

/// What the listening thread knows of the cable that it hears.
private struct Ear {
  let sink: CableSink?
  private(set) var isSilent = true
  private var format: CableFormat?
  private var meter: LevelMeter?
  /// When everything that was taken will have been heard, in nanoseconds.
  private var playedAt: Int64 = 0
  private var reportedAt: Int64 = 0

  init(_ sink: CableSink? = nil) { self.sink = sink }

  mutating func begin(_ format: CableFormat) {
    self.format = format
    meter = LevelMeter(format)
  }

  mutating func take(_ frames: Int, _ bytes: UnsafeRawBufferPointer, _ now: Int64) {
    guard let format else { return }
    if isSilent, meter?.isEmpty == true { reportedAt = now }
    playedAt = max(playedAt, now) + format.nanoseconds(ofFrames: frames)
    meter?.take(UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.frameBytes)]))
  }

  /// How much sound is taken but not heard, in nanoseconds.
  func ahead(_ now: Int64) -> Int64 { max(0, playedAt - now) }

  func unheardFrames(_ now: Int64) -> Int { format?.frames(inNanoseconds: ahead(now)) ?? 0 }

  mutating func drop(_ now: Int64) { playedAt = now }

  mutating func report(
    _ now: Int64, every interval: Int64, to report: (LevelMeter.Levels?) -> Void
  ) {
    // A level means something only after some periods of the lowest tone.
    guard now - reportedAt >= (isSilent ? interval / 5 : interval), let levels = meter?.levels()
    else { return }
    isSilent = false
    reportedAt = now
    report(levels)
  }

  mutating func silence(
    _ report: (LevelMeter.Levels?) -> Void, after interval: Int64 = 0, _ now: Int64 = .max
  ) {
    guard !isSilent, now - playedAt >= interval else { return }
    isSilent = true
    report(nil)
  }
}

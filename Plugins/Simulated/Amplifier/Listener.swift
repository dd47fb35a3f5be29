import Glibc
import Platform
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

  private let wanted = Mutex(Wanted())
  private let wakeUp: WakeupDescriptor
  private let report: @Sendable (CableLevelMeter.Levels?) -> Void

  /// - Parameter report: Told once a second what is heard, and `nil` when nothing is any more.
  init(report: @escaping @Sendable (CableLevelMeter.Levels?) -> Void) throws(SystemError) {
    self.report = report
    wakeUp = try WakeupDescriptor()
    SystemThread.start(name: "listener") { self.run() }
  }

  deinit { wakeUp.close() }

  /// Hears this cable from now on, or none.
  func listen(to sink: CableSink?) {
    wanted.withLock { $0.sink = sink }
    wakeUp.signal()
  }

  /// Ends the thread.
  func stop() {
    wanted.withLock { $0 = Wanted(isStopped: true) }
    wakeUp.signal()
  }

  // MARK: The thread

  private func run() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { bytes.deallocate() }
    var ear = CableAnalyzer()
    while true {
      let wanted = wanted.withLock { $0 }
      if wanted.isStopped { return }
      if ear.sink !== wanted.sink {
        ear.silence(report)
        ear = CableAnalyzer(wanted.sink)
      }
      if let sink = ear.sink { hear(sink, &ear, bytes) } else { wait(for: nil, -1) }
    }
  }

  /// Takes one thing from the cable, or waits until there is one or the card has room.
  private func hear(
    _ sink: CableSink, _ ear: inout CableAnalyzer, _ bytes: UnsafeMutableRawBufferPointer
  ) {
    let now = MonotonicClock.now
    let timeout = ear.readNext(from: sink.tap, into: bytes, at: now, report)
    if let timeout { wait(for: sink, timeout) }
  }

  private func wait(for sink: CableSink?, _ milliseconds: Int32) {
    var events = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sink?.audioEvent ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&events, nfds_t(events.count), milliseconds) > 0 else { return }
    if events[0].revents != 0 { wakeUp.clear() }
    if events[1].revents != 0 { sink?.clearAudioEvent() }
  }
}

/// What the listening thread knows of the cable that it hears.
struct CableAnalyzer {
  /// Sound that the simulated card holds, in nanoseconds.
  static let buffer: Int64 = 40_000_000
  private static let reportInterval: Int64 = 1_000_000_000

  let sink: CableSink?
  private(set) var isSilent = true
  /// Whether the source has ended and waits until its last frame was heard.
  private(set) var isEnding = false
  private var format: CableFormat?
  private var meter: CableLevelMeter?
  /// When everything that was taken will have been heard, in nanoseconds.
  private var playedAt: Int64 = 0
  private var reportedAt: Int64 = 0

  init(_ sink: CableSink? = nil) {
    self.sink = sink
    // A cable that was heard before announces its format only when that changes.
    if let format = sink?.tap.format { begin(format) }
  }

  /// Reads the next sound or event of the cable at the time `now`, in nanoseconds.
  ///
  /// A full card takes no sound, but a flush at once: the player waits for the confirmation.
  ///
  /// - Parameter bytes: Where the sound goes; at least one frame.
  /// - Returns: How many milliseconds to wait for the cable before the next call, −1 without a limit;
  ///   `nil` when there may be more.
  mutating func readNext(
    from tap: CableTap, into bytes: UnsafeMutableRawBufferPointer, at now: Int64,
    _ report: (CableLevelMeter.Levels?) -> Void
  ) -> Int32? {
    let isFull = ahead(now) > Self.buffer
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    switch tap.read(into: isFull ? nothing : bytes) {
    case .frames(let frames):
      // Sound after an end goes on without a gap.
      isEnding = false
      take(frames, UnsafeRawBufferPointer(bytes), now)
      tap.report(delay: unheardFrames(now))
      self.report(now, every: Self.reportInterval, to: report)
    case .format(let format): begin(format)
    case .flush:
      isEnding = false
      tap.confirmFlush(unheard: unheardFrames(now))
      drop(now)
    case .end: isEnding = true
    case .empty where isFull: return Int32((ahead(now) - Self.buffer) / 1_000_000 + 1)
    case .empty where isEnding:
      if ahead(now) > 0 { return Int32(ahead(now) / 1_000_000 + 1) }
      isEnding = false
      tap.confirmDrained()
    case .empty:
      silence(report, after: Self.reportInterval, now)
      return isSilent ? -1 : 500
    }
    return nil
  }

  private mutating func begin(_ format: CableFormat) {
    self.format = format
    meter = CableLevelMeter(format)
  }

  private mutating func take(_ frames: Int, _ bytes: UnsafeRawBufferPointer, _ now: Int64) {
    guard let format else { return }
    if isSilent, meter?.isEmpty == true { reportedAt = now }
    playedAt = max(playedAt, now) + format.nanoseconds(ofFrames: frames)
    meter?.take(UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.frameBytes)]))
  }

  /// How much sound is taken but not heard, in nanoseconds.
  func ahead(_ now: Int64) -> Int64 { max(0, playedAt - now) }

  private func unheardFrames(_ now: Int64) -> Int { format?.frames(inNanoseconds: ahead(now)) ?? 0 }

  private mutating func drop(_ now: Int64) { playedAt = now }

  private mutating func report(
    _ now: Int64, every interval: Int64, to report: (CableLevelMeter.Levels?) -> Void
  ) {
    // A level means something only after some periods of the lowest tone.
    guard now - reportedAt >= (isSilent ? interval / 5 : interval), let levels = meter?.levels()
    else { return }
    isSilent = false
    reportedAt = now
    report(levels)
  }

  mutating func silence(
    _ report: (CableLevelMeter.Levels?) -> Void, after interval: Int64 = 0, _ now: Int64 = .max
  ) {
    guard !isSilent, now - playedAt >= interval else { return }
    isSilent = true
    report(nil)
  }
}

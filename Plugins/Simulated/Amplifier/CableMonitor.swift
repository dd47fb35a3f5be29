import Glibc
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// A report of the levels of the selected cable of a simulated amplifier.
enum CableLevelReport: Sendable {
  /// The levels of the last second; `nil` when the sound has ended.
  case second(CableLevelMeter.Levels?)
  /// The levels of the last fifteenth of a second, while they are asked for.
  case levels(CableLevelMeter.Levels)
}

/// A thread that reads the selected cable of a simulated amplifier in real time, as a sound card would,
/// and measures the sound.
final class CableMonitor: Sendable {
  private struct Selection {
    var sink: CableSink?
    var isMetering = false
    var isStopped = false
  }

  private let selection = Mutex(Selection())
  private let wakeup: WakeupDescriptor
  private let report: @Sendable (CableLevelReport) -> Void

  /// Starts the thread.
  ///
  /// - Parameter report: Called on the thread.
  /// - Throws: `EMFILE` or `ENFILE` if there are too many open files.
  init(report: @escaping @Sendable (CableLevelReport) -> Void) throws(SystemError) {
    wakeup = try WakeupDescriptor()
    self.report = report
    SystemThread.start(name: "monitor") { self.run() }
  }

  deinit { wakeup.close() }

  /// Reads this cable from now on, or none.
  func select(_ sink: CableSink?) {
    let isNew = selection.withLock { selection in
      defer { selection.sink = sink }
      return selection.sink !== sink
    }
    if isNew { wakeup.signal() }
  }

  /// Begins or ends the reports of the levels fifteen times a second.
  func setMetering(_ isOn: Bool) { selection.withLock { $0.isMetering = isOn } }

  /// Ends the thread.
  func stop() {
    selection.withLock { $0 = Selection(isStopped: true) }
    wakeup.signal()
  }

  // MARK: The thread

  private func run() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { bytes.deallocate() }
    var analyzer = CableAnalyzer()
    while true {
      let selection = selection.withLock { $0 }
      if selection.isStopped { return }
      if analyzer.sink !== selection.sink {
        analyzer.reportSilence(report)
        analyzer = CableAnalyzer(selection.sink)
      }
      guard let sink = analyzer.sink else {
        wait(for: nil, -1)
        continue
      }
      let now = MonotonicClock.now
      analyzer.setMetering(selection.isMetering)
      let timeout = analyzer.readNext(from: sink.tap, into: bytes, at: now, report)
      if let timeout { wait(for: sink, timeout) }
    }
  }

  private func wait(for sink: CableSink?, _ milliseconds: Int32) {
    var events = [
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sink?.audioEvent ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&events, nfds_t(events.count), milliseconds) > 0 else { return }
    if events[0].revents != 0 { wakeup.clear() }
    if events[1].revents != 0 { sink?.clearAudioEvent() }
  }
}

/// The monitor's state of one cable: the sound that its simulated card holds, and the levels.
struct CableAnalyzer {
  /// The sound that the simulated card holds at most, in nanoseconds.
  static let buffer: Int64 = 40_000_000
  private static let reportInterval: Int64 = 1_000_000_000
  /// The least time between two reports while levels are asked for, in nanoseconds.
  private static let meterInterval: Int64 = 66_666_667

  let sink: CableSink?
  private(set) var isSilent = true
  /// Whether the source has ended, and its last frame is still to be heard.
  private(set) var isEnding = false
  private var format: CableFormat?
  private var meter: CableLevelMeter?
  /// The meter of the reports fifteen times a second; `nil` while they are not asked for.
  private var fastMeter: CableLevelMeter?
  private var isMetering = false
  /// The time at which all sound read so far will have been heard, in nanoseconds.
  private var playedAt: Int64 = 0
  private var reportedAt: Int64 = 0
  private var meteredAt: Int64 = 0

  init(_ sink: CableSink? = nil) {
    self.sink = sink
    // A cable that was read before announces its format only when that changes.
    if let format = sink?.tap.format { begin(format) }
  }

  /// Begins or ends the reports fifteen times a second.
  mutating func setMetering(_ isOn: Bool) {
    guard isOn != isMetering else { return }
    isMetering = isOn
    fastMeter = isOn ? format.map { CableLevelMeter($0) } : nil
  }

  /// Reads the next sound or event of the cable at the time `now`, in nanoseconds.
  ///
  /// A full card reads no sound, but a flush at once: the player waits for the confirmation.
  ///
  /// - Parameter bytes: Where the sound goes; at least one frame.
  /// - Returns: How many milliseconds to wait for the cable before the next call, −1 without a limit;
  ///   `nil` when there may be more.
  mutating func readNext(
    from tap: CableTap, into bytes: UnsafeMutableRawBufferPointer, at now: Int64,
    _ report: (CableLevelReport) -> Void
  ) -> Int32? {
    let isFull = unheardNanoseconds(at: now) > Self.buffer
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    switch tap.read(into: isFull ? nothing : part(of: bytes)) {
    case .frames(let frames):
      // Sound after an end goes on without a gap.
      isEnding = false
      add(frames, UnsafeRawBufferPointer(bytes), now)
      tap.report(delay: unheardFrames(at: now))
      self.report(now, every: Self.reportInterval, to: report)
      reportLevels(now, to: report)
    case .format(let format): begin(format)
    case .flush:
      isEnding = false
      tap.confirmFlush(unheard: unheardFrames(at: now))
      playedAt = now
    case .end: isEnding = true
    case .empty where isFull:
      return Int32((unheardNanoseconds(at: now) - Self.buffer) / 1_000_000 + 1)
    case .empty where isEnding:
      if unheardNanoseconds(at: now) > 0 {
        return Int32(unheardNanoseconds(at: now) / 1_000_000 + 1)
      }
      isEnding = false
      tap.confirmDrained()
    case .empty:
      reportSilence(report, after: Self.reportInterval, now)
      return isSilent ? -1 : 500
    }
    return nil
  }

  private mutating func begin(_ format: CableFormat) {
    self.format = format
    meter = CableLevelMeter(format)
    if isMetering { fastMeter = CableLevelMeter(format) }
  }

  /// The part of a buffer that is read at a time: while levels are asked for, no more than a third of the
  /// time between two reports.
  private func part(
    of bytes: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    guard isMetering, let format else { return bytes }
    let count = max(1, format.frames(inNanoseconds: Self.meterInterval / 3)) * format.frameBytes
    return UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count))
  }

  private mutating func add(_ frames: Int, _ bytes: UnsafeRawBufferPointer, _ now: Int64) {
    guard let format else { return }
    if isSilent, meter?.isEmpty == true { reportedAt = now }
    playedAt = max(playedAt, now) + format.nanoseconds(ofFrames: frames)
    let sound = UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.frameBytes)])
    meter?.add(sound)
    fastMeter?.add(sound)
  }

  /// Returns the sound that is read and not heard yet, in nanoseconds.
  func unheardNanoseconds(at now: Int64) -> Int64 { max(0, playedAt - now) }

  private func unheardFrames(at now: Int64) -> Int {
    format?.frames(inNanoseconds: unheardNanoseconds(at: now)) ?? 0
  }

  private mutating func report(
    _ now: Int64, every interval: Int64, to report: (CableLevelReport) -> Void
  ) {
    // The first report comes early, after a fifth of the interval: that still has several periods
    // of the lowest tone.
    guard now - reportedAt >= (isSilent ? interval / 5 : interval), let levels = meter?.levels()
    else { return }
    isSilent = false
    reportedAt = now
    report(.second(levels))
  }

  private mutating func reportLevels(_ now: Int64, to report: (CableLevelReport) -> Void) {
    guard now - meteredAt >= Self.meterInterval, let levels = fastMeter?.levels() else { return }
    meteredAt = now
    report(.levels(levels))
  }

  /// Reports `nil` once the sound has been over for `interval` nanoseconds.
  mutating func reportSilence(
    _ report: (CableLevelReport) -> Void, after interval: Int64 = 0, _ now: Int64 = .max
  ) {
    guard !isSilent, now - playedAt >= interval else { return }
    isSilent = true
    report(.second(nil))
  }
}

import Devices
import JSON
import Platform
import PluginKit

/// The playback state of a player, and the reports of it to the controller.
struct PlayerReports: Sendable {
  /// The time between two reports of the position while nothing else is reported.
  private static let interval = Duration.seconds(5)

  let context: DeviceContext
  let clock: any TheaterClock
  private(set) var record = PlayerRecord()
  /// The reported state of the tray: `open`, `moving` or `closed`.
  private(set) var tray = "closed"
  /// The time of the last report of the playback.
  private var last = Duration.zero

  init(_ context: DeviceContext, clock: any TheaterClock) {
    self.context = context
    self.clock = clock
  }

  var status: Playback.Status { record.status }
  /// Whether a medium plays or is paused.
  var isActive: Bool { status == .playing || status == .paused }
  /// The present position in seconds.
  var position: Double { record.position(at: clock.now()) }
  /// Whether the position must be reported, because the last report is 5 s old.
  var isDue: Bool { status == .playing && clock.now() - last >= Self.interval }
  /// The id of the last item that was opened; nil before the first one.
  var item: String? { record.item }
  var facts: MediaFacts {
    get { record.facts }
    set { record.facts = newValue }
  }

  /// Sets the status `opening` for an item, at a position in seconds, without a report.
  mutating func setOpening(_ item: String, at seconds: Double) {
    if record.item != item { record.facts = MediaFacts() }
    record.item = item
    record.setStatus(.opening, at: seconds, now: clock.now())
  }

  /// Sets the status and the position in seconds, without a report.
  mutating func setStatus(_ status: Playback.Status, at seconds: Double) {
    record.setStatus(status, at: seconds, now: clock.now())
  }

  /// Sets the status and the position in seconds, and reports them.
  mutating func report(_ status: Playback.Status, at seconds: Double, reason: String? = nil) {
    record.setStatus(status, at: seconds, now: clock.now(), reason: reason)
    report()
  }

  /// Sets the position in seconds that mpv has reported.
  mutating func setPosition(_ seconds: Double) { record.setPosition(seconds, now: clock.now()) }

  /// Resets the position to the last one that mpv has reported, because mpv has hung since then.
  mutating func resetToReportedPosition() { record.resetToReportedPosition(now: clock.now()) }

  /// Sets whether mpv waits for data, and reports a change. Does nothing unless a medium plays.
  mutating func setStalled(_ isStalled: Bool) {
    guard record.status == .playing, record.isStalled != isStalled else { return }
    setPosition(position)
    record.isStalled = isStalled
    report()
  }

  /// Reports the playback.
  mutating func report() {
    last = clock.now()
    context.report(record.playback(at: last))
  }

  /// Reports all attributes of a medium that begins to play.
  func reportFacts() { context.report(attributes: facts.attributes(at: position)) }

  /// Reports the attributes that change while a medium plays.
  func reportProgress() {
    guard isActive else { return }
    context.report(attributes: facts.progress(at: position))
  }

  /// Reports the end of a song that another song follows. The status is `playing`, with rate 0 at
  /// the end.
  func reportLastFrame(of item: String, at end: Double) {
    context.report(
      Playback(.playing, item: item, position: end, duration: facts.duration, rate: 0))
  }

  /// Reports the state of the tray, `open`, `moving` or `closed`, if it has changed.
  mutating func setTray(_ state: String) {
    guard tray != state else { return }
    tray = state
    context.report([.tray: .string(state)])
  }
}

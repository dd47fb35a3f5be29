import Devices
import JSON
import Platform
import PluginKit

/// The playback of a player, and its reports to the controller.
struct PlayerReports: Sendable {
  /// Time between two reports of the position while nothing else happens.
  private static let interval = Duration.seconds(5)

  let context: DeviceContext
  let clock: any TheaterClock
  private(set) var record = PlayerRecord()
  private(set) var tray = "closed"
  private var last = Duration.zero

  init(_ context: DeviceContext, clock: any TheaterClock) {
    self.context = context
    self.clock = clock
  }

  var status: Playback.Status { record.status }
  /// Whether a medium plays or is paused.
  var isActive: Bool { status == .playing || status == .paused }
  /// The position in seconds, at this time.
  var position: Double { record.position(at: clock.now()) }
  /// Whether the position is to be reported, because the last report is some seconds old.
  var isDue: Bool { status == .playing && clock.now() - last >= Self.interval }
  /// The name of the last medium that was opened; nil before the first.
  var item: String? { record.item }
  var facts: MediaFacts {
    get { record.facts }
    set { record.facts = newValue }
  }

  /// Another medium, or the same one again, is being opened.
  mutating func open(_ item: String, at seconds: Double) {
    if record.item != item { record.facts = MediaFacts() }
    record.item = item
    record.become(.opening, at: seconds, now: clock.now())
  }

  /// Changes the state, at a position in seconds, without a report.
  mutating func become(_ status: Playback.Status, at seconds: Double) {
    record.become(status, at: seconds, now: clock.now())
  }

  /// Changes the state, at a position in seconds, and reports it.
  mutating func report(_ status: Playback.Status, at seconds: Double, reason: String? = nil) {
    record.become(status, at: seconds, now: clock.now(), reason: reason)
    report()
  }

  /// Takes over a position in seconds that mpv has told.
  mutating func align(to seconds: Double) { record.align(to: seconds, now: clock.now()) }

  /// Stands still at the last position that mpv has told: it hangs since then.
  mutating func stand() { record.stand(now: clock.now()) }

  /// mpv waits for data, or plays on.
  mutating func stall(_ isStalled: Bool) {
    guard record.status == .playing, record.isStalled != isStalled else { return }
    align(to: position)
    record.isStalled = isStalled
    report()
  }

  /// Reports the playback.
  mutating func report() {
    last = clock.now()
    context.report(record.playback(at: last))
  }

  /// Reports everything that is known of a medium which begins to play.
  func reportFacts() { context.report(attributes: facts.attributes(at: position)) }

  /// Reports the attributes that change while it plays.
  func reportProgress() {
    guard isActive else { return }
    context.report(attributes: facts.progress(at: position))
  }

  /// Reports the end of a song that another one follows: its position stands still, and it counts as playing.
  func reportLastFrame(of item: String, at end: Double) {
    context.report(
      Playback(.playing, item: item, position: end, duration: facts.duration, rate: 0))
  }

  /// Reports a tray that opens, moves or closes.
  mutating func setTray(_ state: String) {
    guard tray != state else { return }
    tray = state
    context.report([.tray: .string(state)])
  }
}

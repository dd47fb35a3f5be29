import Glibc
import Platform
import Synchronization

/// The settings of the audio thread, fixed at its start.
struct AudioSetting {
  /// The PCM's name, for as long as the thread lives.
  var device: UnsafePointer<CChar>
  /// The length of the device's buffer, ms.
  var bufferMilliseconds: Int
  /// Whether to go on silently if there is no PCM at "on".
  var silentWhenMissing: Bool
  /// Whether the device is asked to give back frames that it has not played yet.
  var rewind: RewindPolicy
}

/// The audio thread, from its start to its end: carries out requests, plays, and publishes its status.
///
/// It sleeps in `poll` until it is woken or the device has room. Its steady path allocates nothing,
/// takes no lock and counts no references; opening, reopening and changing formats do allocate, and
/// happen only where sound is interrupted anyway.
struct AudioLoop<Destination: FrameOutput>: ~Copyable {
  /// The longest time for which the sound fades before the device is closed, ns.
  private static var closingTime: Int64 { 1_000_000_000 }
  /// The time for which a device in use is tried before a request is answered, ns.
  private static var reacquiringTime: Int64 { 500_000_000 }
  /// The most rounds in a row without a wait.
  private static var mostBusyRounds: Int { 8 }

  private(set) var player: SourcePlayer<Destination>
  private let shared: UnsafeMutablePointer<EngineShared>
  private var wait: PollSet
  private var publisher: StatusPublisher
  private var isPowered = false
  /// The time at which the device is closed at the latest, ns; 0 while that is not wanted.
  private var closingUntil: Int64 = 0
  private var busyRounds = 0

  init(shared: UnsafeMutablePointer<EngineShared>, setting: AudioSetting) {
    self.shared = shared
    player = SourcePlayer(shared: shared, setting: setting)
    publisher = StatusPublisher(shared)
    wait = PollSet(wakeup: shared.pointee.audioWakeup)
  }

  deinit { wait.release() }

  /// Runs until `stopping` is set.
  mutating func run() {
    while !shared.pointee.stopping.load(ordering: .acquiring) {
      let timeout = runOnce()
      sleep(timeout)
    }
    closeDown()
  }

  /// Carries out requests and does all that can be done now; returns how many milliseconds to wait (−1:
  /// until the thread is woken, or until the device has room where the player awaits that).
  mutating func runOnce() -> Int {
    applyControls()
    player.beginRound()
    let timeout = limitBusyRounds(isPowered ? player.play() : -1)
    publish()
    shared.pointee.rounds.add(1, ordering: .sequentiallyConsistent)
    return timeout
  }

  private mutating func sleep(_ milliseconds: Int) {
    if player.resetHasWritten() { wait.resetIdleWakes() }
    wait.sleep(
      milliseconds, source: player.source?.pointee.event,
      pcm: player.device.awaitsWritableFrames ? player.device.output.pcm : nil)
  }

  /// Returns the wait after a round, in ms. After many rounds without a wait it is 5 ms: a device that fails at once
  /// must not let this thread, which may have real-time priority, take a whole core. While a lost device is to be
  /// reacquired, the wait ends at the next attempt.
  private mutating func limitBusyRounds(_ timeout: Int) -> Int {
    busyRounds = timeout == 0 ? busyRounds + 1 : 0
    let timeout = busyRounds > Self.mostBusyRounds ? 5 : timeout
    let recovery = player.device.recovery
    guard isPowered, recovery.isLost, recovery.isReacquiring else { return timeout }
    let left = recovery.millisecondsToRetry(at: player.device.output.now)
    return timeout < 0 ? left : min(timeout, left)
  }

  // MARK: Requests

  /// Applies the requested power, gain, sound mode and input.
  private mutating func applyControls() {
    let asked = shared.pointee.powerAsked.load(ordering: .acquiring)
    if asked != shared.pointee.powerDone.load(ordering: .relaxed),
      carryOut(PowerRequest(word: asked))
    {
      publish()
      shared.pointee.powerDone.store(asked, ordering: .releasing)
      shared.pointee.controlWakeup.signal()
    }
    player.setControls(
      gain: Float(bitPattern: shared.pointee.gain.load(ordering: .relaxed)),
      metering: shared.pointee.metering.load(ordering: .relaxed),
      surround: shared.pointee.surround.load(ordering: .relaxed))
    guard isPowered, closingUntil == 0 else { return }
    let selected = shared.pointee.selected.load(ordering: .relaxed)
    // Also at once if the cable was replaced: the slot of the old one is freed two rounds later.
    if selected != player.sourceIndex || shared.pointee.input(selected) != player.source {
      player.select(selected)
    }
  }

  /// Carries out a power request; returns `false` while it takes longer.
  private mutating func carryOut(_ request: PowerRequest) -> Bool {
    switch request {
    case .off:
      guard fadeToSilence() else { return false }
      powerOff()
    case .on:
      closingUntil = 0
      if !isPowered { isPowered = player.powerOn() }
    case .reacquire:
      closingUntil = 0
      if !isPowered { reacquireDevice() }
    }
    return true
  }

  /// Fades the sound out; returns `true` when it is over, or took too long.
  private mutating func fadeToSilence() -> Bool {
    if closingUntil == 0 {
      closingUntil = player.device.output.now + Self.closingTime
      player.deselectSource()
    }
    let recovery = player.device.recovery
    return !player.device.isRunning || recovery.isLost || recovery.suspendedSince > 0
      || player.device.output.now >= closingUntil
  }

  /// Turns the output on. If another program uses the PCM, retries for half a second, which blocks this thread; later
  /// rounds retry further.
  private mutating func reacquireDevice() {
    let end = player.device.output.now + Self.reacquiringTime
    while true {
      isPowered = player.powerOn()
      guard player.device.recovery.failure.code == EBUSY, player.device.output.now < end,
        !shared.pointee.stopping.load(ordering: .acquiring)
      else { break }
      // There is no sound to interrupt while this thread pauses.
      isPowered = false
      player.forgetFailure()
      _ = poll(nil, 0, 20)
    }
    guard player.device.recovery.failure.code != 0 else { return }
    player.reacquire(isOn: isPowered)
    isPowered = true
  }

  private mutating func powerOff() {
    player.powerOff()
    isPowered = false
    closingUntil = 0
  }

  private mutating func closeDown() {
    while isPowered, !fadeToSilence() {
      player.beginRound()
      wait.sleep(min(max(player.play(), 1), 20), source: nil, pcm: nil)
    }
    powerOff()
    publish()
  }

  // MARK: Status

  /// Publishes a changed status and new levels, and wakes the controlling side for them.
  private mutating func publish() {
    let settings = player.device.output.settings
    let isNew = publisher.publish(report(settings), settings: settings)
    if publishLevels() || isNew { shared.pointee.controlWakeup.signal() }
  }

  private func report(_ settings: DeviceSettings) -> OutputReport {
    let failure = player.device.recovery.failure
    let state: OutputState =
      if isPowered {
        player.device.recovery.isLost ? .silent : .open
      } else {
        failure.code == 0 ? .closed : .refused
      }
    return OutputReport(
      state: state, failure: failure, settings: isPowered ? settings : nil,
      sounding: player.device.isRunning && player.device.silenceWritten == 0,
      clockPaced: isPowered && player.device.output.pace == .clock,
      underruns: shared.pointee.underruns.load(ordering: .relaxed))
  }

  /// Publishes the levels, at most fifteen times a second; returns whether it did.
  private mutating func publishLevels() -> Bool {
    guard player.device.hasLevels else { return false }
    let now = player.device.output.now
    guard publisher.areLevelsDue(at: now) else { return false }
    let (peak, rms) = player.readLevels()
    publisher.publishLevels(peak: peak, rms: rms, at: now)
    return true
  }
}

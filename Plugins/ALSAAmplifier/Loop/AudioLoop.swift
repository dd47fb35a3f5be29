import CALSA
import Platform
import Synchronization

/// What the audio thread does, from its start to its end.
///
/// It sleeps in `poll` until its bell rings or the device wants more. Its steady path allocates
/// nothing, takes no lock and counts no references; opening, reopening and changing formats do
/// allocate, and happen only where sound is interrupted anyway.
struct AudioLoop<Destination: FrameOutput>: ~Copyable {
  /// What the thread is given at its start; fixed.
  struct Setting {
    /// The PCM's name, for as long as the thread lives.
    var device: UnsafePointer<CChar>
    /// The device buffer to ask for.
    var bufferMilliseconds: Int
    /// Whether to go on without a PCM when there is none at "on".
    var silentWhenMissing: Bool
    /// Whether the PCM is asked to give back what it has not played yet.
    var takeBack: TakeBack
  }

  let shared: UnsafeMutablePointer<EngineShared>
  let setting: Setting
  var output: Destination
  var renderer = Renderer()
  var wait: PollSet

  // The source.
  var source: UnsafeMutablePointer<InputSlot>?
  var sourceIndex = -1
  var map = SpeakerLayout.stereo
  var surround = false
  var powered = false

  // The state of play; see `AudioLoop+Play`.
  /// Whether the device has frames that it plays, or is to play when there are enough.
  var isRunning = false
  /// Whether the sound ends with what is rendered: it is over, or broke off in a fade.
  var isEnding = false
  /// Whether the device stops when that was heard, because what it held was taken back.
  var mustStop = false
  var awaitsRoom = false
  /// Frames of silence behind the sound.
  var silenceWritten = 0
  /// Since when frames gather until sound may begin; 0 while none do.
  var gatheringSince: Int64 = 0
  var endOwed = false
  var planStale = true
  var request: DeviceRequest?
  /// Whether the next frames come after silence, or after other sound.
  var fadeInNext = true
  /// Whether the present source has given any frames since it was selected.
  var isOwnSound = false
  /// Whether the plan changes in the midst of the sound.
  var breaksOff = false
  /// Until when the sound may take to end before the device is closed; 0 while that is not wanted.
  var closingUntil: Int64 = 0

  // The state of trouble; see `AudioLoop+Trouble`.
  var failure = ALSAFailure(step: .none, code: 0)
  var lost = false
  /// Whether the device is looked for also while nothing plays.
  var isTakingBack = false
  var retryAt: Int64 = 0
  var retryDelay: Int64 = 0
  var suspendedSince: Int64 = 0
  var failuresInRow = 0
  var restless = 0

  // What was told last; see `AudioLoop+Report`.
  var told = Report()
  var levelsTold: Int64 = 0

  init(shared: UnsafeMutablePointer<EngineShared>, setting: Setting) {
    self.shared = shared
    self.setting = setting
    output = Destination()
    wait = PollSet(bell: shared.pointee.audioBell)
  }

  deinit { wait.release() }

  /// Runs until `stopping` is set.
  mutating func run() {
    while !shared.pointee.stopping.load(ordering: .acquiring) {
      let timeout = goRound()
      wait.sleep(timeout, source: source?.pointee.event, pcm: awaitsRoom ? output.pcm : nil)
    }
    closeDown()
  }

  /// Brings into force what was asked and does all that can be done now; answers how many
  /// milliseconds to wait (−1: for a bell or the device), which is also told by `awaitsRoom`.
  mutating func goRound() -> Int {
    takeControl()
    awaitsRoom = false
    let timeout = calm(powered ? play() : -1)
    publish()
    shared.pointee.rounds.add(1, ordering: .sequentiallyConsistent)
    return timeout
  }

  /// A device that fails again and again at once must not let this thread, which may have real-time
  /// priority, take the whole machine: after a few rounds without a rest there is one.
  private mutating func calm(_ timeout: Int) -> Int {
    restless = timeout == 0 ? restless + 1 : 0
    let timeout = restless > 8 ? 5 : timeout
    guard powered, lost, isTakingBack else { return timeout }
    let left = Int(max(retryAt - output.now, 0) / 1_000_000) + 1
    return timeout < 0 ? left : min(timeout, left)
  }

  /// Brings what was asked for into force.
  private mutating func takeControl() {
    let asked = shared.pointee.powerAsked.load(ordering: .acquiring)
    if asked != shared.pointee.powerDone.load(ordering: .relaxed),
      carryOut(PowerRequest(word: asked))
    {
      publish()
      shared.pointee.powerDone.store(asked, ordering: .releasing)
      shared.pointee.controlBell.signal()
    }
    let gain = Float(bitPattern: shared.pointee.gain.load(ordering: .relaxed))
    if gain != renderer.volume.target {
      // 20 ms: too slow to click, too fast to notice.
      renderer.volume.move(to: gain, over: isRunning ? output.settings.rate / 50 : 0)
    }
    renderer.metering = shared.pointee.metering.load(ordering: .relaxed)
    let wanted = shared.pointee.surround.load(ordering: .relaxed)
    if wanted != surround {
      surround = wanted
      planStale = true
      breaksOff = true
    }
    guard powered, closingUntil == 0 else { return }
    // At once also where a cable was replaced: the old one's slot is freed two rounds later.
    if selected != sourceIndex || shared.pointee.input(selected) != source { changeSource() }
  }

  /// Does what is asked of the output; `false` while it still has to be waited for.
  private mutating func carryOut(_ request: PowerRequest) -> Bool {
    guard request == .off else {
      closingUntil = 0
      if !powered { if request == .on { powerOn() } else { takeBack() } }
      return true
    }
    guard hasFallenSilent() else { return false }
    powerOff()
    return true
  }

  /// Lets the sound fade; `true` when it is over, or took too long.
  private mutating func hasFallenSilent() -> Bool {
    if closingUntil == 0 {
      closingUntil = output.now + 1_000_000_000
      _ = fadeOut(takingBack: true)
      source = nil
      sourceIndex = -1
      shared.pointee.listening.store(-1, ordering: .releasing)
      shared.pointee.controlBell.signal()
    }
    return !isRunning || lost || suspendedSince > 0 || output.now >= closingUntil
  }

  /// Whether nothing keeps this thread waiting, so that it can sleep longer.
  var isPunctual: Bool { shared.pointee.realtime.load(ordering: .relaxed) }

  var selected: Int { shared.pointee.selected.load(ordering: .relaxed) }

  private mutating func powerOn() {
    let format = StreamFormat(sample: .s16, rate: 48000, channels: 2)
    let first = DeviceRequest(
      playing: format, surround: false, bufferMilliseconds: setting.bufferMilliseconds,
      isPunctual: isPunctual, takeBack: setting.takeBack)
    do throws(ALSAFailure) {
      try openDevice(first)
      powered = true
      failure = ALSAFailure(step: .none, code: 0)
    } catch {
      failure = error
      guard setting.silentWhenMissing else { return }
      powered = true
      lose(error)
    }
  }

  /// Turns on; a PCM that another still has is tried again for half a second here, and from then on
  /// beside everything else.
  private mutating func takeBack() {
    let end = output.now + 500_000_000
    while true {
      powerOn()
      guard failure.code == EBUSY, output.now < end,
        !shared.pointee.stopping.load(ordering: .acquiring)
      else { break }
      // Whoever pauses here is not heard anyway.
      powered = false
      lost = false
      failure = ALSAFailure(step: .none, code: 0)
      _ = poll(nil, 0, 20)
    }
    guard failure.code != 0 else { return }
    isTakingBack = true
    guard !powered else { return }
    powered = true
    lose(failure)
  }

  private mutating func powerOff() {
    source = nil
    sourceIndex = -1
    shared.pointee.listening.store(-1, ordering: .releasing)
    renderer.adopt(nil)
    output.close()
    request = nil
    powered = false
    lost = false
    isRunning = false
    isEnding = false
    mustStop = false
    closingUntil = 0
    silenceWritten = 0
    suspendedSince = 0
    endOwed = false
    planStale = true
    failure = ALSAFailure(step: .none, code: 0)
    isTakingBack = false
  }

  private mutating func closeDown() {
    while powered, !hasFallenSilent() {
      awaitsRoom = false
      wait.sleep(min(max(play(), 1), 20), source: nil, pcm: nil)
    }
    powerOff()
    publish()
  }
}

import CALSA
import Platform
import PluginKit
import Synchronization

/// The audio thread and its control. Calls return at once and may come from any thread;
/// ``power(_:)`` and ``reacquire()`` wait for their results.
final class SoundEngine: Sendable {
  /// The capacity of a cable's ring, ns. A larger ring wakes threads less often; a flush empties it
  /// at once. It holds more than the device takes at once, so that some sound is always left to
  /// fade out.
  static let ring: Int64 = 400_000_000
  /// Bytes of stack for a thread that calls ALSA, whose plugins need a large stack.
  static let threadStack = 2 << 20

  /// The settings of an engine.
  struct Options: Sendable {
    /// The PCM.
    var device = SoundDeviceName.standard
    /// The length of the device's buffer, ms.
    var bufferMilliseconds = 200
    /// Whether "on" succeeds with silent output, instead of being refused, if there is no PCM.
    var silentWhenMissing = false
    /// Whether the device is asked to give back frames that it has not played yet.
    var rewind = RewindPolicy.auto
  }

  private struct Control {
    var asked = 0
    var waiting: [(request: Int, resume: CheckedContinuation<EngineStatus, Never>)] = []
    var threads: [SystemThread] = []
    var isStopped = false
  }

  private let shared: SoundInputs.SharedState
  private let inputs: SoundInputs
  private let control = Mutex(Control())
  private let onChange: @Sendable (EngineStatus) -> Void

  /// Starts the engine, off; `nil` if the system has no threads or descriptors left.
  ///
  /// - Parameter onChange: Called on a thread of its own when the status or the levels may have
  ///   changed.
  init?(_ options: Options, onChange: @escaping @Sendable (EngineStatus) -> Void) {
    guard let audioWakeup = try? WakeupDescriptor(),
      let controlWakeup = try? WakeupDescriptor()
    else { return nil }
    let pointer = UnsafeMutablePointer<EngineShared>.allocate(capacity: 1)
    pointer.initialize(to: EngineShared(audioWakeup: audioWakeup, controlWakeup: controlWakeup))
    shared = SoundInputs.SharedState(pointer: pointer)
    inputs = SoundInputs(shared)
    self.onChange = onChange
    guard startThreads(options) else { return nil }
  }

  deinit {
    shared.pointer.deinitialize(count: 1)
    shared.pointer.deallocate()
  }

  private func startThreads(_ options: Options) -> Bool {
    let audio = try? SystemThread(name: "audio", priority: .realtime, stack: Self.threadStack) {
      [shared] in
      shared.pointer.pointee.realtime.store(SystemThread.isRealtime, ordering: .relaxed)
      options.device.text.withCString { name in
        let setting = AudioSetting(
          device: name, bufferMilliseconds: options.bufferMilliseconds,
          silentWhenMissing: options.silentWhenMissing, rewind: options.rewind)
        var loop = AudioLoop<Output>(shared: shared.pointer, setting: setting)
        loop.run()
      }
    }
    // The watcher keeps the engine alive until `stop`.
    let watcher = try? SystemThread(name: "watch") { self.watch() }
    control.withLock { $0.threads = [audio, watcher].compactMap(\.self) }
    if audio == nil || watcher == nil { stop() }
    return audio != nil && watcher != nil
  }

  /// Ends both threads and closes the device. Must not be called from `onChange`.
  func stop() {
    let threads = control.withLock { state in
      defer { state.threads = [] }
      state.isStopped = true
      return state.threads
    }
    shared.pointer.pointee.stopping.store(true, ordering: .releasing)
    shared.pointer.pointee.audioWakeup.signal()
    shared.pointer.pointee.controlWakeup.signal()
    for thread in threads { thread.join() }
    inputs.close()
    resumeWaiting(upTo: .max)
  }

  /// Connects a cable to an input (0–15), instead of the earlier one.
  func setInput(_ index: Int, to sink: CableSink) {
    inputs.set(index, to: sink)
    wake()
  }

  /// The number of rounds of the audio thread since its start.
  var rounds: Int { shared.pointer.pointee.rounds.load(ordering: .relaxed) }

  private func wake() { shared.pointer.pointee.audioWakeup.signal() }

  /// Turns the output on or off. Returns the status when that has happened or was refused.
  func setPower(_ on: Bool) async -> EngineStatus { await ask(on ? .on : .off) }

  /// Turns the output on while another program may still have the PCM: the engine tries until it
  /// has it. Returns the status when the PCM is open or cannot be opened for another reason, at the
  /// latest after half a second.
  func reacquire() async -> EngineStatus { await ask(.reacquire) }

  private func ask(_ power: PowerRequest) async -> EngineStatus {
    await withCheckedContinuation { continuation in
      let request: Int? = control.withLock { state in
        guard !state.isStopped else { return nil }
        state.asked += 1
        let request = power.word(number: state.asked)
        state.waiting.append((request, continuation))
        shared.pointer.pointee.powerAsked.store(request, ordering: .releasing)
        return request
      }
      guard request != nil else { return continuation.resume(returning: status) }
      wake()
    }
  }

  /// Selects an input (0–15), or none (`nil`).
  func select(_ input: Int?) {
    shared.pointer.pointee.selected.store(input ?? -1, ordering: .relaxed)
    wake()
  }

  /// Plays all channels (`true`) or the front pair.
  func setSurround(_ on: Bool) {
    shared.pointer.pointee.surround.store(on, ordering: .relaxed)
    wake()
  }

  /// Sets the gain, 0…1.
  func setGain(_ gain: Float) {
    shared.pointer.pointee.gain.store(gain.bitPattern, ordering: .relaxed)
    wake()
  }

  /// Starts or ends the measuring of levels.
  func setMetering(_ on: Bool) {
    shared.pointer.pointee.metering.store(on, ordering: .relaxed)
    wake()
  }

  /// The present status.
  var status: EngineStatus {
    let now = shared.pointer
    let state = OutputState(rawValue: now.pointee.outputState.load(ordering: .acquiring)) ?? .closed
    var status = EngineStatus(state: state)
    let code = now.pointee.failureCode.load(ordering: .relaxed)
    if code != 0 {
      let step = ALSAFailure.Step(rawValue: now.pointee.failureStep.load(ordering: .relaxed))
      status.failure = ALSAFailure(step: step ?? .none, code: code)
    }
    if state == .open || state == .silent {
      let sample = SampleFormat(rawValue: now.pointee.deviceSample.load(ordering: .relaxed))
      let buffer = now.pointee.deviceBuffer.load(ordering: .relaxed)
      status.settings = DeviceSettings(
        sample: sample ?? .s16, rate: now.pointee.deviceRate.load(ordering: .relaxed),
        channels: now.pointee.deviceChannels.load(ordering: .relaxed), bufferFrames: buffer,
        periodFrames: buffer / 4)
    }
    status.isSounding = now.pointee.sounding.load(ordering: .relaxed)
    status.isClockPaced = now.pointee.clockPaced.load(ordering: .relaxed)
    status.isRealtime = now.pointee.realtime.load(ordering: .relaxed)
    status.underruns = now.pointee.underruns.load(ordering: .relaxed)
    status.starvations = now.pointee.starvations.load(ordering: .relaxed)
    status.reopenings = now.pointee.reopenings.load(ordering: .relaxed)
    return status
  }

  /// Returns the newest levels of `channels` channels (0–8); zero unless levels are measured.
  func levels(channels: Int) -> Levels {
    let words = shared.pointer.pointee.levels
    let count = min(max(channels, 0), LevelMeasurement.channelLimit)
    let reading = shared.pointer.pointee.levelReadings.load(ordering: .acquiring)
    return Levels(
      peak: (0..<count).map { Float(bitPattern: words[$0].load(ordering: .relaxed)) },
      rms: (0..<count).map { Float(bitPattern: words[8 + $0].load(ordering: .relaxed)) },
      reading: reading)
  }

  /// The body of the second thread: passes the audio thread's changes on to `onChange` and to
  /// waiting requests.
  private func watch() {
    let wakeup = shared.pointer.pointee.controlWakeup
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    while !shared.pointer.pointee.stopping.load(ordering: .acquiring) {
      _ = poll(&entry, 1, -1)
      wakeup.clear()
      inputs.update()
      onChange(status)
      resumeWaiting(upTo: shared.pointer.pointee.powerDone.load(ordering: .acquiring))
    }
  }

  private func resumeWaiting(upTo done: Int) {
    let ready = control.withLock { state in
      let ready = state.waiting.filter { $0.request <= done }
      state.waiting.removeAll { $0.request <= done }
      return ready
    }
    guard !ready.isEmpty else { return }
    let now = status
    for one in ready { one.resume.resume(returning: now) }
  }
}

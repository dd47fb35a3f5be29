import Devices
import Glibc
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The amplifier that the controller sees: settings for the sound engine and, if there is one, for a
/// hardware mixer.
final class SoundAmplifier: AmplifierDevice {
  typealias Command = AmplifierCommand

  private struct State {
    var model: AmplifierModel
    var engine: SoundEngine?
    var mixer: HardwareMixer?
    /// The setting last sent to the mixer, which is left alone as long as it is wanted.
    var mixed: HardwareMixer.Reading?
    var sinks: [String: (path: String, sink: CableSink)] = [:]
    var programCables: [ProgramCable] = []
    /// The inputs whose players open the PCM themselves.
    var lent: Set<String> = []
    /// Whether the controller has asked for the levels.
    var isMetering = false
    /// Whether the engine was told to have the PCM.
    var hasPCM = false

    /// Whether the selected input's player has the PCM.
    var isLending: Bool { model.power == .on && model.input.map(lent.contains) ?? false }

    /// The setting of the mixer that the model asks for.
    var wantedMix: HardwareMixer.Reading {
      HardwareMixer.Reading(volume: model.volume, isMuted: model.isMuted)
    }

    /// The gain that the engine computes.
    var gain: Float {
      model.gain(hardware: (hasSwitch: mixer?.hasSwitch ?? false, isPresent: mixer != nil))
    }

    /// Applies all settings to the engine and the mixer.
    mutating func apply() {
      guard let engine else { return }
      let wanted = wantedMix
      if let mixer, mixed != wanted {
        mixer.set(volume: model.volume)
        mixer.set(muted: model.isMuted)
        mixed = wanted
      }
      engine.setGain(gain)
      engine.setSurround(model.isSurround)
      engine.select(model.selectedIndex)
    }
  }

  /// The volume and mute before an "on" limited them.
  private struct EarlierSetting {
    var volume: Int
    var isMuted: Bool
    /// The setting of the mixer before the limit.
    var mixer: HardwareMixer.SavedSetting?
    /// The setting of the mixer that the limit resulted in.
    var limitedMixer: HardwareMixer.SavedSetting?
  }

  private let context: DeviceContext
  private let options: AmplifierOptions
  private let state: Mutex<State>
  private let reporter: StatusReporter
  /// Held for each report, so that none of an earlier state follows one of a later state.
  private let reporting = Mutex(())

  /// Creates an amplifier that is off and holds no device yet.
  init(_ context: DeviceContext) throws(DeviceError) {
    self.context = context
    options = try AmplifierOptions(context.options)
    reporter = StatusReporter(context, options)
    state = Mutex(State(model: AmplifierModel(volume: options.startupVolume)))
  }

  func open() async throws(DeviceError) -> Capabilities {
    var sound = SoundEngine.Options()
    sound.device = options.device
    sound.bufferMilliseconds = options.buffer
    sound.silentWhenMissing = options.silentWhenMissing
    sound.rewind = options.rewind
    let reporter = reporter
    let engine = SoundEngine(sound) { [weak self] status in
      reporter.update(status, levels: { self?.levels ?? Levels(peak: [], rms: []) })
    }
    guard let engine else {
      throw DeviceError(
        .failed, "the system has no threads or file descriptors left",
        hint: "end other programs, or raise the limits that `ulimit -a` shows")
    }
    state.withLock { state in
      state.engine = engine
      engine.setMetering(options.meter || state.isMetering)
    }
    connectMixer()
    try openProgramInputs()
    state.withLock { $0.apply() }
    reportSettings()
    reporter.update(engine.status)
    return Capabilities(names: ["levels"], cables: [.pcm, .alsa])
  }

  func perform(_ command: AmplifierCommand) async throws(DeviceError) {
    switch command {
    case .on: try await turnOn()
    case .off: await turnOff()
    case .input(let name): try await select(name)
    case .stereo: change { $0.isSurround = false }
    case .surround: change { $0.isSurround = true }
    case .volume(let volume): change { $0.volume = volume }
    case .mute: change { $0.isMuted = true }
    case .unmute: change { $0.isMuted = false }
    }
  }

  func close() async {
    let (engine, mixer, cables) = state.withLock { state in
      defer {
        state.engine = nil
        state.mixer = nil
        state.sinks = [:]
        state.programCables = []
      }
      return (state.engine, state.mixer, state.programCables)
    }
    for cable in cables { cable.withdraw() }
    // Also removes the sockets of the inputs for programs.
    engine?.stop()
    mixer?.close()
    for cable in cables { cable.unlock() }
  }

  func setMetering(_ isOn: Bool) {
    reporter.setMetering(isOn)
    state.withLock { state in
      state.isMetering = isOn
      state.engine?.setMetering(options.meter || isOn)
    }
  }

  private var levels: Levels {
    let engine = state.withLock { $0.engine }
    return engine?.levels(channels: engine?.status.settings?.channels ?? 0)
      ?? Levels(peak: [], rms: [])
  }

  // MARK: Power and settings

  private func turnOn() async throws(DeviceError) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    // While the amplifier is on, the setting of a mixer that has appeared would replace the volume and
    // the mute that are in effect: the volume stays computed until the next "on" after an "off".
    if state.withLock({ $0.mixer == nil && $0.model.power != .on }) { connectMixer() }
    let earlier = limitAtPowerOn()
    guard !state.withLock({ $0.model.input.map($0.lent.contains) ?? false }) else {
      change { $0.power = .on }
      return reportLending()
    }
    let status = await engine.setPower(true)
    state.withLock { $0.hasPCM = status.state != .refused }
    if status.state == .refused, let failure = status.failure {
      restore(earlier)
      change { $0.power = .off }
      let isForbidden = failure.code == EBUSY || failure.code == EACCES || failure.code == EPERM
      throw FailureExplanation(failure, device: options.device.text).error(
        isForbidden ? .refused : .unavailable)
    }
    change { $0.power = .on }
  }

  /// Limits the volume and unmutes, unless the amplifier is on, and applies that at once: a reading of the mixer in
  /// between would undo it. Returns the setting before.
  private func limitAtPowerOn() -> EarlierSetting {
    state.withLock { state in
      var earlier = EarlierSetting(
        volume: state.model.volume, isMuted: state.model.isMuted,
        mixer: state.mixer?.saveSetting())
      state.model.limitAtPowerOn(volume: options.startupVolume)
      state.apply()
      earlier.limitedMixer = state.mixer?.saveSetting()
      return earlier
    }
  }

  /// Restores the setting before a refused "on", because another program may use the card with it. A change
  /// that another program has made to the mixer since then is kept.
  private func restore(_ earlier: EarlierSetting) {
    state.withLock { state in
      state.model.volume = earlier.volume
      state.model.isMuted = earlier.isMuted
      guard let mixer = state.mixer, let saved = earlier.mixer, let limited = earlier.limitedMixer
      else { return }
      if let reading = mixer.restore(saved, replacing: limited) { state.model.adopt(reading) }
      state.mixed = state.wantedMix
    }
  }

  private func turnOff() async {
    guard let engine = state.withLock({ $0.engine }) else { return }
    _ = await engine.setPower(false)
    state.withLock { $0.hasPCM = false }
    change { $0.power = .off }
    reportLending()
  }

  private func select(_ name: String) async throws(DeviceError) {
    state.withLock { $0.model.select(name) }
    // Closed before the input is reported, because the player may open it then; and the other way
    // round, because a player closes it only when it knows of the other input.
    await lendPCM()
    change { _ in }
    await reacquirePCM()
  }

  /// Changes settings, applies and reports them.
  private func change(_ change: (inout AmplifierModel) -> Void) {
    state.withLock { state in
      change(&state.model)
      state.apply()
    }
    reportSettings()
  }

  private func reportSettings() {
    reporting.withLock { _ in context.report(state.withLock { $0.model.values }) }
  }

  // MARK: Inputs

  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    do throws(CableError) {
      try listen(on: socket, input: input)
    } catch {
      throw DeviceError(.failed, error.message)
    }
    // Sound comes over this cable from now on.
    guard state.withLock({ $0.lent.remove(input) }) != nil else { return }
    await reacquirePCM()
  }

  /// Waits on `socket` for the source of `input`.
  private func listen(on socket: CableSocket, input: String) throws(CableError) {
    let known = state.withLock { $0.sinks[input] }
    // The same path: only a new source is expected there.
    if let known, known.path == socket.path { return try known.sink.expect(token: socket.token) }
    let sink = try CableSink(path: socket.path, token: socket.token, ring: SoundEngine.ring)
    let index = state.withLock { state -> Int? in
      guard let index = state.model.index(of: input), let engine = state.engine else { return nil }
      engine.setInput(index, to: sink)
      state.sinks[input] = (socket.path, sink)
      // It may be the first cable of the selected input.
      engine.select(state.model.selectedIndex)
      return index
    }
    guard index != nil else {
      sink.close()
      throw CableError(.refused, "The amplifier has \(AmplifierModel.inputLimit) inputs already.")
    }
  }

  // MARK: Inputs for programs

  private func openProgramInputs() throws(DeviceError) {
    for input in options.programInputs {
      // A name that is listed twice is one input.
      guard !state.withLock({ $0.programCables.contains { $0.input == input } }) else { continue }
      let cable = try ProgramCable(input: input)
      state.withLock { $0.programCables.append(cable) }
      try expectProgram(at: cable)
      guard let events = state.withLock({ $0.sinks[input]?.sink.events }) else { continue }
      // Ends with the input's sink.
      Task { [weak self, context] in
        for await event in events where event == .plugged {
          do throws(DeviceError) {
            try self?.expectProgram(at: cable)
          } catch {
            context.log(.warning, error.message)
          }
        }
      }
    }
  }

  /// Waits for the next program.
  private func expectProgram(at cable: ProgramCable) throws(DeviceError) {
    guard state.withLock({ $0.engine != nil }) else { return }
    let socket = cable.newSocket()
    do throws(CableError) {
      try listen(on: socket, input: cable.input)
    } catch {
      throw DeviceError(.failed, error.message)
    }
    do throws(SystemError) {
      try cable.publish(socket)
    } catch {
      throw DeviceError(
        .failed, "no program can be heard on the input \(cable.input): its cable file: \(error)")
    }
  }

  // MARK: Lending the PCM

  func lend(input: String) async throws(DeviceError) -> String {
    guard state.withLock({ $0.model.index(of: input) }) != nil else { throw .noInputLeft }
    let isNew = state.withLock { $0.lent.insert(input).inserted }
    await lendPCM()
    if isNew { reporter.warnOfLending(at: input) }
    return options.device.text
  }

  /// Closes the PCM if the selected input's player opens it.
  private func lendPCM() async {
    let engine = state.withLock { state -> SoundEngine? in
      guard state.isLending, state.hasPCM else { return nil }
      state.hasPCM = false
      return state.engine
    }
    _ = await engine?.setPower(false)
    reportLending()
  }

  /// Opens the PCM again if it was lent and the selected input does not need that any more.
  private func reacquirePCM() async {
    let engine = state.withLock { state -> SoundEngine? in
      guard !state.isLending, !state.hasPCM, state.model.power == .on else { return nil }
      state.hasPCM = true
      return state.engine
    }
    reportLending()
    _ = await engine?.reacquire()
  }

  private func reportLending() {
    reporter.update(borrower: state.withLock { $0.isLending ? $0.model.input : nil })
  }

  // MARK: Hardware mixer

  /// Opens the hardware mixer that the options name, if there is one.
  private func connectMixer() {
    guard case .hardware(let card, let control) = options.mixerName else {
      reporter.update(mixer: "software")
      return
    }
    do throws(ALSAFailure) {
      let mixer = try HardwareMixer(card: card, control: control) { [weak self] reading in
        self?.followMixer(reading)
      }
      reporter.update(mixer: "\(mixer.name), \(mixer.scale.note)")
      let reading = mixer.reading
      state.withLock { state in
        state.mixer = mixer
        // The card remembers its volume.
        if let reading { state.model.adopt(reading) }
        state.mixed = state.wantedMix
      }
    } catch {
      reporter.update(mixer: "software")
      guard options.mixer != "auto" else { return }
      context.log(
        .warning,
        "the mixer \"\(options.mixer)\" cannot be used (\(error.reason)); the volume is computed "
          + "instead; `theater audio devices` lists what this machine has")
    }
  }

  /// Follows a change that another program made to the mixer; `nil` if the mixer has gone. Called on the
  /// mixer's thread.
  private func followMixer(_ reading: HardwareMixer.Reading?) {
    if let reading {
      let isNew = state.withLock { state in
        // The reading may be older than this amplifier's last change: it will be read again.
        guard state.mixer?.isSettling == false else { return false }
        let before = state.model
        state.model.adopt(reading)
        state.mixed = state.wantedMix
        return state.model != before
      }
      guard isNew else { return }
      reportSettings()
    } else {
      let gone = state.withLock { $0.mixer.take() }
      // On another thread, because `close` waits for the end of this one.
      if let gone { SystemThread.start(name: "mixer end") { gone.close() } }
      reporter.update(mixer: "software, since the hardware mixer has gone")
    }
    // The engine's part of the volume; the mixer is left alone.
    state.withLock { $0.engine?.setGain($0.gain) }
  }
}

extension DeviceError {
  fileprivate static let noInputLeft = DeviceError(
    .invalid, "there are \(AmplifierModel.inputLimit) inputs already",
    hint: "use one of their names, or restart the amplifier after changing the cables")
}

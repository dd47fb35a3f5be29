import Devices
import Glibc
import PluginKit
import Synchronization

/// The amplifier that the controller sees: knobs on the sound engine and, where there is one, on a
/// hardware mixer.
final class SoundAmplifier: AmplifierDevice {
  typealias Command = AmplifierCommand

  struct State {
    var model: AmplifierModel
    var engine: SoundEngine?
    var mixer: HardwareMixer?
    /// What the mixer was last told; it is left alone as long as that is what is wanted.
    var mixed: HardwareMixer.Reading?
    var sinks: [String: (path: String, sink: CableSink)] = [:]
    /// The inputs whose players have the PCM to themselves.
    var lent: Set<String> = []
    /// Whether the engine was told to have the PCM.
    var hasPCM = false

    /// Whether the PCM is somebody else's at this moment.
    var isLending: Bool { model.power == .on && model.input.map(lent.contains) ?? false }
  }

  let context: DeviceContext
  let options: AmplifierOptions
  let state: Mutex<State>
  let reporter: StatusReporter

  /// An amplifier that is off and holds nothing yet.
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
    sound.takeBack = options.takeBack
    let reporter = reporter
    let engine = SoundEngine(sound) { [weak self] status in
      reporter.take(status, levels: { self?.levels ?? Levels(peak: [], rms: []) })
    }
    guard let engine else {
      throw DeviceError(
        .failed, "the system has no threads or file descriptors left",
        hint: "end other programs, or raise the limits that `ulimit -a` shows")
    }
    engine.setMetering(options.meter)
    state.withLock { $0.engine = engine }
    connectMixer()
    apply()
    context.report(state.withLock { $0.model.values })
    reporter.take(engine.status)
    return Capabilities(cables: [.pcm, .alsa])
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

  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    do throws(CableError) {
      try listen(on: socket, input: input)
    } catch {
      throw DeviceError(.failed, error.message)
    }
    // Sound comes over this cable from now on.
    guard state.withLock({ $0.lent.remove(input) }) != nil else { return }
    await takeBackPCM()
  }

  func lend(input: String) async throws(DeviceError) -> String {
    guard state.withLock({ $0.model.index(of: input) }) != nil else { throw .noInputLeft }
    let isNews = state.withLock { $0.lent.insert(input).inserted }
    await givePCM()
    if isNews { reporter.lend(at: input) }
    return options.device
  }

  func close() async {
    let (engine, mixer) = state.withLock { state in
      defer {
        state.engine = nil
        state.mixer = nil
        state.sinks = [:]
      }
      return (state.engine, state.mixer)
    }
    engine?.stop()
    mixer?.close()
  }

  // MARK: Power

  private func turnOn() async throws(DeviceError) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    if state.withLock({ $0.mixer == nil }) { connectMixer() }
    state.withLock { $0.model.wakeUp(atMost: options.startupVolume) }
    apply()
    guard !state.withLock({ $0.model.input.map($0.lent.contains) ?? false }) else {
      change { $0.power = .on }
      return reportLending()
    }
    let status = await engine.power(true)
    state.withLock { $0.hasPCM = status.state != .refused }
    if status.state == .refused, let failure = status.failure {
      change { $0.power = .off }
      let isForbidden = failure.code == EBUSY || failure.code == EACCES || failure.code == EPERM
      throw Explanation(failure, device: options.device).error(
        isForbidden ? .refused : .unavailable)
    }
    change { $0.power = .on }
  }

  private func turnOff() async {
    guard let engine = state.withLock({ $0.engine }) else { return }
    _ = await engine.power(false)
    state.withLock { $0.hasPCM = false }
    change { $0.power = .off }
    reportLending()
  }

  // MARK: Knobs

  private func select(_ name: String) async throws(DeviceError) {
    guard state.withLock({ $0.model.select(name) }) else { throw .noInputLeft }
    // Closed before the input is reported, because the player may open it then; and the other way
    // round, because a player lets go of it only when it knows of the other input.
    await givePCM()
    change { _ in }
    await takeBackPCM()
  }

  /// Turns knobs, brings them into force and reports them.
  func change(_ turn: (inout AmplifierModel) -> Void) {
    state.withLock { turn(&$0.model) }
    apply()
    context.report(state.withLock { $0.model.values })
  }

  /// Brings all knobs into force.
  func apply() {
    state.withLock { state in
      guard let engine = state.engine else { return }
      let model = state.model
      let wanted = HardwareMixer.Reading(volume: model.volume, isMuted: model.isMuted)
      if let mixer = state.mixer, state.mixed != wanted {
        mixer.set(volume: model.volume)
        mixer.set(muted: model.isMuted)
        state.mixed = wanted
      }
      let hardware = (state.mixer?.hasSwitch ?? false, state.mixer != nil)
      engine.setGain(model.gain(hardware: hardware))
      engine.setSurround(model.isSurround)
      engine.select(model.selectedIndex)
    }
  }

  private var levels: Levels {
    let engine = state.withLock { $0.engine }
    return engine?.levels(channels: engine?.status.settings?.channels ?? 0)
      ?? Levels(peak: [], rms: [])
  }
}

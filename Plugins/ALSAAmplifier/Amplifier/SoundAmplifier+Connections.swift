import Devices
import PluginKit
import PluginProtocol
import Synchronization

extension SoundAmplifier {
  /// Waits on `socket` for the source that `input` will hear.
  func listen(on socket: CableSocket, input: String) throws(CableError) {
    let known = state.withLock { $0.sinks[input] }
    // The same place: only a new source is expected there.
    if let known, known.path == socket.path { return try known.sink.expect(token: socket.token) }
    let sink = try CableSink(path: socket.path, token: socket.token, ring: SoundEngine.ring)
    let index = state.withLock { state -> Int? in
      guard let index = state.model.index(of: input), let engine = state.engine else { return nil }
      engine.setInput(index, to: sink)
      state.sinks[input] = (socket.path, sink)
      return index
    }
    guard index != nil else {
      sink.close()
      throw CableError(.refused, "The amplifier has \(AmplifierModel.inputLimit) inputs already.")
    }
  }

  /// Takes the hardware mixer that the options name, if it is there.
  func connectMixer() {
    let name = MixerName(option: options.mixer, device: options.device)
    guard case .hardware(let card, let control) = name else {
      reporter.take(mixer: "software")
      return
    }
    do throws(ALSAFailure) {
      let mixer = try HardwareMixer(card: card, control: control) { [weak self] reading in
        self?.mixerMoved(reading)
      }
      reporter.take(mixer: "\(mixer.name), \(mixer.scale.note)")
      let reading = mixer.reading
      state.withLock { state in
        state.mixer = mixer
        // The card remembers how loud it was.
        if let reading { state.model.take(reading) }
        state.mixed = HardwareMixer.Reading(
          volume: state.model.volume, isMuted: state.model.isMuted)
      }
    } catch {
      reporter.take(mixer: "software")
      guard options.mixer != "auto" else { return }
      context.log(
        .warning,
        "the mixer \"\(options.mixer)\" cannot be used (\(error.reason)); the volume is computed "
          + "instead; `theater audio devices` lists what this machine has")
    }
  }

  /// Somebody else moved the mixer, or it has gone.
  private func mixerMoved(_ reading: HardwareMixer.Reading?) {
    if let reading {
      let isNews = state.withLock { state in
        // Read before our own last change, perhaps: it will be read again.
        guard state.mixer?.isSettling == false else { return false }
        let before = state.model
        state.model.take(reading)
        state.mixed = HardwareMixer.Reading(
          volume: state.model.volume, isMuted: state.model.isMuted)
        return state.model != before
      }
      guard isNews else { return }
      context.report(state.withLock { $0.model.values })
    } else {
      state.withLock { $0.mixer = nil }
      reporter.take(mixer: "software, since the hardware mixer has gone")
    }
    applyGain()
  }

  /// Brings the computed part of the volume into force, and leaves the mixer alone.
  private func applyGain() {
    state.withLock { state in
      let hardware = (state.mixer?.hasSwitch ?? false, state.mixer != nil)
      state.engine?.setGain(state.model.gain(hardware: hardware))
    }
  }
}

extension AmplifierModel {
  /// Takes over what a hardware mixer shows.
  mutating func take(_ reading: HardwareMixer.Reading) {
    volume = reading.volume
    if let muted = reading.isMuted { isMuted = muted }
  }
}

import CALSA
import Platform
import PluginKit
import Synchronization

/// One volume control of a sound card or sound server.
///
/// Safe from any thread; a thread of its own waits for changes by other programs.
final class HardwareMixer: Sendable {
  /// The present setting of a control.
  struct Reading: Sendable, Equatable {
    /// 0–100 %.
    var volume: Int
    /// `nil` if the control has no switch.
    var isMuted: Bool?
  }

  /// The exact setting of a control. A volume in % is rounded, and the same for all channels.
  struct SavedSetting: Sendable {
    fileprivate struct Channel {
      var id: snd_mixer_selem_channel_id_t.RawValue
      var level: Int
      var isOn: Int32
    }
    fileprivate var channels: [Channel] = []
    fileprivate var wanted: (volume: Int, level: Int)?

    fileprivate var levels: [Int] { channels.map(\.level) }
    fileprivate var switches: [Int32] { channels.map(\.isOn) }
  }

  /// The name in status, e.g. `Master of hw:0`.
  let name: String
  /// The scale of its levels.
  let scale: MixerScale
  /// Whether it can be switched off.
  let hasSwitch: Bool

  // Safe: libasound's mixer is used under the lock alone.
  private struct Handle: @unchecked Sendable {
    let mixer: OpaquePointer
    let element: OpaquePointer
    /// The volume last set here and the level that the control rounded it to: while it has that level, the
    /// volume is the one that was set.
    var wanted: (volume: Int, level: Int)?
    /// The time (monotonic ns) until which readings may be old; 0 if they are not.
    var settling: Int64 = 0
  }

  /// The time after a change for which the control may show the earlier setting, ns: a sound server is late
  /// and reports it once more.
  private static let settlingTime: Int64 = 300_000_000

  private let handle: Mutex<Handle>
  private let wakeup: WakeupDescriptor
  private let isClosed = Atomic<Bool>(false)
  private let onChange: @Sendable (Reading?) -> Void
  private let thread = Mutex<SystemThread?>(nil)

  /// Opens a control.
  ///
  /// - Parameter onChange: Called on the mixer's thread when another program has changed the control, and
  ///   with `nil` when it is gone.
  init(
    card: SoundDeviceName, control: String?, onChange: @escaping @Sendable (Reading?) -> Void
  ) throws(ALSAFailure) {
    let mixer = try Self.openMixer(card)
    guard let element = Self.find(control, in: mixer) else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: ENOENT)
    }
    guard let wakeup = try? WakeupDescriptor() else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: EMFILE)
    }
    self.wakeup = wakeup
    self.onChange = onChange
    scale = Self.scale(of: element)
    hasSwitch = snd_mixer_selem_has_playback_switch(element) != 0
    name = "\(String(cString: snd_mixer_selem_get_name(element))) of \(card)"
    handle = Mutex(Handle(mixer: mixer, element: element))
    let started = try? SystemThread(name: "mixer", stack: SoundEngine.threadStack) { self.watch() }
    thread.withLock { $0 = started }
  }

  /// Ends the thread and closes the control. Must not be called from `onChange`.
  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    wakeup.signal()
    thread.withLock { $0.take() }?.join()
    handle.withLock { _ = snd_mixer_close($0.mixer) }
    wakeup.close()
  }

  /// Sets the volume, 0–100 %.
  func set(volume: Int) {
    guard !isClosed.load(ordering: .acquiring) else { return }
    handle.withLock { handle in
      let level = scale.level(for: volume)
      switch scale {
      case .decibels: _ = snd_mixer_selem_set_playback_dB_all(handle.element, level, 0)
      case .raw: _ = snd_mixer_selem_set_playback_volume_all(handle.element, level)
      }
      handle.wanted = Self.level(of: handle.element, scale).map { (volume, $0) }
      handle.settling = MonotonicClock.now + Self.settlingTime
    }
    wakeup.signal()
  }

  /// Switches the control off or on, if it has a switch.
  func set(muted: Bool) {
    guard hasSwitch, !isClosed.load(ordering: .acquiring) else { return }
    handle.withLock { handle in
      _ = snd_mixer_selem_set_playback_switch_all(handle.element, muted ? 0 : 1)
      handle.settling = MonotonicClock.now + Self.settlingTime
    }
    wakeup.signal()
  }

  /// Returns the exact setting, for `restore`; `nil` after `close`.
  func saveSetting() -> SavedSetting? {
    guard !isClosed.load(ordering: .acquiring) else { return nil }
    return handle.withLock { Self.setting(of: $0) }
  }

  private static func setting(of handle: Handle) -> SavedSetting {
    var saved = SavedSetting()
    saved.wanted = handle.wanted
    for id in 0...SND_MIXER_SCHN_LAST.rawValue {
      let channel = snd_mixer_selem_channel_id_t(rawValue: id)
      var level = 0
      guard snd_mixer_selem_has_playback_channel(handle.element, channel) != 0,
        snd_mixer_selem_get_playback_volume(handle.element, channel, &level) == 0
      else { continue }
      var isOn: Int32 = 1
      _ = snd_mixer_selem_get_playback_switch(handle.element, channel, &isOn)
      saved.channels.append(SavedSetting.Channel(id: id, level: level, isOn: isOn))
    }
    return saved
  }

  /// Replaces the setting `written` by `saved`. A volume or a switch that another program has changed
  /// since then is kept. Returns the resulting setting; `nil` if it cannot be read.
  func restore(_ saved: SavedSetting, replacing written: SavedSetting) -> Reading? {
    guard !isClosed.load(ordering: .acquiring) else { return nil }
    let reading = handle.withLock { handle -> Reading? in
      // libasound's copy of the setting has other programs' changes only after this call.
      _ = snd_mixer_handle_events(handle.mixer)
      let present = Self.setting(of: handle)
      // A sound server may still report the saved setting.
      let restoresVolume = [saved.levels, written.levels].contains(present.levels)
      let restoresSwitch =
        hasSwitch && [saved.switches, written.switches].contains(present.switches)
      for channel in saved.channels {
        let id = snd_mixer_selem_channel_id_t(rawValue: channel.id)
        // The switch first: a muted control must not sound at the restored level.
        if restoresSwitch {
          _ = snd_mixer_selem_set_playback_switch(handle.element, id, channel.isOn)
        }
        if restoresVolume {
          _ = snd_mixer_selem_set_playback_volume(handle.element, id, channel.level)
        }
      }
      if restoresVolume { handle.wanted = saved.wanted }
      handle.settling = MonotonicClock.now + Self.settlingTime
      return read(handle)
    }
    wakeup.signal()
    return reading
  }

  /// Whether a change was made so recently that readings may be older.
  var isSettling: Bool { handle.withLock { $0.settling > MonotonicClock.now } }

  /// The present setting; `nil` if it cannot be read.
  var reading: Reading? {
    guard !isClosed.load(ordering: .acquiring) else { return nil }
    return handle.withLock { read($0) }
  }

  private func read(_ handle: Handle) -> Reading? {
    guard let level = Self.level(of: handle.element, scale) else { return nil }
    var muted: Bool?
    var value: Int32 = 1
    let switched = snd_mixer_selem_get_playback_switch(
      handle.element, SND_MIXER_SCHN_FRONT_LEFT, &value)
    if hasSwitch, switched == 0 { muted = value == 0 }
    if let wanted = handle.wanted, wanted.level == level {
      return Reading(volume: wanted.volume, isMuted: muted)
    }
    return Reading(volume: scale.volume(for: level), isMuted: muted)
  }

  /// The body of the mixer's thread.
  private func watch() {
    var entries = [pollfd](repeating: pollfd(), count: 16)
    entries[0] = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    while !isClosed.load(ordering: .acquiring) {
      let count = entries.withUnsafeMutableBufferPointer { buffer -> Int32 in
        guard let base = buffer.baseAddress else { return 0 }
        return handle.withLock { snd_mixer_poll_descriptors($0.mixer, base + 1, 15) }
      }
      guard count > 0, poll(&entries, nfds_t(count + 1), settlingLeft) >= 0 else {
        return onChange(nil)
      }
      if isClosed.load(ordering: .acquiring) { return }
      wakeup.clear()
      guard update() else { return onChange(nil) }
    }
  }

  /// Milliseconds until readings are current again; −1 if they are.
  private var settlingLeft: Int32 {
    let until = handle.withLock { $0.settling }
    guard until > 0 else { return -1 }
    return Int32(clamping: max(0, until - MonotonicClock.now) / 1_000_000 + 1)
  }

  /// Reads and passes on a change; `false` if the control is gone.
  private func update() -> Bool {
    let (isThere, reading) = handle.withLock { handle -> (Bool, Reading?) in
      guard snd_mixer_handle_events(handle.mixer) >= 0 else { return (false, nil) }
      if handle.settling > MonotonicClock.now { return (true, nil) }
      handle.settling = 0
      let reading = read(handle)
      return (reading != nil, reading)
    }
    if let reading { onChange(reading) }
    return isThere
  }
}

extension HardwareMixer {
  private static func openMixer(_ card: SoundDeviceName) throws(ALSAFailure) -> OpaquePointer {
    var opened: OpaquePointer?
    try ALSAFailure.check(snd_mixer_open(&opened, 0), .open)
    guard let mixer = opened else { throw ALSAFailure(step: .open, code: ENOMEM) }
    var result = snd_mixer_attach(mixer, card.text)
    if result >= 0 { result = snd_mixer_selem_register(mixer, nil, nil) }
    if result >= 0 { result = snd_mixer_load(mixer) }
    guard result >= 0 else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: -result)
    }
    return mixer
  }

  /// Returns the named control, or the first usual one, if it sets a playback volume.
  private static func find(_ control: String?, in mixer: OpaquePointer) -> OpaquePointer? {
    let elements = elements(of: mixer)
    for wanted in control.map({ [$0] }) ?? MixerName.usual {
      if let found = elements.first(where: { $0.name == wanted }) { return found.element }
    }
    return nil
  }

  /// Lists the controls of a mixer that set a playback volume.
  static func elements(of mixer: OpaquePointer) -> [(name: String, element: OpaquePointer)] {
    var found: [(String, OpaquePointer)] = []
    var next = snd_mixer_first_elem(mixer)
    while let element = next {
      if snd_mixer_selem_has_playback_volume(element) != 0,
        let name = snd_mixer_selem_get_name(element)
      {
        found.append((String(cString: name), element))
      }
      next = snd_mixer_elem_next(element)
    }
    return found
  }

  /// Returns the scale of a control's levels.
  static func scale(of element: OpaquePointer) -> MixerScale {
    var lowest = 0
    var highest = 0
    if snd_mixer_selem_get_playback_dB_range(element, &lowest, &highest) == 0, lowest < highest {
      return .decibels(lowest: lowest, highest: highest)
    }
    _ = snd_mixer_selem_get_playback_volume_range(element, &lowest, &highest)
    return .raw(lowest: lowest, highest: highest)
  }

  private static func level(of element: OpaquePointer, _ scale: MixerScale) -> Int? {
    var level = 0
    let result =
      switch scale {
      case .decibels:
        snd_mixer_selem_get_playback_dB(element, SND_MIXER_SCHN_FRONT_LEFT, &level)
      case .raw:
        snd_mixer_selem_get_playback_volume(element, SND_MIXER_SCHN_FRONT_LEFT, &level)
      }
    return result == 0 ? level : nil
  }

  /// Lists the playback volume controls of a card with their scales.
  static func list(card: SoundDeviceName) -> [(name: String, scale: MixerScale)] {
    guard let mixer = try? openMixer(card) else { return [] }
    defer { snd_mixer_close(mixer) }
    return elements(of: mixer).map { ($0.name, scale(of: $0.element)) }
  }
}

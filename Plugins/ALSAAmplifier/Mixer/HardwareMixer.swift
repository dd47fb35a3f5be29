import CALSA
import Platform
import Synchronization

/// One volume control of a sound card or sound server.
///
/// Calls may come from any thread; a thread of its own waits for changes made by others.
final class HardwareMixer: Sendable {
  /// What the control shows.
  struct Reading: Sendable, Equatable {
    /// 0–100 %.
    var volume: Int
    /// `nil` when the control has no switch.
    var isMuted: Bool?
  }

  /// The control as people know it, e.g. `Master of hw:0`.
  let name: String
  /// How its numbers are meant.
  let scale: MixerScale
  /// Whether it can be switched off.
  let hasSwitch: Bool

  // Safe: libasound's mixer is used under the lock alone.
  private struct Handle: @unchecked Sendable {
    let mixer: OpaquePointer
    let element: OpaquePointer
    /// The volume last set here and the level the control settled on: as long as it stands there,
    /// that volume is true, whatever rounding the control's steps bring.
    var wanted: (volume: Int, level: Int)?
    /// Until when (monotonic ns) readings are not to be believed; 0 when they are.
    var settling: Int64 = 0
  }

  /// How long after a change of ours the control may still show what was before: a sound server
  /// takes its time, and tells of it once too often.
  private static let settlingTime: Int64 = 300_000_000

  private let handle: Mutex<Handle>
  private let bell: WakeupDescriptor
  private let isClosed = Atomic<Bool>(false)
  private let onChange: @Sendable (Reading?) -> Void
  private let thread = Mutex<SystemThread?>(nil)

  /// Opens a control. `onChange` is called on the mixer's own thread when the control was moved from
  /// outside, and with `nil` when it is gone.
  init(
    card: String, control: String?, onChange: @escaping @Sendable (Reading?) -> Void
  ) throws(ALSAFailure) {
    let mixer = try Self.openMixer(card)
    guard let element = Self.find(control, in: mixer) else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: ENOENT)
    }
    guard let bell = try? WakeupDescriptor() else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: EMFILE)
    }
    self.bell = bell
    self.onChange = onChange
    scale = Self.scale(of: element)
    hasSwitch = snd_mixer_selem_has_playback_switch(element) != 0
    name = "\(String(cString: snd_mixer_selem_get_name(element))) of \(card)"
    handle = Mutex(Handle(mixer: mixer, element: element))
    let started = try? SystemThread(name: "mixer", stack: SoundEngine.threadStack) { self.watch() }
    thread.withLock { $0 = started }
  }

  /// Ends the watching and lets go of the control. Must not be called from `onChange`.
  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    bell.signal()
    thread.withLock { $0.take() }?.join()
    handle.withLock { _ = snd_mixer_close($0.mixer) }
    bell.close()
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
    bell.signal()
  }

  /// Switches the control off or on, where it has a switch.
  func set(muted: Bool) {
    guard hasSwitch, !isClosed.load(ordering: .acquiring) else { return }
    handle.withLock { handle in
      _ = snd_mixer_selem_set_playback_switch_all(handle.element, muted ? 0 : 1)
      handle.settling = MonotonicClock.now + Self.settlingTime
    }
    bell.signal()
  }

  /// Whether a change of ours is so young that what the control shows may be older.
  var isSettling: Bool { handle.withLock { $0.settling > MonotonicClock.now } }

  /// What the control shows now; `nil` when it cannot be read.
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

  /// The mixer's thread.
  private func watch() {
    var entries = [pollfd](repeating: pollfd(), count: 16)
    entries[0] = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
    while !isClosed.load(ordering: .acquiring) {
      let count = entries.withUnsafeMutableBufferPointer { buffer -> Int32 in
        guard let base = buffer.baseAddress else { return 0 }
        return handle.withLock { snd_mixer_poll_descriptors($0.mixer, base + 1, 15) }
      }
      guard count > 0, poll(&entries, nfds_t(count + 1), settlingLeft) >= 0 else {
        return onChange(nil)
      }
      if isClosed.load(ordering: .acquiring) { return }
      bell.clear()
      guard update() else { return onChange(nil) }
    }
  }

  /// Milliseconds until readings are to be believed again; −1 when they are.
  private var settlingLeft: Int32 {
    let until = handle.withLock { $0.settling }
    guard until > 0 else { return -1 }
    return Int32(clamping: max(0, until - MonotonicClock.now) / 1_000_000 + 1)
  }

  /// Takes in what has changed and passes it on; `false` when the control is gone.
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
  private static func openMixer(_ card: String) throws(ALSAFailure) -> OpaquePointer {
    var opened: OpaquePointer?
    try ALSAFailure.check(snd_mixer_open(&opened, 0), .open)
    guard let mixer = opened else { throw ALSAFailure(step: .open, code: ENOMEM) }
    var result = snd_mixer_attach(mixer, card)
    if result >= 0 { result = snd_mixer_selem_register(mixer, nil, nil) }
    if result >= 0 { result = snd_mixer_load(mixer) }
    guard result >= 0 else {
      snd_mixer_close(mixer)
      throw ALSAFailure(step: .open, code: -result)
    }
    return mixer
  }

  /// The named control, or the first usual one; only such that set a playback volume.
  private static func find(_ control: String?, in mixer: OpaquePointer) -> OpaquePointer? {
    let elements = elements(of: mixer)
    for wanted in control.map({ [$0] }) ?? MixerName.usual {
      if let found = elements.first(where: { $0.name == wanted }) { return found.element }
    }
    return nil
  }

  /// All controls of a mixer that set a playback volume.
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

  /// How a control's numbers are meant.
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

  /// The playback volume controls of a card, with what can be said of each, for listings.
  static func list(card: String) -> [(name: String, scale: MixerScale)] {
    guard let mixer = try? openMixer(card) else { return [] }
    defer { snd_mixer_close(mixer) }
    return elements(of: mixer).map { ($0.name, scale(of: $0.element)) }
  }
}

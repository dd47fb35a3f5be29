import Devices
import Glibc
import JSON
import PluginKit
import PluginProtocol
import Synchronization

/// Reports the sound engine's status to the controller, as attributes and in the log. Safe from any
/// thread.
final class StatusReporter: Sendable {
  private struct Reported {
    var status = EngineStatus()
    var attributes: [String: Attribute] = [:]
    var mixer = "software"
    /// The input whose player has the PCM.
    var borrower: String?
    /// Whether the controller has asked for the levels.
    var isMetering = false
    /// The number of the last reading of the levels that was reported.
    var levelReading = 0
  }

  private let context: DeviceContext
  private let options: AmplifierOptions
  /// Guarded while attributes are sent too, so that no older ones follow newer ones. Sending never
  /// waits.
  private let reported = Mutex(Reported())

  /// Creates a reporter that has reported nothing yet.
  init(_ context: DeviceContext, _ options: AmplifierOptions) {
    self.context = context
    self.options = options
  }

  /// Records and reports the mixer that sets the volume: a hardware control, or software.
  func update(mixer: String) {
    reported.withLock { reported in
      reported.mixer = mixer
      report(&reported)
    }
  }

  /// Records and reports the input whose player has the PCM; `nil` for none.
  func update(borrower: String?) {
    reported.withLock { reported in
      reported.borrower = borrower
      report(&reported)
    }
  }

  /// Begins or ends the reports of the levels to the controller.
  func setMetering(_ isOn: Bool) { reported.withLock { $0.isMetering = isOn } }

  /// Warns that volume and mute do not act on a lent input, if there is no hardware mixer.
  func warnOfLending(at input: String) {
    guard reported.withLock({ $0.mixer.hasPrefix("software") }) else { return }
    context.log(
      .warning,
      "the input \"\(input)\" plays on \(options.device) by itself, and there is no hardware mixer: "
        + "volume and mute do not act on it; name one in the option \"mixer\"")
  }

  /// Reports a changed status. `levels` is called only while sound plays, and only if the options
  /// or the controller ask for levels.
  func update(_ status: EngineStatus, levels: () -> Levels = { Levels(peak: [], rms: []) }) {
    warn(reported.withLock { $0.status }, status)
    let isMetering = reported.withLock { reported in
      reported.status = status
      report(&reported)
      return reported.isMetering
    }
    guard status.isSounding, options.meter || isMetering else { return }
    let levels = levels()
    if options.meter { report(levels) }
    if isMetering { reportReading(levels) }
  }

  /// Reports levels to the controller, each reading once.
  private func reportReading(_ levels: Levels) {
    let isNew = reported.withLock { reported in
      defer { reported.levelReading = levels.reading }
      return levels.reading != reported.levelReading
    }
    guard isNew,
      let levels = SoundLevels(
        peakAmplitudes: levels.peak.map { Double($0) }, rmsAmplitudes: levels.rms.map { Double($0) }
      )
    else { return }
    context.report(levels)
  }

  /// Reports the attributes that have changed.
  private func report(_ reported: inout Reported) {
    let now = attributes(reported.status, reported.mixer, lentTo: reported.borrower)
    let news = now.filter { reported.attributes[$0.key] != $0.value }
    reported.attributes = now
    if !news.isEmpty { context.report(attributes: news) }
  }

  private func attributes(
    _ status: EngineStatus, _ mixer: String, lentTo borrower: String?
  ) -> [String: Attribute] {
    let volume =
      borrower != nil && mixer.hasPrefix("software") ? "none: the PCM is lent" : mixer
    let sink =
      switch status.state {
      case .closed, .refused: borrower == nil ? "closed" : "lent"
      case .open: "device"
      case .silent: "silent"
      }
    let problem = status.failure.map {
      FailureExplanation($0, device: options.device.text, holders: { [] })
    }
    let settings = status.settings
    return [
      "pcm": Attribute(.string(options.device.text), label: "Sound device"),
      "sink": Attribute(.string(sink), label: "Sound goes to"),
      "format": Attribute(settings.map { .string($0.description) } ?? .null, label: "Format"),
      "buffer": Attribute(
        settings.map { .integer($0.bufferFrames * 1000 / max(1, $0.rate)) } ?? .null, unit: "ms",
        label: "Device buffer"),
      "pace": Attribute(.string(status.isClockPaced ? "clock" : "device"), label: "Pace set by"),
      "lentTo": Attribute(borrower.map { .string($0) } ?? .null, label: "PCM is lent to"),
      "mixer": Attribute(.string(volume), label: "Volume by"),
      "problem": Attribute(problem.map { .string($0.message) } ?? .null, label: "Problem"),
      "underruns": Attribute(.integer(status.underruns), label: "Gaps in the sound"),
      "starvations": Attribute(.integer(status.starvations), label: "Gaps from a late source"),
      "reopenings": Attribute(.integer(status.reopenings), label: "Device came back"),
      "realtime": Attribute(.bool(status.isRealtime), label: "Real-time priority"),
    ]
  }

  private func report(_ levels: Levels) {
    func decibels(_ values: [Float]) -> JSON {
      .array(values.map { .number(($0 > 0 ? 20 * Double(log10($0)) : -120).rounded()) })
    }
    context.report(attributes: [
      "peak": Attribute(decibels(levels.peak), unit: "dBFS", label: "Peak"),
      "rms": Attribute(decibels(levels.rms), unit: "dBFS", label: "Level"),
    ])
  }

  private func warn(_ before: EngineStatus, _ now: EngineStatus) {
    if now.state == .silent, before.state != .silent || before.failure != now.failure,
      let failure = now.failure
    {
      let why = FailureExplanation(
        failure, device: options.device.text, isSilent: options.silentWhenMissing)
      context.log(
        .warning, "NO SOUND: \(why.message). Playback goes on silently. To fix it: \(why.hint).")
    }
    if now.state == .open, before.state == .silent {
      context.log(.info, "the sound device \(options.device) is back")
    }
    if now.underruns > before.underruns {
      let isLate = now.starvations > before.starvations
      context.log(
        .debug,
        "a gap in the sound, because the \(isLate ? "source was late" : "sound device ran dry") "
          + "(\(now.underruns) so far)")
    }
  }
}

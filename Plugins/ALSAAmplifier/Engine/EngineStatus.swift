/// What the sound engine is doing, at one moment.
struct EngineStatus: Sendable, Equatable {
  /// What the output is doing.
  var state = OutputState.closed
  /// Why the device is not in use; `nil` while it is, or while nobody wants it.
  var failure: ALSAFailure?
  /// The device's format; `nil` while closed.
  var settings: DeviceSettings?
  /// Whether frames are running through.
  var isSounding = false
  /// Whether the clock rather than the device sets the pace.
  var isClockPaced = false
  /// Whether the audio thread has real-time priority.
  var isRealtime = false
  /// How often the device ran dry.
  var underruns = 0
  /// How often a source paused without saying so.
  var starvations = 0
  /// How often a lost device came back.
  var reopenings = 0
}

/// Levels of one moment, full scale 1, one pair per channel.
struct Levels: Sendable, Equatable {
  /// The highest sample since the last reading.
  var peak: [Float]
  /// The root mean square since the last reading.
  var rms: [Float]
}

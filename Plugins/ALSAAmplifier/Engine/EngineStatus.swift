/// The state of the output.
enum OutputState: Int, Sendable {
  /// The amplifier is off, and the PCM is closed.
  case closed
  /// The PCM is open.
  case open
  /// The PCM is missing or lost: sound goes on silently at the pace of the clock, and the PCM is
  /// tried again.
  case silent
  /// The PCM could not be opened, and the amplifier stays off.
  case refused
}

/// The status of the sound engine at one moment.
struct EngineStatus: Sendable, Equatable {
  /// The state of the output.
  var state = OutputState.closed
  /// The reason why the device is not in use; `nil` while it is, and in the state `closed`.
  var failure: ALSAFailure?
  /// The device's format; `nil` unless the state is `open` or `silent`.
  var settings: DeviceSettings?
  /// Whether sound plays.
  var isSounding = false
  /// Whether the monotonic clock sets the pace instead of the device.
  var isClockPaced = false
  /// Whether the audio thread has real-time priority.
  var isRealtime = false
  /// The number of gaps in the sound, for any reason.
  var underruns = 0
  /// The number of those gaps for which the source was late.
  var starvations = 0
  /// The number of times that a lost device was reopened.
  var reopenings = 0
}

/// Levels of one moment, full scale 1, one pair per channel.
struct Levels: Sendable, Equatable {
  /// The highest sample since the last reading.
  var peak: [Float]
  /// The root mean square since the last reading.
  var rms: [Float]
  /// The number of the reading; 0 for none.
  var reading = 0
}

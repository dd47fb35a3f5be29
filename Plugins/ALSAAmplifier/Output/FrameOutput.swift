/// The clock that decides when there is room for more frames.
enum Pace: Int32 {
  /// The device's clock, the normal case.
  case device
  /// The monotonic clock: for silent output, and for PCMs such as `null` and `file` that accept
  /// everything at once.
  case clock
}

/// The audio thread's interface to the destination of its frames.
protocol FrameOutput {
  /// Creates an output that plays silently.
  init()
  /// The open PCM; `nil` plays silently.
  var pcm: OpaquePointer? { get }
  /// The settings agreed on with the device.
  var settings: DeviceSettings { get }
  /// The clock that sets the pace.
  var pace: Pace { get }
  /// The monotonic clock, ns.
  var now: Int64 { get }

  /// Opens the PCM `name`; does not wait for another owner to close it.
  mutating func open(_ name: UnsafePointer<CChar>) throws(ALSAFailure)
  /// Configures the PCM for `request`. Returns the speaker that each channel feeds.
  mutating func configure(
    _ request: PCMRequest, wanted: SpeakerLayout
  ) throws(ALSAFailure) -> SpeakerLayout
  /// Closes the PCM.
  mutating func close()
  /// Goes on silently, at the same format and by the clock.
  mutating func goSilent()

  /// Returns the frames that can be written now, or a negative error.
  func writableFrames() -> Int
  /// Returns the frames in the device's buffer, or a negative error; without any the device underruns.
  func bufferedFrames() -> Int
  /// Returns the frames between the last one written and the speaker, 0 or more; more than
  /// `bufferedFrames` if a sound server holds some, too.
  func delayFrames() -> Int
  /// Writes up to `frames` frames. Returns how many were written, or a negative error.
  mutating func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int
  /// Takes back the newest frames that are not played yet, at most `frames`. Returns how many those were; 0
  /// if the device gives nothing back.
  mutating func rewind(atMost frames: Int) -> Int
  /// Drops the queued frames. The next `write` starts the device again.
  mutating func stop()
  /// Lets the next `write` start the device again, after an underrun.
  mutating func restart()
}

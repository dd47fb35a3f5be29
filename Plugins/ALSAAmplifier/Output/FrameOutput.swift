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

  /// Opens the PCM `name` without waiting for another owner to let go of it.
  mutating func open(_ name: UnsafePointer<CChar>) throws(ALSAFailure)
  /// Configures the PCM for `request`. Returns the speaker that each channel feeds.
  mutating func configure(
    _ request: DeviceRequest, wanted: SpeakerLayout
  ) throws(ALSAFailure) -> SpeakerLayout
  /// Lets go of the PCM.
  mutating func close()
  /// Goes on silently, at the same format and by the clock.
  mutating func goSilent()

  /// Frames that can be written now, or a negative error.
  mutating func room() -> Int
  /// Frames in the device's buffer, or a negative error; it runs dry when there are none.
  mutating func filled() -> Int
  /// Frames between the last one written and the speaker; more than `filled` where a sound server
  /// holds some, too.
  func queued() -> Int
  /// Writes up to `frames` frames; returns how many were taken, or a negative error.
  mutating func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int
  /// Takes back the newest of the frames that are not played yet, at most `frames`; answers how many
  /// those were: 0 where the device gives nothing back.
  mutating func takeBack(atMost frames: Int) -> Int
  /// Throws away what is queued and gets ready to start again; negative when the device will not.
  mutating func stop() -> Int
  /// Gets ready again after an underrun; negative when the device will not.
  mutating func restart() -> Int
}

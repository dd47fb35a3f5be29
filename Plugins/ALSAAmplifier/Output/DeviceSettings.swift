/// The agreed settings of a PCM. Plain numbers only.
struct DeviceSettings: Sendable, Equatable {
  /// The layout of one sample.
  var sample: SampleFormat
  /// Frames a second.
  var rate: Int
  /// Channels in a frame.
  var channels: Int
  /// Frames in the device's buffer.
  var bufferFrames: Int
  /// Frames between two interrupts of the device.
  var periodFrames: Int

  /// Bytes of a frame.
  var frameBytes: Int { sample.bytes * channels }

  /// The text in status, e.g. `44100 Hz S16_LE, 2 channels`.
  var description: String { "\(rate) Hz \(sample.name), \(channels) channels" }

  /// Returns the frames between the last one written and the speaker, checked against the device's buffer.
  ///
  /// A sound server measures the delay by a clock of its own, which may run while nothing plays, and answers nonsense
  /// until its first timing report. The frames in the buffer are counted, not measured. So they replace an answer that
  /// is shorter by more than a period, or longer by more than 4 s.
  ///
  /// - Parameters:
  ///   - reported: The answer of the device; `nil` if it has none.
  ///   - buffered: The frames in the device's buffer; negative after an error.
  func plausibleDelay(_ reported: Int?, buffered: Int) -> Int {
    let buffered = max(0, buffered)
    guard let reported, (buffered - periodFrames...buffered + 4 * rate).contains(reported) else {
      return buffered
    }
    return max(0, reported)
  }

  /// Returns the settings of a device that takes anything, like silent output.
  static func unlimited(_ request: PCMRequest) -> DeviceSettings {
    let buffer = max(64, request.rate * request.bufferMilliseconds / 1000)
    return DeviceSettings(
      sample: request.sample, rate: request.rate, channels: request.channels,
      bufferFrames: buffer, periodFrames: max(16, buffer / 4))
  }
}

/// Whether a PCM is asked to give back frames that it has not played yet.
enum RewindPolicy: String, CaseIterable, Sendable {
  /// Only if the kernel's driver plays the PCM and supports it.
  case auto
  /// Always: the user knows that the PCM supports it.
  case always
  /// Never: the device plays every frame that was written.
  case never
}

/// The settings to request from a PCM.
struct PCMRequest: Equatable {
  /// The source's sample format; the device may get a neighbour.
  var sample: SampleFormat
  /// The source's rate.
  var rate: Int
  /// The channels wanted; the device may get more, or fewer.
  var channels: Int
  /// The length of the device's buffer, ms.
  var bufferMilliseconds: Int
  /// Whether the writer runs as soon as it is woken, so that it can be woken late.
  var isPunctual: Bool
  /// Whether the device is asked to give back frames that it has not played yet.
  var rewind: RewindPolicy

  /// Creates the request for playing `format`: all its channels in surround, the front pair in stereo.
  init(
    playing format: StreamFormat, surround: Bool, bufferMilliseconds: Int, isPunctual: Bool,
    rewind: RewindPolicy
  ) {
    sample = format.sample
    rate = format.rate
    channels = surround ? format.channels : 2
    self.bufferMilliseconds = bufferMilliseconds
    self.isPunctual = isPunctual
    self.rewind = rewind
  }

  /// Channel counts to try, best first: the wanted one, then more (idle speakers stay silent),
  /// then fewer (folded down).
  var channelChoices: [Int] {
    let more = channels < 8 ? Array((channels + 1)...8) : []
    let fewer = channels > 1 ? Array((1..<channels).reversed()) : []
    return [channels] + more + fewer
  }
}

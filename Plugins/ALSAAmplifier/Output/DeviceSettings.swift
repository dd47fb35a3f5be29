/// What was asked of a PCM and what it agreed to. Plain numbers only.
struct DeviceSettings: Sendable, Equatable {
  /// How one sample lies in memory.
  var sample: SampleFormat
  /// Frames a second.
  var rate: Int
  /// Channels in a frame.
  var channels: Int
  /// Frames the device holds.
  var bufferFrames: Int
  /// Frames between two of its ticks.
  var periodFrames: Int

  /// Bytes a frame takes.
  var frameBytes: Int { sample.bytes * channels }

  /// What people read, e.g. `44100 Hz S16_LE, 2 channels`.
  var description: String { "\(rate) Hz \(sample.name), \(channels) channels" }

  /// What a device that takes anything would agree to; silent output is one.
  static func unlimited(_ request: DeviceRequest) -> DeviceSettings {
    let buffer = max(64, request.rate * request.bufferMilliseconds / 1000)
    return DeviceSettings(
      sample: request.sample, rate: request.rate, channels: request.channels,
      bufferFrames: buffer, periodFrames: max(16, buffer / 4))
  }
}

/// Whether a PCM is asked to give back frames that it has not played yet.
enum TakeBack: String, Sendable {
  /// Only if the kernel's driver plays the PCM and supports it.
  case auto
  /// Always: the user knows that the PCM supports it.
  case always
  /// Never: the device plays every frame that was written.
  case never
}

/// What the amplifier would like from a PCM.
struct DeviceRequest: Equatable {
  /// The source's sample format; the device may get a neighbour.
  var sample: SampleFormat
  /// The source's rate.
  var rate: Int
  /// The channels wanted; the device may get more, or fewer.
  var channels: Int
  /// The length of the device's buffer.
  var bufferMilliseconds: Int
  /// Whether the writer comes in time, so that it can be woken late.
  var isPunctual: Bool
  /// Whether to take back what is not played yet.
  var takeBack: TakeBack

  /// The request for playing `format`: all its channels in surround, the front pair in stereo.
  init(
    playing format: StreamFormat, surround: Bool, bufferMilliseconds: Int, isPunctual: Bool,
    takeBack: TakeBack
  ) {
    sample = format.sample
    rate = format.rate
    channels = surround ? format.channels : 2
    self.bufferMilliseconds = bufferMilliseconds
    self.isPunctual = isPunctual
    self.takeBack = takeBack
  }

  /// Channel counts to try, best first: the wanted one, then more (idle speakers stay silent),
  /// then fewer (folded down).
  var channelChoices: [Int] {
    let more = channels < 8 ? Array((channels + 1)...8) : []
    let fewer = channels > 1 ? Array((1..<channels).reversed()) : []
    return [channels] + more + fewer
  }
}

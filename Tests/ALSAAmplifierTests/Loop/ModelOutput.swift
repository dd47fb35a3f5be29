import Glibc

@testable import ALSAAmplifier

/// A sound card on simulated time: it plays its frames as the test moves its clock, and records the
/// heard frames.
final class ModelCard {
  /// The monotonic clock, ns.
  var now: Int64 = 1_000_000_000
  /// Whether frames that were not played can be taken back, as with a kernel's driver.
  var givesBack = true
  /// The frames that were heard, with one entry for each `configure`. Stops and starts add no
  /// entry.
  private(set) var runs: [(settings: DeviceSettings, bytes: [UInt8])] = []
  /// The number of underruns.
  private(set) var underruns = 0
  fileprivate var settings = DeviceSettings(
    sample: .s16, rate: 44100, channels: 2, bufferFrames: 8820, periodFrames: 2205)
  private var buffer: [UInt8] = []
  private var isPlaying = false
  private var isDry = false
  private var start: Int64 = 0
  private var played = 0

  /// The frames that were heard in the last format.
  var heard: [UInt8] { runs.last?.bytes ?? [] }

  /// Frames in the buffer.
  var filled: Int { buffer.count / settings.frameBytes }

  /// The time at which half the buffer will be free, in ns; `nil` if the card is stopped with
  /// a fuller buffer.
  var writableTime: Int64? {
    let surplus = filled - settings.bufferFrames / 2
    guard isPlaying || surplus <= 0 else { return nil }
    return now + Int64(max(0, surplus)) * 1_000_000_000 / Int64(settings.rate)
  }

  /// Moves the clock.
  func advance(to time: Int64) {
    now = max(now, time)
    guard isPlaying else { return }
    let due = Int((now - start) / 1000 * Int64(settings.rate) / 1_000_000) - played
    let count = min(due, filled)
    runs[runs.count - 1].bytes += buffer.prefix(count * settings.frameBytes)
    buffer.removeFirst(count * settings.frameBytes)
    played += count
    guard count < due else { return }
    isPlaying = false
    isDry = true
    underruns += 1
  }

  fileprivate func configure(_ settings: DeviceSettings) {
    stop()
    self.settings = settings
    runs.append((settings, []))
  }

  fileprivate func writableFrames() -> Int {
    isDry ? -Int(EPIPE) : settings.bufferFrames - filled
  }

  fileprivate func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int {
    let count = min(frames, writableFrames())
    guard count > 0 else { return count }
    buffer += UnsafeRawBufferPointer(start: bytes, count: count * settings.frameBytes)
    if !isPlaying, filled >= settings.periodFrames {
      isPlaying = true
      start = now
      played = 0
    }
    return count
  }

  fileprivate func rewind(_ frames: Int) -> Int {
    guard givesBack else { return 0 }
    let count = max(0, min(frames, filled - (isPlaying ? settings.rate * 4 / 1000 : 0)))
    buffer.removeLast(count * settings.frameBytes)
    return count
  }

  fileprivate func stop() {
    buffer = []
    isPlaying = false
    isDry = false
  }
}

/// The audio loop's interface to a model card.
struct ModelOutput: FrameOutput {
  let card = ModelCard()
  var pcm: OpaquePointer? { nil }
  var settings: DeviceSettings { card.settings }
  var pace: Pace { .device }
  var now: Int64 { card.now }

  init() {}
  func open(_ name: UnsafePointer<CChar>) {}
  func configure(_ request: PCMRequest, wanted: SpeakerLayout) -> SpeakerLayout {
    card.configure(.unlimited(request))
    return wanted.count == request.channels ? wanted : .stream(channels: request.channels)
  }
  func close() { card.stop() }
  func goSilent() {}
  func writableFrames() -> Int { card.writableFrames() }
  func bufferedFrames() -> Int {
    card.writableFrames() < 0 ? card.writableFrames() : card.filled
  }
  func delayFrames() -> Int { card.filled }
  func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int { card.write(bytes, frames: frames) }
  func rewind(atMost frames: Int) -> Int { card.rewind(frames) }
  func stop() { card.stop() }
  func restart() { card.stop() }
}

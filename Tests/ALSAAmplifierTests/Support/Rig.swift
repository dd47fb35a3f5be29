import Devices
import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

extension SoundEngine {
  /// The number of wake-ups of the audio thread within this time.
  func rounds(in time: Duration) async -> Int {
    let before = rounds
    try? await Task.sleep(for: time)
    return rounds - before
  }
}

/// An engine that plays into a file, with one cable.
struct Rig {
  let folder: TemporaryFolder
  let engine: SoundEngine
  let cable: TestCable

  /// Starts the engine on a capture file (or on `device`) and turns it on.
  init(
    device: String? = nil, surround: Bool = false, volume: Int = 100, buffer: Int = 200,
    rewind: RewindPolicy = .always
  ) async throws {
    try #require(SoundConfiguration.isReady)
    folder = try TemporaryFolder()
    var options = SoundEngine.Options()
    options.bufferMilliseconds = buffer
    options.device = try #require(
      SoundDeviceName(device ?? SoundConfiguration.capture(to: folder.path(of: "out.raw"))))
    // Of these devices only the virtual card gives frames back.
    options.rewind = device?.hasPrefix("card") == true ? rewind : .auto
    engine = try #require(SoundEngine(options) { _ in })
    cable = try TestCable(engine, folder: folder)
    engine.setSurround(surround)
    engine.setGain(Float(VolumeCurve.gain(volume)))
    engine.select(cable.index)
    let status = await engine.setPower(true)
    #expect(status.state == .open)
    // A source that is not heard yet paces by its clock and drops frames: wait, so that none is
    // missing.
    let source = cable.source
    #expect(await eventually { source.isHeard })
  }

  /// Returns the bytes that the PCM received. Ends the engine, so that the file is complete.
  func captured() throws -> [UInt8] {
    engine.stop()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "out.raw"))))
  }

  /// Plays S16 frames to their end, and returns the received frames.
  func play(_ bytes: [UInt8], channels: Int, rate: Int = 44100) async throws -> [UInt8] {
    let format = try CableFormat.s16(rate: rate, channels: channels)
    let count = bytes.count / format.frameBytes
    #expect(await cable.send(bytes, format) == count)
    #expect(await cable.finish())
    return try captured()
  }
}

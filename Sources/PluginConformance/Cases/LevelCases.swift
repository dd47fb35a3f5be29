import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol

extension ConformanceCase {
  /// The cases about the levels of amplifiers.
  package static let levels = [
    ConformanceCase(
      "levels are reported only while they are requested and sound arrives, at most 15 a second",
      .levelsWanted, .noLevelsUnasked, .levelRate, .levelValues, scope: .roles([.amplifier]),
      isTimed: true
    ) { trial in
      let folder = try TemporaryPath.make()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let capabilities = try OpenRequest.checked(await client.open("a", role).result)
        guard capabilities.names.contains("levels") else {
          throw NotApplicable.because("the device has no levels")
        }
        let volume = min(100, trial.target.restrictions.loudest ?? 100)
        if volume == 0 { throw NotApplicable.because("no sound is allowed") }
        let tone = try await client.startTone(at: volume, folder: folder)
        defer { tone.stop() }
        try await client.expectLevelsOnRequest(at: volume)
      }
    },
    ConformanceCase(
      "requests for levels are accepted for open devices and ignored for others", .survives,
      .noLevelsUnasked
    ) {
      trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        try await client.notify(MeterNotification(device: "a", isOn: true))
        try await client.open("a", role).result.success("open")
        for isOn in [true, true, false, false] {
          try await client.notify(MeterNotification(device: "a", isOn: isOn))
        }
        try await client.send(line: #"{"jsonrpc": "2.0", "method": "meter", "params": {"on": 7}}"#)
        let (result, before) = try await client.perform("a", .string(role.firstCommand.name))
        try result.success("perform")
        try expect(
          before.levels.isEmpty, "no levels while nothing sounds", received: before.levels,
          rule: .noLevelsUnasked)
      }
    },
  ]
}

extension PluginClient {
  /// Turns the amplifier `a` on, sets its volume in % and plays a tone on its input `cd`.
  fileprivate func startTone(at volume: Int, folder: String) async throws -> ToneGenerator {
    let socket = CableSocket(path: folder + "/s", token: String(repeating: "0", count: 64))
    try await ask(OpenSocketRequest(device: "a", input: "cd", socket: socket))
    try await perform("a", "on").result.success("on")
    try await perform("a", ["volume": .integer(volume)]).result.success("volume")
    try await perform("a", ["input": "cd"]).result.success("input")
    let source = try CableSource()
    do {
      try source.connect(path: socket.path, token: socket.token)
    } catch {
      source.close()
      throw ConformanceFailure("that the socket accepts its token", received: short("\(error)"))
    }
    return ToneGenerator(source)
  }

  /// Requests levels, ends the request and repeats it. Checks that levels arrive only while
  /// requested.
  fileprivate func expectLevelsOnRequest(at volume: Int) async throws {
    // No levels were requested yet, so no message up to the answer may be one.
    let before = try await perform("a", ["volume": .integer(volume)]).before.levels
    try expect(
      before.isEmpty, "no levels before they are requested", received: before,
      rule: .noLevelsUnasked)
    for isOn in [true, false, true] {
      try notify(MeterNotification(device: "a", isOn: isOn))
      guard isOn else {
        // The answer shows that the plugin has read the notification. Up to two reports may have been sent before.
        let late = try await perform("a", "unmute").before.levels
        try expect(late.count <= 2, "at most two levels after \"on\": false", received: late)
        continue
      }
      let start = ContinuousClock.now
      var levels: [SoundLevels] = []
      while levels.count < 9 { levels += [try await nextMessage()].levels }
      // Nine reports have eight intervals of 1/15 s between them, 533 ms. If the first one comes late, it
      // shortens this by up to one interval, to 467 ms. The check allows a tenth less.
      let time = ContinuousClock.now - start
      try expect(
        time > .milliseconds(420), "at most 15 levels a second",
        received: "9 within \(time.seconds) s", rule: .levelRate)
      try expect(
        levels.last.map { Self.isTone($0, at: volume) } ?? false,
        "levels of two channels for a tone",
        received: levels.last.map { "\($0)" } ?? "none", rule: .levelValues)
    }
  }

  /// Returns whether the levels are those of a tone on two channels. An amplifier may measure after its volume, so
  /// that a tone at a limited volume may have any level above silence.
  private static func isTone(_ levels: SoundLevels, at volume: Int) -> Bool {
    let least = volume == 100 ? -60.0 : -120.0
    return levels.peak.count == 2 && levels.rms.count == 2
      && zip(levels.peak, levels.rms).allSatisfy { $0 >= $1 && $1 > least }
  }
}

/// A thread that plays a tone at half of full scale on two channels until it is stopped.
private final class ToneGenerator: Sendable {
  private let source: CableSource

  init(_ source: CableSource) {
    self.source = source
    SystemThread.start(name: "tone") { Self.play(on: source) }
  }

  func stop() { source.close() }

  private static func play(on source: CableSource) {
    guard let format = CableFormat(rate: 44_100, channels: 2, sample: .s16),
      let section = source.setFormat(format, after: source.section)
    else { return }
    // A tenth of a second of a square wave with a period of 100 frames.
    let bytes: [UInt8] = (0..<4410).flatMap { frame -> [UInt8] in
      let value = UInt16(bitPattern: frame % 100 < 50 ? 16_384 : -16_384)
      let sample = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      return sample + sample
    }
    let frames = bytes.count / format.frameBytes
    while bytes.withUnsafeBytes({ source.write($0, section: section) }) == frames {}
  }
}

extension [RPCMessage] {
  /// The levels among these messages.
  fileprivate var levels: [SoundLevels] {
    compactMap { message in
      guard case .notification(LevelsNotification.method, let params) = message else { return nil }
      return LevelsNotification(params: params)?.levels
    }
  }
}

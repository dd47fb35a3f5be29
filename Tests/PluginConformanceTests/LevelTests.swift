import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@Suite("F4 · levels of every amplifier that has them", .realTime, .timeLimit(.minutes(3)))
struct LevelTests {
  private static let amplifiers = RoleUnderTest.all.filter { $0.role == .amplifier }

  @Test(
    "F4 · levels are reported while they are asked for and sound arrives, at most 15 a second",
    arguments: amplifiers)
  func onRequest(_ role: RoleUnderTest) async throws {
    let folder = try TemporaryFolder()
    try await PluginProcess.run(role.plugin) { client in
      let capabilities = try #require(
        OpenRequest.answer(try await client.open("a", role).result.get()))
      guard capabilities.names.contains("levels") else { return }
      let socket = CableSocket(
        path: folder.path(of: "s"), token: String(repeating: "0", count: 64))
      try await client.ask(OpenSocketRequest(device: "a", input: "cd", socket: socket))
      _ = try await client.perform("a", "on").result.get()
      _ = try await client.perform("a", ["input": "cd"]).result.get()
      let source = try CableSource()
      defer { source.close() }
      try source.connect(path: socket.path, token: socket.token)
      let player = EndlessTone(source)
      defer { player.stop() }

      // No levels were requested yet, so every message up to the next answer is of another kind.
      let (_, before) = try await client.perform("a", ["volume": 100])
      #expect(before.levels.isEmpty)
      for isOn in [true, false, true] {
        try await client.notify(MeterNotification(device: "a", isOn: isOn))
        guard isOn else {
          // The answer comes after the plugin has read the notification; a report may be on its way.
          let late = try await client.perform("a", "unmute").before.levels
          #expect(late.count <= 2)
          continue
        }
        let start = ContinuousClock.now
        var levels: [SoundLevels] = []
        while levels.count < 9 {
          let message = try await client.nextMessage()
          guard let found = [message].levels.first else { continue }
          levels.append(found)
        }
        // Eight intervals of a fifteenth of a second, of which the first may have passed before.
        #expect(ContinuousClock.now - start > .milliseconds(420))
        let last = try #require(levels.last)
        #expect(last.peak.count == 2 && last.rms.count == 2)
        #expect(zip(last.peak, last.rms).allSatisfy { $0 >= $1 && $1 > -60 })
      }
    }
  }

  @Test(
    "F4 · a wish for levels of any device, open or not, harms nothing",
    arguments: RoleUnderTest.all)
  func harmless(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      try await client.notify(MeterNotification(device: "a", isOn: true))
      _ = try await client.open("a", role).result.get()
      for isOn in [true, true, false, false] {
        try await client.notify(MeterNotification(device: "a", isOn: isOn))
      }
      try await client.send(line: #"{"jsonrpc": "2.0", "method": "meter", "params": {"on": 7}}"#)
      let (result, before) = try await client.perform("a", .string(role.firstCommand.name))
      #expect(result.error == nil)
      #expect(before.levels.isEmpty, "nothing sounds")
    }
  }
}

/// A tone of half of full scale on both channels, for as long as it is wanted.
private final class EndlessTone: Sendable {
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
    // A square wave of 100 frames, a tenth of a second of it.
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
  /// The levels among these.
  fileprivate var levels: [SoundLevels] {
    compactMap { message in
      guard case .notification(LevelsNotification.method, let params) = message else { return nil }
      return LevelsNotification(params: params)?.levels
    }
  }
}

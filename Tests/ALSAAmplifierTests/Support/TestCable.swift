import Foundation
import Platform
import PluginKit
import TestSupport

@testable import ALSAAmplifier

/// A player's end of a real cable into an engine.
struct TestCable: Sendable {
  let source: CableSource
  let index: Int

  /// Plugs a source into place `index` of `engine`.
  init(_ engine: SoundEngine, index: Int = 0, folder: TemporaryFolder) throws {
    let token = String(repeating: "0123456789abcdef", count: 4)
    let path = folder.path(of: "input\(index)")
    let sink = try CableSink(path: path, token: token, ring: SoundEngine.ring)
    engine.setInput(index, to: sink)
    source = try CableSource()
    try source.connect(path: path, token: token)
    self.index = index
  }

  /// Plugs a source into a socket that waits.
  init(path: String, token: String) throws {
    source = try CableSource()
    try source.connect(path: path, token: token)
    index = 0
  }

  /// Sends whole frames at the cable's pace, those of a recording from its start or of one that goes
  /// on; answers how many were taken.
  @discardableResult
  func send(
    _ bytes: [UInt8], _ format: CableFormat, startsRecording: Bool = true
  ) async -> Int {
    await SystemThread.run(name: "source") {
      let begun = source.setFormat(
        format, after: source.section, startsRecording: startsRecording)
      guard let section = begun else { return 0 }
      return bytes.withUnsafeBytes { source.write($0, section: section) }
    }
  }

  /// Says that all was sent, and waits until it was heard.
  func finish() async -> Bool {
    let section = source.section
    source.end(section: section)
    for await event in source.events {
      if case .drained(let drained) = event, drained == section { return true }
      if case .unplugged = event { return false }
    }
    return false
  }
}

extension CableFormat {
  /// 16-bit frames.
  static func s16(rate: Int = 44100, channels: Int = 2) throws -> CableFormat {
    guard let format = CableFormat(rate: rate, channels: channels, sample: .s16) else {
      throw CableError(.violation, "no such format")
    }
    return format
  }
}

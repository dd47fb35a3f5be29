import Foundation
import Platform
import PluginKit
import TestSupport

@testable import ALSAAmplifier

/// A player's end of a real cable into an engine.
struct TestCable: Sendable {
  let source: CableSource
  let index: Int

  /// Connects a source to input `index` of `engine`.
  init(_ engine: SoundEngine, index: Int = 0, folder: TemporaryFolder) throws {
    let token = String(repeating: "0123456789abcdef", count: 4)
    let path = folder.path(of: "input\(index)")
    let sink = try CableSink(path: path, token: token, ring: SoundEngine.ring)
    engine.setInput(index, to: sink)
    source = try CableSource()
    try source.connect(path: path, token: token)
    self.index = index
  }

  /// Connects a source to a listening socket.
  init(path: String, token: String) throws {
    source = try CableSource()
    try source.connect(path: path, token: token)
    index = 0
  }

  /// Sends whole frames at the cable's pace. Returns the number of frames that the cable accepted.
  ///
  /// - Parameter startsRecording: Whether the frames are the start of a recording, not a later
  ///   part.
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

  /// Ends the section, and waits until all its frames were played. Returns false if the cable was
  /// unplugged before.
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

import MediaNetwork
@testable import LibavPlayer

/// A whole file in memory, one array of −1…1 per channel.
struct Decoded {
  var format: PCMFormat
  var channels: [[Float]]

  /// Frames decoded.
  var frames: Int { channels.first?.count ?? 0 }

  /// Decodes what is left of a file, or at most `limit` frames.
  init(_ file: AudioFile, limit: Int = .max, chunk: Int = 4096) throws {
    format = file.format
    channels = Array(repeating: [], count: format.channels)
    while frames < limit, let current = try file.next() {
      format = current
      let most = min(chunk, limit - frames)
      try append(file, atMost: most)
    }
  }

  /// Decodes what is left of a file and only counts its frames.
  static func countFrames(_ file: AudioFile) throws -> Int {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { bytes.deallocate() }
    var frames = 0
    while try file.next() != nil { frames += try file.read(into: bytes) }
    return frames
  }

  private mutating func append(_ file: AudioFile, atMost most: Int) throws {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: most * format.frameSize, alignment: 16)
    defer { bytes.deallocate() }
    let count = try file.read(into: bytes) * format.channels
    let samples: [Float] =
      switch format.sample {
      case .int16: bytes.bindMemory(to: Int16.self).prefix(count).map { Float($0) / 32768 }
      case .int32: bytes.bindMemory(to: Int32.self).prefix(count).map { Float($0) / 2_147_483_648 }
      case .float32: Array(bytes.bindMemory(to: Float.self).prefix(count))
      }
    for channel in 0..<format.channels {
      channels[channel] += stride(from: channel, to: count, by: format.channels).map { samples[$0] }
    }
  }
}

/// Opens a file as the player does.
func open(_ path: String) throws -> AudioFile {
  try AudioFile(path: path, subject: "test file", interrupt: LibavInterrupt())
}

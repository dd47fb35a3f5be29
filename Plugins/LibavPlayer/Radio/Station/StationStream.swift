import CLibav
import MediaFolders
import MediaNetwork

/// The bytes of a station's stream, and the blocks of metadata in it (ICY). Belongs to one thread at a time.
final class StationStream {
  /// The most blocks that wait to be read.
  private static let mostBlocks = 16

  private let reader: MediaReader
  /// The bytes that were read when the stream was opened.
  private var beginning: ArraySlice<UInt8>
  private var blocks: [[UInt8]] = []
  private var lastBlock: [UInt8]?

  init(_ reader: MediaReader, beginning: [UInt8]) {
    self.reader = reader
    self.beginning = beginning[...]
    noticeBlock()
  }

  /// Reads sound. Returns the number of bytes, at least 1, or libav's code for the end or a failure.
  func read(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int) -> Int32 {
    guard beginning.isEmpty else {
      let count = min(size, beginning.count)
      for (index, byte) in beginning.prefix(count).enumerated() { buffer[index] = byte }
      beginning = beginning.dropFirst(count)
      return Int32(clamping: count)
    }
    let count = reader.read(into: buffer, size)
    noticeBlock()
    return count
  }

  /// Removes and returns the oldest block that was not read yet, `StreamTitle='…';`; nil without one.
  func nextBlock() -> [UInt8]? { blocks.isEmpty ? nil : blocks.removeFirst() }

  private func noticeBlock() {
    guard let block = reader.block, block != lastBlock else { return }
    lastBlock = block
    if blocks.count == Self.mostBlocks { blocks.removeFirst() }
    blocks.append(block)
  }
}

/// The current title of a station, from the metadata blocks in its stream.
enum StationTitle {
  /// Reads the title of `StreamTitle='Artist - Title';StreamUrl='…';`, at most ``MediaText/longestTag``
  /// bytes; nil for an empty one.
  ///
  /// Quotes inside a title are not escaped, so it ends at a quote that a semicolon follows. The block
  /// is searched as bytes: as a `String` a row of combining marks would cost seconds.
  static func read(_ block: [UInt8]) -> String? {
    let key = Array("StreamTitle='".utf8)
    guard let start = index(of: key, in: block[...]) else { return nil }
    let rest = block[(start + key.count)...]
    let quote = UInt8(ascii: "'")
    let end =
      index(of: [quote, UInt8(ascii: ";")], in: rest) ?? rest.lastIndex(of: quote) ?? rest.endIndex
    let title = MediaText.line(rest[..<end])
    return title.isEmpty ? nil : title
  }

  private static func index(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text) }
  }
}

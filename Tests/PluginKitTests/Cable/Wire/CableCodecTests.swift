import Foundation
import TestSupport
import Testing

@testable import PluginKit

@Suite("Cable: messages")
struct CableCodecTests {
  /// The examples of docs/cable-protocol.md, by their names there.
  static let examples: [(name: String, message: CableMessage, payload: [UInt8])] = [
    (
      "hello", .hello(version: 1, token: String(repeating: "0123456789abcdef", count: 4)), []
    ),
    ("format", .format(epoch: 1, .compactDisc), []),
    ("data", .data(epoch: 1, bytes: 8), [1, 0, 0xFF, 0xFF, 2, 0, 0xFE, 0xFF]),
    (
      "start", .data(epoch: 1, bytes: 4, startsRecording: true), [3, 0, 0xFD, 0xFF]
    ),
    ("flush", .flush(epoch: 2), []),
    ("end", .end(epoch: 2), []),
    ("credit", .credit(epoch: 1, limit: 4_410, heard: true), []),
    ("unheard", .credit(epoch: 1, limit: 4_410, heard: false), []),
    ("heard", .heard(epoch: 1, frames: 5_000, delay: 3_000, time: 5_000_000_000), []),
    ("flushed", .flushed(epoch: 2, frames: 2_000, of: 1), []),
    ("drained", .drained(epoch: 2), []),
    ("close", .close(reason: "not here"), []),
  ]

  private func decode(_ bytes: [UInt8]) throws -> [CableMessage] {
    var inbox = CableInbox(largest: CableLimit.payload)
    var messages: [CableMessage] = []
    for byte in bytes {
      // One byte at a time: a message may be cut anywhere.
      _ = withUnsafeBytes(of: byte) { inbox.append($0) }
      while try inbox.next({ message, _ in messages.append(message) }) {}
    }
    return messages
  }

  @Test("F4 · the code writes and reads the examples of the documentation")
  func documentation() throws {
    let text = try ProjectFile.text("docs/cable-protocol.md")
    let block = try #require(text.components(separatedBy: "```hex\n").dropFirst().first)
    let lines = try #require(block.components(separatedBy: "```").first).split(separator: "\n")
    let written = try lines.map { line in
      let words = line.split(separator: " ")
      return (String(words[0]), try words.dropFirst().map { try #require(UInt8($0, radix: 16)) })
    }
    #expect(written.map(\.0) == Self.examples.map(\.name))
    for (line, example) in zip(written, Self.examples) {
      #expect(line.1 == example.message.encoded + example.payload, "\(example.name)")
      #expect(try decode(line.1) == [example.message], "\(example.name)")
    }
    #expect(try decode(written.flatMap(\.1)) == Self.examples.map(\.message))
  }

  @Test("F4 · a payload of the wrong length is an error for every kind of message")
  func wrongLength() throws {
    for (name, message, _) in Self.examples where !["data", "start", "close"].contains(name) {
      var bytes = message.encoded
      bytes[4] += 1
      bytes.append(0)
      #expect(throws: CableError.self, "\(name), one more") { try decode(bytes) }
      guard bytes.count > 13 else { continue }
      bytes.removeLast(2)
      bytes[4] -= 2
      #expect(throws: CableError.self, "\(name), one less") { try decode(bytes) }
    }
  }

  @Test(
    "F4 · a header that no peer of this version writes is an error",
    arguments: [
      [UInt8](repeating: 0, count: 12),
      [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [3, 0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0],
      [3, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0],
      [3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0],
    ] as [[UInt8]])
  func badHeader(bytes: [UInt8]) {
    let error = #expect(throws: CableError.self) { try decode(bytes) }
    #expect(error?.code == .violation)
  }

  @Test(
    "F4 · a format out of range is an error",
    arguments: [
      (0, 2, 1, 3), (3_999, 2, 1, 3), (192_001, 2, 1, 3), (UInt32.max, 2, 1, 3),
      (44_100, 0, 1, 0), (44_100, 9, 1, 0), (44_100, 255, 1, 0), (44_100, 2, 0, 3),
      (44_100, 2, 5, 3), (44_100, 2, 1, 7), (44_100, 2, 1, UInt32.max),
    ] as [(UInt32, UInt8, UInt8, UInt32)])
  func badFormat(rate: UInt32, channels: UInt8, sample: UInt8, layout: UInt32) {
    var bytes = CableMessage.format(epoch: 1, .compactDisc).encoded
    withUnsafeBytes(of: rate.littleEndian) { bytes.replaceSubrange(12..<16, with: $0) }
    bytes[16] = channels
    bytes[17] = sample
    withUnsafeBytes(of: layout.littleEndian) { bytes.replaceSubrange(20..<24, with: $0) }
    #expect(throws: CableError.self) { try decode(bytes) }
  }

  @Test("F4 · every format that is allowed survives the wire")
  func formats() throws {
    for sample in CableSampleFormat.allCases {
      for channels in CableLimit.channels {
        for rate in [4_000, 44_100, 192_000] {
          let format = try #require(CableFormat(rate: rate, channels: channels, sample: sample))
          #expect(format.layout.nonzeroBitCount == channels)
          let message = CableMessage.format(epoch: 9, format)
          #expect(try decode(message.encoded) == [message])
        }
      }
    }
  }

  @Test("F4 · random bytes are an error, or messages that read back as themselves")
  func randomBytes() throws {
    var numbers = SeededNumbers(1)
    var counts = (messages: 0, errors: 0)
    for _ in 0..<2_000 {
      var bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      bytes[0] = [1, 2, 3, 4, 5, 17, 18, 19, 20, 31].randomElement(using: &numbers) ?? 1
      let length = UInt8.random(in: 0...52, using: &numbers)
      bytes.replaceSubrange(2..<8, with: [0, 0, length, 0, 0, 0])
      do {
        for message in try decode(bytes) {
          counts.messages += 1
          // The bytes of sound are no part of the message.
          guard case .data = message else {
            #expect(try decode(message.encoded) == [message])
            continue
          }
        }
      } catch is CableError {
        counts.errors += 1
      }
    }
    #expect(counts.messages > 50 && counts.errors > 1000, "\(counts)")
  }

  @Test("F4 · a path that a socket cannot hold is refused with its length")
  func longPath() throws {
    let error = #expect(throws: CableError.self) {
      try CableSink(path: "/tmp/" + String(repeating: "x", count: 103), token: tokenA)
    }
    #expect(error?.code == .path)
    #expect(error?.message.contains("108 bytes") == true)
    #expect(throws: CableError.self) { try CableSink(path: "", token: tokenA) }
  }

  @Test("F4 · a file that is no socket is not replaced")
  func notASocket() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    try Data("precious".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: CableError.self) { try CableSink(path: path, token: tokenA) }
    #expect(error?.code == .path)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
  }
}

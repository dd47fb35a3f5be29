import Foundation
import MediaFolders
import MediaNetwork
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Damaged and missing files")
struct DamageTests {
  static let kinds = ["wav", "flac", "mp3", "ogg", "opus", "m4a", "aac"]

  @Test("An empty file is refused by name", arguments: kinds)
  func empty(kind: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("empty.\(kind)", [])
    let failure = #expect(throws: MediaFailure.self) { try open(path) }
    #expect([.corrupt, .unsupported].contains(failure?.kind))
    #expect(failure?.message.hasPrefix("test file: ") == true)
  }

  @Test("Random bytes are refused, whatever the file's name", arguments: kinds)
  func garbage(kind: String) throws {
    let folder = try TemporaryFolder()
    var random = SystemRandomNumberGenerator()
    let path = try folder.write(
      "garbage.\(kind)", (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    // MP3 and AAC have no header: a few bytes of noise may look like sound. It ends all the same.
    do {
      let decoded = try Decoded(open(path))
      #expect(["mp3", "aac"].contains(kind))
      #expect(decoded.frames < 44_100 * 60)
    } catch let failure as MediaFailure {
      #expect([.corrupt, .unsupported].contains(failure.kind))
    }
  }

  @Test(
    "A truncated file plays up to its end", arguments: ["wav", "flac", "mp3", "ogg", "opus"])
  func truncated(kind: String) async throws {
    let folder = try TemporaryFolder()
    // Ogg pages hold a second and more: a cut inside a page loses the page.
    let path = try await Tone(frames: 44_100 * 8).encoded("cut.\(kind)", [], in: folder)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let cut = try folder.write("half.\(kind)", Array(bytes.prefix(bytes.count / 2)))
    let decoded = try Decoded(open(cut))
    #expect((100_000...200_000).contains(decoded.frames))
    #expect(
      abs(
        SoundMeasurement.frequency(decoded.channels[0][4_000..<24_000], rate: decoded.format.rate)
          - 440) < 1)
  }

  @Test(
    "A damaged part is skipped, and the song continues", arguments: ["flac", "mp3", "ogg", "m4a"])
  func hole(kind: String) async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100 * 10).encoded("hole.\(kind)", [], in: folder)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let middle = bytes.count / 2
    for index in middle..<(middle + bytes.count / 50) { bytes[index] = UInt8(index & 0xff) }
    let damaged = try folder.write("damaged.\(kind)", bytes)
    let track = try open(damaged)
    let decoded = try Decoded(track)
    #expect(decoded.frames > 44_100 * 8)
    let end = decoded.channels[0].suffix(20_000).dropLast(4_000)
    #expect(abs(SoundMeasurement.frequency(end, rate: decoded.format.rate) - 440) < 1)
  }

  @Test("Decoding and seeking end with a result, whichever byte is damaged", arguments: kinds)
  func fuzz(kind: String) async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 20_000).encoded("good.\(kind)", [], in: folder)
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for round in 0..<24 {
      var random = Lehmer(seed: UInt64(round + 1))
      var bytes = good
      for _ in 0..<8 {
        // Headers are where the interesting lengths are.
        let span = round.isMultiple(of: 2) ? min(300, bytes.count) : bytes.count
        bytes[Int.random(in: 0..<span, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let damaged = try folder.write("fuzz.\(kind)", bytes)
      guard let track = try? open(damaged) else { continue }
      let decoded = try? Decoded(track, limit: 400_000)
      #expect((decoded?.frames ?? 0) <= 400_000)
      try? track.seek(to: 10_000)
      _ = try? track.next()
    }
  }

  @Test("A missing file is told apart from a damaged one")
  func missing() throws {
    let failure = #expect(throws: MediaFailure.self) { try open("/nowhere/at all.flac") }
    #expect(failure?.kind == .missing)
  }

  @Test("A playlist does not make us open other files", arguments: ["m3u8", "ffconcat", "sdp"])
  func playlist(kind: String) async throws {
    let folder = try TemporaryFolder()
    let target = try await Tone().encoded("target.flac", [], in: folder)
    let text =
      switch kind {
      case "m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(target)\n#EXT-X-ENDLIST\n"
      case "ffconcat": "ffconcat version 1.0\nfile '\(target)'\n"
      default: "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 14\n"
      }
    let path = try folder.write("list.mp3", Array(text.utf8))
    #expect(throws: MediaFailure.self) { try open(path) }
  }

  @Test("A cancelled track stops with its own failure")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100 * 10).encoded("long.flac", [], in: folder)
    let interrupt = LibavInterrupt()
    let track = try AudioFile(path: path, subject: "long.flac", interrupt: interrupt)
    interrupt.cancel()
    let failure = #expect(throws: MediaFailure.self) { try Decoded(track) }
    #expect(failure?.kind == .cancelled)
  }
}

/// A small generator with a seed, so that a failing round can be repeated.
struct Lehmer: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

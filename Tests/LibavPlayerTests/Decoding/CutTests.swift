import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Files that end too early")
struct CutTests {
  private static let seconds = 40.0
  private static let tone = Tone(frames: 44_100 * 40, frequencies: [300, 500], rise: 10)

  /// A container with ffmpeg's options.
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String] = []
    var testDescription: String { name }

    static let all = [
      Kind(name: "a.wav"), Kind(name: "b.flac"), Kind(name: "c.mp3", options: ["-q:a", "4"]),
      Kind(name: "d.ogg"), Kind(name: "e.opus"), Kind(name: "f.oga", options: ["-c:a", "flac"]),
      Kind(name: "g.m4a", options: ["-movflags", "+faststart"]),
      Kind(name: "h.m4a", options: ["-c:a", "alac", "-movflags", "+faststart"]),
      Kind(name: "i.mka"), Kind(name: "j.mka", options: ["-c:a", "flac"]), Kind(name: "k.wma"),
      Kind(name: "l.aiff"), Kind(name: "m.au"), Kind(name: "n.caf"), Kind(name: "o.w64"),
      Kind(name: "p.wv"), Kind(name: "q.tta"), Kind(name: "r.wav", options: ["-rf64", "always"]),
      Kind(name: "s.wav", options: ["-c:a", "adpcm_ms"]),
      Kind(name: "t.spx", options: ["-ar", "16000"]),
      Kind(name: "u.mp3", options: ["-b:a", "320k"]),
    ]
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func skip(_ file: AudioFile) throws(MediaFailure) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { bytes.deallocate() }
    while try file.next() != nil { _ = try file.read(into: bytes) }
  }

  /// Plays a file to its end. Returns its seconds, and why it ended too early.
  private func play(_ path: String) throws -> (seconds: Double, failure: MediaFailure?) {
    let file = try open(path)
    do throws(MediaFailure) {
      try skip(file)
      return (Double(file.position) / Double(file.format.rate), file.earlyEnd())
    } catch {
      return (Double(file.position) / Double(file.format.rate), error)
    }
  }

  @Test(
    "A whole file ends without a failure, and one cut at 30, 60 or 99 % with one",
    arguments: Kind.all)
  func cut(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let whole = try bytes(try await Self.tone.encoded(kind.name, kind.options, in: folder))
    let (seconds, failure) = try play(folder.path + "/" + kind.name)
    #expect(failure == nil)
    #expect(abs(seconds - Self.seconds) < 0.2)
    for share in [0.3, 0.6, 0.99] {
      let part = whole.prefix(Int(Double(whole.count) * share))
      let (seconds, failure) = try play(folder.write("cut/" + kind.name, Array(part)))
      #expect(failure?.kind == .corrupt, "at \(share)")
      #expect(failure?.detail.contains("cut off") == true)
      #expect(seconds < Self.seconds * share + 3)
    }
  }

  @Test("A cut file of which only the end tells the length is refused when it is opened")
  func unreadable() async throws {
    let folder = try TemporaryFolder()
    let whole = try bytes(try await Self.tone.encoded("a.m4a", [], in: folder))
    let path = try folder.write("cut.m4a", Array(whole.prefix(whole.count / 2)))
    #expect(throws: MediaFailure.self) { try open(path) }
  }

  @Test(
    "Frames without a stated length end where they end", arguments: ["a.aac", "b.mp3", "c.ac3"])
  func estimated(name: String) async throws {
    let folder = try TemporaryFolder()
    let options = name.hasSuffix("mp3") ? ["-write_xing", "0"] : []
    let whole = try bytes(try await Self.tone.encoded(name, options, in: folder))
    for share in [0.3, 0.6, 0.99] {
      let part = whole.prefix(Int(Double(whole.count) * share))
      #expect(try play(folder.write("cut/" + name, Array(part))).failure == nil)
    }
  }

  /// A whole file with wrong bytes in its header.
  struct Patch: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String] = []
    /// The text in the header before the wrong bytes.
    var mark: String
    /// The distance from the beginning of the text, and the bytes.
    var offset: Int
    var bytes: [UInt8]
    var testDescription: String { "\(name) \(mark) \(bytes)" }

    static let all = [
      Patch(name: "a.wav", mark: "data", offset: 4, bytes: [0, 0, 0, 0]),
      Patch(name: "b.wav", mark: "data", offset: 4, bytes: [0xFF, 0xFF, 0xFF, 0xFF]),
      Patch(name: "c.wav", mark: "data", offset: 4, bytes: [0xFF, 0xFF, 0xFF, 0x7F]),
      Patch(name: "d.wav", mark: "data", offset: 4, bytes: [0, 0, 0, 0x20]),
      Patch(name: "e.wav", mark: "RIFF", offset: 4, bytes: [0, 0, 0, 0x20]),
      Patch(name: "f.wav", mark: "RIFF", offset: 4, bytes: [0, 0, 0, 0]),
      Patch(name: "g.aiff", mark: "FORM", offset: 4, bytes: [0x20, 0, 0, 0]),
      Patch(name: "h.aiff", mark: "COMM", offset: 10, bytes: [0x20, 0, 0, 0]),
      Patch(name: "i.aiff", mark: "SSND", offset: 4, bytes: [0x20, 0, 0, 0]),
      Patch(name: "j.au", mark: ".snd", offset: 8, bytes: [0xFF, 0xFF, 0xFF, 0xFF]),
      Patch(name: "k.caf", mark: "data", offset: 4, bytes: [UInt8](repeating: 0xFF, count: 8)),
      // The number of samples, 36 bits.
      Patch(name: "l.flac", mark: "fLaC", offset: 22, bytes: [0, 0x80, 0, 0]),
      Patch(name: "m.flac", mark: "fLaC", offset: 22, bytes: [0, 0, 0, 0]),
      Patch(name: "n.mp3", mark: "Info", offset: 8, bytes: [0, 1, 0, 0]),
      Patch(name: "o.mp3", mark: "Info", offset: 12, bytes: [0, 0x40, 0, 0]),
      Patch(name: "p.m4a", mark: "mvhd", offset: 20, bytes: [0, 1, 0, 0]),
      Patch(name: "q.m4a", mark: "mdhd", offset: 20, bytes: [0, 0x40, 0, 0]),
      Patch(name: "r.m4a", mark: "tkhd", offset: 24, bytes: [0, 1, 0, 0]),
      Patch(name: "s.mka", mark: "\u{44}\u{89}\u{88}", offset: 3, bytes: [0x41, 0x00]),
      Patch(name: "t.wv", mark: "wvpk", offset: 12, bytes: [0, 0, 0x80, 0]),
      Patch(name: "u.wv", mark: "wvpk", offset: 12, bytes: [0xFF, 0xFF, 0xFF, 0xFF]),
      Patch(name: "v.w64", mark: "riff", offset: 16, bytes: [0, 0, 0, 0x40]),
    ]
  }

  @Test("A whole file with a wrong header ends without a failure", arguments: Patch.all)
  func wrongHeader(patch: Patch) async throws {
    let folder = try TemporaryFolder()
    let path = try await Self.tone.encoded(patch.name, patch.options, in: folder)
    var bytes = try self.bytes(path)
    let mark = patch.mark.unicodeScalars.map { UInt8($0.value) }
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) }) + patch.offset
    bytes.replaceSubrange(place..<(place + patch.bytes.count), with: patch.bytes)
    let (seconds, failure) = try play(folder.write("wrong/" + patch.name, bytes))
    #expect(failure == nil)
    #expect(abs(seconds - Self.seconds) < 0.3)
  }

  @Test(
    "Garbage, tags and zeros behind a whole file are no failure",
    arguments: ["wav", "ogg", "mp3", "m4a"])
  func garbage(kind: String) async throws {
    let folder = try TemporaryFolder()
    let whole = try bytes(try await Self.tone.encoded("a.\(kind)", [], in: folder))
    for tail in [
      [UInt8](repeating: 0, count: 5_000), Array("TAG".utf8) + [UInt8](repeating: 65, count: 125),
    ] {
      let (seconds, failure) = try play(folder.write("b/a.\(kind)", whole + tail))
      #expect(failure == nil)
      #expect(abs(seconds - Self.seconds) < 0.3)
    }
  }

  @Test(
    "A file whose second half was never written ends with a failure",
    arguments: ["flac", "m4a"])
  func zeros(kind: String) async throws {
    let folder = try TemporaryFolder()
    let options = kind == "m4a" ? ["-movflags", "+faststart"] : []
    let whole = try bytes(try await Self.tone.encoded("a.\(kind)", options, in: folder))
    let half = whole.prefix(whole.count / 2) + [UInt8](repeating: 0, count: whole.count / 2)
    let path = try folder.write("b/a.\(kind)", Array(half))
    do {
      #expect(try play(path).failure != nil)
    } catch {
      // Damage that goes on ends the song, too.
      #expect((error as? MediaFailure)?.kind == .corrupt)
    }
  }
}
